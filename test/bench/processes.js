// What the benches share that start processes: starting them, their processor time, and users on their storage.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createTokens } from "../../dist/accounts/tokens.js";
import { createUsers } from "../../dist/accounts/users.js";
import { systemClock } from "../../dist/runtime/clock.js";
import { systemRandom } from "../../dist/runtime/random.js";
import { openStorage } from "../../dist/storage/open-storage.js";

const children = [];

/** Starts a process and waits until it prints what matches `ready`; resolves to it and the match. */
export function start(command, args, ready, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    children.push(child);
    let text = "";
    const hear = (chunk) => {
      if (text.length < 20_000) text += chunk;
      const found = ready.exec(text);
      if (found !== null) resolve({ child, found });
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}: ${text}`)));
  });
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await closed;
}

/** Ends all that were started, the last one first. */
export async function stopAll() {
  for (const child of children.toReversed()) await stop(child);
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Processor time that a process has used, ms (Linux counts in ticks of 10 ms). */
export function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Creates users who never run out of free uses; a token of each. */
export async function createUsersOn(url, names) {
  const storage = await openStorage(url);
  const users = createUsers({ storage, clock: systemClock, ttl_ms: 0 });
  const issuer = createTokens({ storage, clock: systemClock, random: systemRandom, ttl_ms: 0 });
  const tokens = [];
  for (const name of names) {
    await users.create(name, { free_daily_quota: 1_000_000_000 });
    tokens.push((await issuer.issue(name)).secret);
  }
  await storage.close();
  return tokens;
}
