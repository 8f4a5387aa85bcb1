// An idle daemon on files: how long until it is ready, how much memory it holds, and again after load.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { median, table } from "./report.js";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const IDLE_MS = 5000;
const bin = join(import.meta.dirname, "../../bin/anp.js");

/** Starts a daemon; its URL, and the milliseconds until it said that it listens. */
function start(args) {
  const from = performance.now();
  const child = spawn(process.execPath, [bin, "serve", "--port", "0", ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr.on("data", (chunk) => {
      if (text.length < 10_000) text += chunk;
      const url = /anp listens on (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve({ child, url, ms: performance.now() - from });
    });
    child.on("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}

/** Resident memory of a process in MB. */
function rss({ child }) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1000;
}

const rows = [];
for (const [name, args] of [
  ["no configuration, empty folder", []],
  ["no configuration, the same folder again", []],
  ["the demo, its folder again", ["--demo"]],
]) {
  const times = { ready: [], idle: [], loaded: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
    const on = [...args, "--storage", `fs:${folder}`];
    if (name.endsWith("again")) {
      const { child } = await start(on);
      child.removeAllListeners("exit");
      await new Promise((resolve) => child.once("exit", resolve).kill());
    }
    const daemon = await start(on);
    daemon.child.removeAllListeners("exit");
    times.ready.push(daemon.ms);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    times.idle.push(rss(daemon));
    await autocannon({ url: `${daemon.url}/api/v1/news/hot`, connections: 32, duration: 2 });
    times.loaded.push(rss(daemon));
    // It may write until its end.
    await new Promise((resolve) => daemon.child.once("exit", resolve).kill());
    await rm(folder, { recursive: true, force: true });
  }
  rows.push([
    name,
    Math.round(median(times.ready)),
    "≤ 600",
    Math.round(median(times.idle)),
    "≤ 120",
    Math.round(median(times.loaded)),
  ]);
}
table(["daemon", "ready after ms", "asked", "MB idle", "asked", "MB after load"], rows);
