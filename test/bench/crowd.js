// What a well-behaved user and a health check see while very many others are there: bodies that never come, idle
// connections, and clients who ask without a pause. The crowd has a process of its own (`crowd-clients.js`); what the daemon
// did with its questions is measured there too (`crowd-answers.js`). BENCH_BIN names another build to compare with.
import { fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTokens } from "../../dist/accounts/tokens.js";
import { createUsers } from "../../dist/accounts/users.js";
import { systemClock } from "../../dist/runtime/clock.js";
import { systemRandom } from "../../dist/runtime/random.js";
import { openStorage } from "../../dist/storage/open-storage.js";
import { table } from "./report.js";

const SIZES = {
  stalled: Number(process.env.BENCH_STALLED ?? 4000),
  idle: Number(process.env.BENCH_IDLE ?? 10_000),
  active: Number(process.env.BENCH_CLIENTS ?? 4000),
};
const USERS = Number(process.env.BENCH_USERS ?? 400);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const tokens = await createCrowd();
const daemon = await startDaemon();
const crowd = fork(join(import.meta.dirname, "crowd-clients.js"));
process.once("exit", () => {
  daemon.child.kill("SIGKILL");
  crowd.kill();
});

const rows = [];
rows.push(["nobody else", ...(await watched(5)), "", "", "", "", ""]);
for (const [name, message] of [
  [`${SIZES.stalled} stalled bodies`, { stalled: SIZES.stalled }],
  [`and ${SIZES.idle} idle connections`, { idle: SIZES.idle }],
  [`and ${SIZES.active} clients`, { active: SIZES.active }],
]) {
  crowd.send({ ...message, url: daemon.url, tokens });
  await heard("ready");
  const seen = await watched(SECONDS);
  crowd.send({ report: true });
  const { accepted, refused, others } = await heard("report");
  daemon.child.send("report");
  const there = await heard("answers", daemon.child);
  const answers = [accepted, there.accepted, refused, there.refused].map(summary);
  rows.push([name, ...seen, ...answers, JSON.stringify(others)]);
}
crowd.kill();
const from = performance.now();
let since = 0;
for (let n = 0; n < 50; n++) {
  const ms = await ask("/api/v1/ai/me");
  if (ms > 50) since = performance.now() - from;
}
rows.push(["after they left", ...(await watched(3)), "", "", "", "", ""]);
const seenBy = ["answered", "in the daemon", "refused with 429", "in the daemon", "other statuses"];
table(["", "/healthz p50 / p99 / max ms", "/me", "RSS MB", ...seenBy], rows);
console.log(`no /me took longer than 50 ms from ${Math.round(since)} ms after they left`);
daemon.child.kill();
await rm(folder, { recursive: true, force: true });

/** Users with points and a token each; the first is the well-behaved one. */
async function createCrowd() {
  const storage = await openStorage(`fs:${folder}`);
  const users = createUsers({ storage, clock: systemClock, ttl_ms: 0 });
  const issuer = createTokens({ storage, clock: systemClock, random: systemRandom, ttl_ms: 0 });
  const issued = [];
  for (let n = 0; n <= USERS; n++) {
    await users.create(`crowd-${n}`, { free_daily_quota: 1_000_000_000 });
    issued.push((await issuer.issue(`crowd-${n}`)).secret);
  }
  await storage.close();
  return issued;
}

function startDaemon() {
  const bin = process.env.BENCH_BIN ?? join(import.meta.dirname, "../../bin/anp.js");
  const args = ["--import", join(import.meta.dirname, "crowd-answers.js"), bin, "serve", "--demo", "--port", "0"];
  const child = spawn(process.execPath, [...args, "--storage", `fs:${folder}`], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr.on("data", (chunk) => {
      text = `${text}${chunk}`.slice(-10_000);
      const url = /listens on (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
    child.on("exit", (code) => reject(new Error(`the daemon ended with ${code}: ${text}`)));
  });
}

async function ask(path) {
  const began = performance.now();
  const response = await fetch(daemon.url + path, { headers: { "x-user-token": tokens[0] } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - began;
}

/** Latencies of a check of the health and of a user who comes 20 times a second, and the daemon's memory. */
async function watched(seconds) {
  const times = { "/healthz": [], "/api/v1/ai/me": [] };
  let memory = 0;
  for (const until = performance.now() + seconds * 1000; performance.now() < until;) {
    for (const path of Object.keys(times)) times[path].push(await ask(path));
    memory = Math.max(
      memory,
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.child.pid}/status`, "utf8"))[1]),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return [...Object.values(times).map(summary), Math.round(memory / 1024)];
}

function summary(times) {
  if (times.length === 0) return "none";
  const sorted = times.sort((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return `${at(0.5)} / ${at(0.99)} / ${at(1)} (${sorted.length})`;
}

function heard(type, from = crowd) {
  return new Promise((resolve, reject) => {
    const hear = (message) => {
      if (message.type !== type) return;
      from.off("message", hear);
      resolve(message);
    };
    from.on("message", hear);
    from.once("exit", () => reject(new Error(`nobody sends ${type} any more`)));
  });
}
