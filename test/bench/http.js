// Authenticated reads on files against a raw node:http server that sends the same bytes: throughput and CPU a request.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { processorMs } from "./processes.js";
import { median, table } from "./report.js";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
const SECONDS = 1;
const TARGETS = [
  { name: "GET /api/v1/ai/me", path: "/api/v1/ai/me", least: 0.45 },
  { name: "GET /api/v1/ai/points", path: "/api/v1/ai/points", least: 0.6 },
  { name: "GET /api/v1/news/hot", path: "/api/v1/news/hot", least: 0.6 },
];
const headers = { "x-user-token": "alice-token" };

/** Starts a process and waits for the line of its stderr that holds its URL. */
function start(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ANP_LIMITS_RATES_PUBLIC_REQUESTS: "0" },
    });
    let text = "";
    child.stderr.on("data", (chunk) => {
      if (text.length < 10_000) text += chunk;
      const url = /listens on (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve({ url, child });
    });
    child.on("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${text}`)));
  });
}

async function load({ url, child }, path) {
  const before = processorMs(child.pid);
  const result = await autocannon({ url: url + path, headers, connections: 32, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} bad answers, ${result.errors} errors`);
  return {
    rps: result.requests.total / result.duration,
    cpu: ((processorMs(child.pid) - before) * 1000) / result.requests.total,
  };
}

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const bin = join(import.meta.dirname, "../../bin/anp.js");
const anp = await start([bin, "serve", "--demo", "--port", "0", "--storage", `fs:${folder}`]);
const ask = (path) => fetch(anp.url + path, { headers });
// An account with a history, as most have.
for (let n = 0; n < 3; n++) {
  await fetch(`${anp.url}/api/v1/ai/points/exchange`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"token_amount":1}',
  });
}
const answers = {};
for (const { path } of TARGETS) {
  const response = await ask(path);
  answers[path] = {
    headers: Object.fromEntries(["content-type", "x-request-id"].map((name) => [name, response.headers.get(name)])),
    body: await response.text(),
  };
}
const raw = await start([join(import.meta.dirname, "raw-server.js"), JSON.stringify(answers)]);

const rows = [];
for (const { name, path, least } of TARGETS) {
  const rounds = { raw: [], anp: [] };
  await load(anp, path);
  await load(raw, path);
  for (let round = 0; round < ROUNDS; round++) {
    rounds.raw.push(await load(raw, path));
    rounds.anp.push(await load(anp, path));
  }
  const of = (server, what) => median(rounds[server].map((round) => round[what]));
  rows.push([
    name,
    Math.round(of("raw", "rps")),
    Math.round(of("anp", "rps")),
    (of("anp", "rps") / of("raw", "rps")).toFixed(2),
    `${of("raw", "cpu").toFixed(1)} / ${of("anp", "cpu").toFixed(1)}`,
    (of("raw", "cpu") / of("anp", "cpu")).toFixed(2),
    least,
  ]);
}
table(["endpoint", "raw req/s", "anp req/s", "throughput ratio", "CPU µs raw / anp", "CPU ratio", "asked"], rows);
anp.child.kill();
raw.child.kill();
await rm(folder, { recursive: true, force: true });
