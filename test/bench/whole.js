// All 13 operations over HTTP: throughput, p50, p99 and processor time a call, on memory, files and Redis, with 1, 16 and 64
// clients of a user each (on memory they share one user), by one daemon and by four. Beside each stands its floor, measured
// in turn with it: for a read a raw `node:http` server that sends the same bytes; for a write as many bare durable
// creations of the same size, one after the other (files: temp file, fsync, link, unlink, fsync of the folder; Redis:
// `SET NX` with `appendfsync always`). The clients share the machine's cores with the daemons.
// BENCH_STORAGES, BENCH_CLIENTS, BENCH_DAEMONS, BENCH_OPERATIONS choose some of them (lists with commas); BENCH_SECONDS and
// BENCH_ROUNDS how long; BENCH_BIN another build's `anp.js`.
import { randomUUID } from "node:crypto";
import { link, mkdir, mkdtemp, open, rm, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { createUsersOn, processorMs, start, stop, stopAll } from "./processes.js";
import { startRedis } from "./redis.js";
import { median, table } from "./report.js";

const list = (name, all) => (process.env[name] ?? all).split(",");
const STORAGES = list("BENCH_STORAGES", "memory,files,redis");
const CLIENTS = list("BENCH_CLIENTS", "1,16,64").map(Number);
const DAEMONS = list("BENCH_DAEMONS", "1,4").map(Number);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const WARM = 4; // Rounds that are not counted: a daemon runs for weeks, and V8 compiles what thousands of calls have asked for.
const BIN = process.env.BENCH_BIN ?? join(import.meta.dirname, "../../bin/anp.js");
const USERS = Math.max(...CLIENTS);

const question = (text) => JSON.stringify({ question: text });
const run = randomUUID();
let calls = 0;

/** `writes`: the durable creations that a call waits for, and their size in bytes; 0 for a read. */
const OPERATIONS = [
  { path: "/api/v1/ai/me", writes: 0 },
  { path: "/api/v1/ai/points", writes: 0 },
  { path: "/api/v1/ai/points/ledger?page_size=20", writes: 0 },
  { path: "/api/v1/ai/subscription", writes: 0 },
  { path: "/api/v1/ai/recommended-questions", writes: 0 },
  { path: "/api/v1/ai/hot-topics", writes: 0 },
  { path: "/api/v1/news/hot", writes: 0 },
  { path: "/api/v1/news/topics", writes: 0 },
  { path: "/api/v1/news/refresh?mode=view", writes: 0, body: () => "" },
  { path: "/api/v1/ai/events", writes: 1, bytes: 300, body: () => '{"event_type":"bench.view"}' },
  { path: "/api/v1/ai/points/exchange", writes: 1, bytes: 700, body: () => '{"token_amount":1}' },
  {
    path: "/api/v1/ai/points/trade-reward",
    writes: 1,
    bytes: 700,
    body: () => JSON.stringify({ trade_type: "spot", volume_usd: 500, ref_id: `${run}-${calls++}` }),
  },
  // One that the front page suggests, and one that nobody asked before.
  { path: "/api/v1/ai/chat/send", writes: 2, bytes: 1_200, body: () => question("What are the maker and taker fees?") },
  {
    path: "/api/v1/ai/chat/send",
    name: "chat/send, never asked",
    writes: 2,
    bytes: 1_200,
    body: () => question(`What are the maker and taker fees for order ${calls++}?`),
  },
].filter(({ path }) => list("BENCH_OPERATIONS", "/").some((part) => path.includes(part)));

const folder = await mkdtemp(join(process.env.BENCH_FOLDER ?? tmpdir(), "anp-bench-"));
async function startServer(args, ready, env) {
  const { child, found } = await start(process.execPath, args, ready, env);
  return { child, port: Number(found[1]) };
}

/** A connection that is kept, and sends one request after the other. */
async function openClient(port) {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let taken = Buffer.alloc(0);
  let answer;
  socket.on("data", (chunk) => {
    taken = taken.length === 0 ? chunk : Buffer.concat([taken, chunk]);
    const head = taken.indexOf("\r\n\r\n");
    if (head < 0) return;
    const text = taken.toString("latin1", 0, head);
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    if (!(taken.length >= head + 4 + length)) return;
    const body = taken.subarray(head + 4, head + 4 + length);
    taken = taken.subarray(head + 4 + length);
    answer.resolve({ status: Number(text.slice(9, 12)), text, body });
  });
  socket.on("close", () => answer?.reject(new Error("the connection was closed")));
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        answer = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

function requestOf({ path, body }, token) {
  if (body === undefined) return `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-User-Token: ${token}\r\n\r\n`;
  const text = body();
  const type = text === "" ? "" : "Content-Type: application/json\r\n";
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nX-User-Token: ${token}\r\n${type}Content-Length: ${text.length}\r\n\r\n${text}`;
}

/** How often `work(client)` ends with so many at it at once, and how long one took, ms. */
async function rate(works) {
  const times = [];
  const from = performance.now();
  const until = from + SECONDS * 1000;
  const client = async (work) => {
    for (let begun = performance.now(); begun < until;) {
      await work();
      const ended = performance.now();
      times.push(ended - begun);
      begun = ended;
    }
  };
  await Promise.all(works.map(client));
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { calls: times.length, rate: (times.length / (performance.now() - from)) * 1000, p50: at(0.5), p99: at(0.99) };
}

/** Asks an operation of daemons with so many clients, spread over them. */
async function askAll(operation, ports, pids, tokens, clients) {
  const open = await Promise.all(Array.from({ length: clients }, (_, n) => openClient(ports[n % ports.length])));
  const used = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const before = used();
  const works = open.map((client, n) => async () => {
    const { status, body } = await client.ask(requestOf(operation, tokens[n % tokens.length]));
    if (status !== 200) throw new Error(`${operation.path}: ${status} ${body}`);
  });
  const result = await rate(works);
  const cpu = (used() - before) / result.calls;
  for (const client of open) client.close();
  return { ...result, cpu };
}

/** The bytes of an operation's answer from a raw server. */
async function rawServer(operation, port, token) {
  const client = await openClient(port);
  const { text, body } = await client.ask(requestOf(operation, token));
  client.close();
  const headers = { "content-type": /content-type: (.*)/i.exec(text)[1], "x-request-id": randomUUID() };
  const answers = JSON.stringify({ [operation.path]: { headers, body: body.toString() } });
  return startServer([join(import.meta.dirname, "raw-server.js"), answers], /:(\d+)\n/);
}

async function createOnFiles(base, n, text) {
  const temporary = join(base, `.${n}.tmp`);
  const file = await open(temporary, "w");
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await link(temporary, join(base, `${n}.json`));
  await unlink(temporary);
  const directory = await open(base, "r");
  await directory.sync();
  await directory.close();
}

/** As many bare creations as a call of the operation makes, for each client. */
async function bareWrites({ writes, bytes }, kind, clients, redis) {
  const text = "x".repeat(bytes);
  const works = Array.from({ length: clients }, async () => {
    const base = join(folder, `bare-${randomUUID()}`);
    if (kind === "files") await mkdir(base);
    const create = (n) => (kind === "files" ? createOnFiles(base, n, text) : redis.set(`${base}:${n}`, text, "NX"));
    return async () => {
      for (let left = writes; left > 0; left--) await create(calls++);
    };
  });
  return Promise.all(works);
}

const ENV = { ANP_LIMITS_WAIT_MS: "0" };
for (const group of ["CHAT", "POINTS", "EVENTS", "REFRESH", "PUBLIC"]) ENV[`ANP_LIMITS_RATES_${group}_REQUESTS`] = "0";

/** Daemons on a storage, and a token for each client. */
async function startDaemons(count, url) {
  const args = [BIN, "serve", "--demo", "--port", "0", "--log-level", "error", "--storage", url];
  const daemons = [];
  for (let n = 0; n < count; n++) daemons.push(await startServer(args, /listens on http:\/\/\S+:(\d+)/, ENV));
  if (url === "memory:") return { daemons, tokens: ["demo-token"] };
  const names = Array.from({ length: USERS }, (_, n) => `bench-${count}-${n}`);
  return { daemons, tokens: await createUsersOn(url, names) };
}

/** Measures one operation with each number of clients, in turn with its floor. */
async function measure(operation, kind, { daemons, tokens }, redis) {
  const ports = daemons.map(({ port }) => port);
  const pids = daemons.map(({ child }) => child.pid);
  const raw = operation.writes === 0 ? await rawServer(operation, ports[0], tokens[0]) : undefined;
  for (let left = WARM; left > 0; left--) await askAll(operation, ports, pids, tokens, Math.max(...CLIENTS));
  const rows = [];
  for (const clients of CLIENTS) {
    const floors = [];
    const results = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (raw !== undefined) floors.push(await askAll(operation, [raw.port], [raw.child.pid], tokens, clients));
      else if (kind !== "memory") floors.push(await rate(await bareWrites(operation, kind, clients, redis)));
      results.push(await askAll(operation, ports, pids, tokens, clients));
    }
    const of = (name) => median(results.map((result) => result[name]));
    const floor = floors.length === 0 ? undefined : median(floors.map((result) => result.rate));
    rows.push([
      kind,
      daemons.length,
      operation.name ?? operation.path.replace(/^\/api\/v1|\?.*/g, ""),
      clients,
      Math.round(of("rate")),
      floor === undefined ? "" : (of("rate") / floor).toFixed(2),
      of("p50").toFixed(2),
      of("p99").toFixed(2),
      of("cpu").toFixed(3),
    ]);
  }
  if (raw !== undefined) await stop(raw.child);
  return rows;
}

try {
  for (const kind of STORAGES) {
    for (const count of DAEMONS) {
      if (kind === "memory" && count > 1) continue;
      const server = kind === "redis" ? await startRedis(folder, "always") : undefined;
      const client = server && new Redis({ port: server.port, host: "127.0.0.1" });
      const url = { memory: "memory:", files: `fs:${join(folder, `files-${count}`)}`, redis: server?.url }[kind];
      const started = await startDaemons(count, url);
      const rows = [];
      for (const operation of OPERATIONS) rows.push(...(await measure(operation, kind, started, client)));
      table(["storage", "daemons", "operation", "clients", "a second", "of floor", "p50 ms", "p99 ms", "CPU ms"], rows);
      for (const { child } of started.daemons) await stop(child);
      client?.disconnect();
      await server?.stop();
    }
  }
} finally {
  await stopAll();
  await rm(folder, { recursive: true, force: true });
}
