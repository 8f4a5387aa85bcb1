// Runs the bundled smoke files through a proxy that checks every answer against the OpenAPI document: Stoplight's
// Prism, installed into a temporary folder. `npm run check:prism`; PRISM=FILE names the script of an installed one.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGE = "@stoplight/prism-cli@5.14.2";
const ANP = join(import.meta.dirname, "../../bin/anp.js");
const SMOKE = join(import.meta.dirname, "../../fixtures/smoke");

/** Faults that can be on at once without one hiding what another shows. */
const TOGETHER = [
  [],
  ["model=error", "trade-reward=error", "hot-topics=error", "events=write-error"],
  ["storage=down", "answers=slow,ms=100"],
];

/** What Prism answers by itself, without asking the daemon: it is about requests, which are wrong on purpose. */
const OWN_REFUSALS = /#(UNAUTHORIZED|NO_PATH_MATCHED_ERROR|NO_METHOD_MATCHED_ERROR)|"code":"invalid_json"/;
const VIOLATION = /prism\/errors#(VIOLATIONS|UNKNOWN|[A-Z_]*RESPONSE[A-Z_]*)/;

const folder = mkdtempSync(join(tmpdir(), "anp-prism-"));
const children = new Set();

function start(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, CI: "1" } });
  children.add(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  const says = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => pattern.test(log) && resolve(pattern.exec(log));
      for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
      void ended.then(() => reject(new Error(`${args.join(" ")} ended:\n${log}`)));
      look();
    });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    children.delete(child);
  };
  return { says, stop };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function installPrism() {
  if (process.env.PRISM !== undefined) return process.env.PRISM;
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE];
  const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}\n${stderr}`);
  return join(folder, "node_modules/@stoplight/prism-cli/dist/index.js");
}

/** Runs smoke files through Prism. */
async function measure(prism, document, files, url) {
  const path = join(folder, "openapi.json");
  writeFileSync(path, JSON.stringify(document));
  const port = await freePort();
  const flags = ["--errors", "--validate-request", "false", "--port", String(port)];
  const proxy = start([prism, "proxy", path, url, ...flags]);
  await proxy.says(/Prism is listening/);
  const args = [ANP, "smoke", ...files, "--json", "--with-faults", "--url", `http://127.0.0.1:${port}`];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  await proxy.stop();
  if (!stdout.startsWith("[")) throw new Error(stderr);
  const steps = JSON.parse(stdout).flatMap((file) => file.steps.map((step) => ({ path: file.path, ...step })));
  const answered = steps.filter(({ answer }) => answer !== undefined);
  const refused = answered.filter(({ answer, request }) => OWN_REFUSALS.test(answer) || request.startsWith("HEAD "));
  const checked = answered.filter((step) => !refused.includes(step));
  return {
    checked,
    refused,
    violations: checked.filter(({ answer }) => VIOLATION.test(answer)),
    // An answer that is right by our own check and by Prism's, to a request that Prism has changed.
    others: checked.filter(({ answer, outcome }) => outcome !== "passed" && !VIOLATION.test(answer)),
  };
}

async function main() {
  const prism = installPrism();
  const document = JSON.parse(spawnSync(process.execPath, [ANP, "openapi"], { encoding: "utf8" }).stdout);
  const all = readdirSync(SMOKE).map((name) => join(SMOKE, name));
  const faultsOf = (file) => /^faults: \[(.*)\]$/m.exec(readFileSync(file, "utf8"))?.[1].replaceAll('"', "") ?? "";
  const totals = { checked: 0, refused: 0 };
  const found = [];
  for (const faults of TOGETHER) {
    const files = all.filter((file) => (faults.length === 0 ? faultsOf(file) === "" : faults.includes(faultsOf(file))));
    const flags = faults.flatMap((fault) => ["--fault", fault]);
    const daemon = start([ANP, "serve", "--demo", "--storage", "memory:", "--port", "0", ...flags]);
    const [, url] = await daemon.says(/anp listens on (\S+)/);
    const { checked, refused, violations, others } = await measure(prism, document, files, url);
    totals.checked += checked.length;
    totals.refused += refused.length;
    found.push(...violations);
    for (const { path, line, problems } of others)
      console.log(`changed on its way: ${path}:${line} ${problems[0].message}`);
    if (faults.length === 0) {
      // A proxy that sees nothing would find nothing either.
      const wrong = structuredClone(document);
      wrong.components.schemas.QuotaProfile.properties.balance_points = { type: "string" };
      const control = await measure(prism, wrong, files, url);
      console.log(`control: a document with one wrong type gives ${control.violations.length} violations`);
      if (control.violations.length === 0) throw new Error("Prism sees no wrong type");
    }
    await daemon.stop();
  }
  console.log(`${totals.checked} answers checked, ${found.length} violations`);
  console.log(`${totals.refused} requests, wrong on purpose, that Prism answers itself`);
  for (const { path, line, answer } of found) console.log(`${path}:${line} ${answer}`);
  if (found.length > 0) process.exitCode = 1;
}

try {
  await main();
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
