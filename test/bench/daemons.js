// What four daemons on one Redis carry against one of them, in the same run: reads, a mixed load, and charges. Besides,
// how many cores the daemons, Redis and the load generator use meanwhile, which shows what binds. On a machine with too
// few cores for all of them, BENCH_CORES=0.2 holds each daemon to a fifth of a core (root, Linux control groups),
// as if it had a machine of that size to itself.
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { createUsersOn, processorMs, start, stopAll } from "./processes.js";
import { startRedis } from "./redis.js";
import { median, table } from "./report.js";

const DAEMONS = Number(process.env.BENCH_DAEMONS ?? 4);
const CONNECTIONS = Number(process.env.BENCH_CLIENTS ?? 64);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const FSYNC = process.env.BENCH_FSYNC ?? "everysec";
const CORES = Number(process.env.BENCH_CORES ?? 0);
const USERS = 64;

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));

const held = [];

/** Holds a process to a share of a core. */
function hold(pid) {
  const group = `/sys/fs/cgroup/cpu/anp-bench-${pid}`;
  mkdirSync(group);
  held.push(group);
  writeFileSync(`${group}/cpu.cfs_period_us`, "20000");
  writeFileSync(`${group}/cpu.cfs_quota_us`, String(20_000 * CORES));
  writeFileSync(`${group}/cgroup.procs`, String(pid));
}

const json = { "content-type": "application/json" };
const get = (path) => (token) => ({ method: "GET", path, headers: { "x-user-token": token } });
const post = (path, body) => (token) => ({
  method: "POST",
  path,
  headers: { ...json, "x-user-token": token },
  body: JSON.stringify(body),
});
const reads = [get("/api/v1/ai/me"), get("/api/v1/news/hot"), get("/api/v1/ai/hot-topics")];
const charge = post("/api/v1/ai/chat/send", { question: "What are the maker and taker fees?" });
const LOADS = {
  reads,
  "mixed: 12 reads, 2 events, 1 exchange, 1 chat": [
    ...Array(4).fill(reads).flat(),
    post("/api/v1/ai/events", { event_type: "bench.click" }),
    post("/api/v1/ai/events", { event_type: "bench.view" }),
    post("/api/v1/ai/points/exchange", { token_amount: 1 }),
    charge,
  ],
  "exchanges: one append each": [post("/api/v1/ai/points/exchange", { token_amount: 1 })],
  "chats: answer and charge": [charge],
};

/** Puts the load on the daemons, the connections spread over them. */
async function put(requests, targets, tokens, redis) {
  const pids = { daemons: targets.map(({ child }) => child.pid), redis: [redis.pid], generator: [process.pid] };
  const used = () => Object.values(pids).map((list) => list.reduce((sum, pid) => sum + processorMs(pid) / 1000, 0));
  const before = used();
  const from = performance.now();
  let connections = 0;
  const results = await Promise.all(
    targets.map(({ url }) =>
      autocannon({
        url,
        connections: CONNECTIONS / targets.length,
        duration: SECONDS,
        setupClient(client) {
          // Each connection is a user of its own.
          const token = tokens[connections++ % USERS];
          client.setRequests(requests.map((make) => make(token)));
        },
      }),
    ),
  );
  const seconds = (performance.now() - from) / 1000;
  const bad = results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0);
  if (bad > 0) throw new Error(`${bad} requests failed`);
  return {
    rate: results.reduce((sum, { requests }) => sum + requests.total, 0) / seconds,
    p99: Math.max(...results.map(({ latency }) => latency.p99)),
    cores: used().map((after, at) => (after - before[at]) / seconds),
  };
}

try {
  const redis = await startRedis(folder, FSYNC);
  const bin = join(import.meta.dirname, "../../bin/anp.js");
  const serve = [bin, "serve", "--demo", "--port", "0", "--log-level", "error", "--storage", redis.url];
  const daemons = [];
  for (let n = 0; n < DAEMONS; n++) {
    const { child, found } = await start(process.execPath, serve, /anp listens on (\S+)/);
    if (CORES > 0) hold(child.pid);
    daemons.push({ child, url: found[1] });
  }
  const names = Array.from({ length: USERS }, (_, n) => `bench-${n}`);
  const tokens = await createUsersOn(redis.url, names);

  const rows = [];
  for (const [name, requests] of Object.entries(LOADS)) {
    const rounds = { one: [], all: [] };
    for (const daemon of daemons) await put(requests, [daemon], tokens, redis);
    for (let round = 0; round < ROUNDS; round++) {
      rounds.one.push(await put(requests, daemons.slice(0, 1), tokens, redis));
      rounds.all.push(await put(requests, daemons, tokens, redis));
    }
    const of = (side, value) => median(rounds[side].map(value));
    const cores = (side) => [0, 1, 2].map((at) => of(side, (round) => round.cores[at]).toFixed(2)).join(" / ");
    rows.push([
      name,
      Math.round(of("one", ({ rate }) => rate)),
      Math.round(of("all", ({ rate }) => rate)),
      (of("all", ({ rate }) => rate) / of("one", ({ rate }) => rate)).toFixed(2),
      `${of("one", ({ p99 }) => p99)} / ${of("all", ({ p99 }) => p99)}`,
      cores("one"),
      cores("all"),
      ["one", "all"].map((side) => Math.round(of(side, ({ rate, cores: [used] }) => rate / used))).join(" / "),
    ]);
  }
  const share = CORES > 0 ? `, each daemon held to ${CORES} of a core` : "";
  console.log(`Redis with appendfsync ${FSYNC}, ${CONNECTIONS} connections, ${USERS} users${share}`);
  const heads = [
    "load",
    "req/s, 1 daemon",
    `req/s, ${DAEMONS}`,
    "ratio",
    "p99 ms",
    "cores: daemon / Redis / load",
    `${DAEMONS} daemons`,
    "req a daemons' CPU second",
  ];
  table(heads, rows);
} finally {
  await stopAll();
  for (const group of held) rmdirSync(group);
  await rm(folder, { recursive: true, force: true });
}
