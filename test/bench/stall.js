// The worst latency of /healthz, /me and exchange while something goes on that strangers can cause, above the worst when
// nothing does. BENCH_LOADS names the loads, by the files of stall/ (default: all); each has a daemon of its own.
// BENCH_STORAGE names a storage that is kept, so that a large one is seeded once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createTokens } from "../../dist/accounts/tokens.js";
import { createUsers } from "../../dist/accounts/users.js";
import { systemClock } from "../../dist/runtime/clock.js";
import { systemRandom } from "../../dist/runtime/random.js";
import { openStorage } from "../../dist/storage/open-storage.js";
import { table } from "./report.js";

const LOADS = join(import.meta.dirname, "stall");
const BIN = process.env.BENCH_BIN ?? join(import.meta.dirname, "../../bin/anp.js");
const QUIET_MS = Number(process.env.BENCH_QUIET_MS ?? 5000);
const names =
  process.env.BENCH_LOADS?.split(",") ?? readdirSync(LOADS).flatMap((file) => /^(.*)-load\.js$/.exec(file)?.[1] ?? []);

const GROUPS = ["account", "chat", "events", "points", "public", "refresh"];
const UNLIMITED = Object.fromEntries(GROUPS.map((group) => [group, { requests: 0 }]));

/** A storage with one user, and the user's token. */
async function createStorage(url) {
  const storage = await openStorage(url);
  await createUsers({ storage, clock: systemClock, ttl_ms: 0 }).create("bench", { free_daily_quota: 1_000_000_000 });
  const tokens = createTokens({ storage, clock: systemClock, random: systemRandom, ttl_ms: 0 });
  const { secret } = await tokens.issue("bench");
  await storage.close();
  return secret;
}

/** Starts a daemon; `ready_ms` is how long until it said that it listens. */
function startDaemon(args) {
  const from = performance.now();
  const own = ["serve", "--port", "0", "--log-level", "error", ...args];
  const child = spawn(process.execPath, ["--import", join(LOADS, "longest-turn.js"), BIN, ...own], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  let log = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      if (log.length < 100_000) log += chunk;
      const url = /listens on (\S+)/.exec(log)?.[1];
      if (url !== undefined) resolve({ child, url, ready_ms: performance.now() - from, log: () => log });
    });
    child.once("exit", (code) => reject(new Error(`the daemon ended with ${code}: ${log}`)));
  });
}

/** Highest resident memory of a process so far, MB. */
function peakOf({ pid }) {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1000);
}

/** The longest turn of a daemon's event loop since this was asked last, as `longest-turn.js` reports it. */
async function longestTurn({ child }) {
  child.send("report");
  const [{ clock, processor }] = await once(child, "message");
  return `${clock.toFixed(0)} (${processor.toFixed(0)})`;
}

/** Asks a daemon from a thread of its own, again and again, until `stop`, which returns the latencies by path, ms. */
function probe(url, token) {
  const worker = new Worker(join(LOADS, "probe.js"), { workerData: { url, token } });
  return {
    async stop() {
      worker.postMessage("stop");
      const [latencies] = await once(worker, "message");
      await worker.terminate();
      return latencies;
    },
  };
}

const rows = [];
for (const name of names) {
  const { open } = await import(`./stall/${name}-load.js`);
  const folder = await mkdtemp(join(tmpdir(), "anp-stall-"));
  const storage = process.env.BENCH_STORAGE ?? `fs:${join(folder, "data")}`;
  const token = await createStorage(storage);
  const load = await open({ folder, storage, token });
  const config = join(folder, "config.json");
  const limits = { wait_ms: 0, rates: UNLIMITED, ...load.config?.limits };
  await writeFile(config, JSON.stringify({ ...load.config, limits }));
  const daemon = await startDaemon(["--config", config, "--storage", storage]);
  await load.before?.(daemon);
  await longestTurn(daemon);
  const quiet = probe(daemon.url, token);
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const undisturbed = await quiet.stop();
  const turns = [await longestTurn(daemon)];
  const during = probe(daemon.url, token);
  const from = performance.now();
  const said = await load.run(daemon);
  const seconds = (performance.now() - from) / 1000;
  const disturbed = await during.stop();
  turns.push(await longestTurn(daemon));
  const above = Object.keys(undisturbed).map((path) => {
    const [during, before] = [disturbed, undisturbed].map((latencies) => latencies[path].sort((a, b) => a - b));
    const [worst, usual] = [during.at(-1), before.at(-1)];
    const p99 = during[Math.floor(during.length * 0.99)];
    return `${(worst - usual).toFixed(0)} (${worst.toFixed(0)}; ${p99.toFixed(0)})`;
  });
  rows.push([
    name,
    Math.round(daemon.ready_ms),
    seconds.toFixed(1),
    ...above,
    "50",
    ...turns,
    peakOf(daemon.child),
    said ?? "",
  ]);
  daemon.child.removeAllListeners("exit");
  await new Promise((resolve) => daemon.child.once("exit", resolve).kill("SIGKILL"));
  await load.close?.();
  await rm(folder, { recursive: true, force: true });
}
table(
  [
    "load",
    "ready ms",
    "took s",
    "/healthz ms above (worst; p99)",
    "/me",
    "exchange",
    "asked",
    "longest turn ms before (processor)",
    "during",
    "peak MB",
    "result",
  ],
  rows,
);
