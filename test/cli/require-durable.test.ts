import { statfs } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { anp, serveHere } from "./anp.ts";
import { SMALL_WORLD } from "../support/program.ts";

/** A server that syncs every write to a disk that others keep busy may be slower than a daemon waits for it by default. */
const SLOW_DISK = { timeout_ms: "30000" };

/** The number that statfs(2) gives for a folder in memory. */
const TMPFS = 0x1021994;

let ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ending.reverse()) await end();
  ending = [];
});

async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  ending.push(() => folder.remove());
  return folder.path;
}

it("refuses to serve from memory when what is acknowledged must last", async () => {
  const cwd = await newFolder();
  const { code, stderr } = await anp(["serve", "--storage", "memory:", "--require-durable", "--port", "0"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "error: memory: may lose acknowledged data:\n" +
      "  durability: Everything is kept in this process's memory. May lose everything, when the process ends. " +
      "Remedy: Use --storage fs:FOLDER or redis://HOST:PORT for data that must last.\n",
  );
});

it("refuses to serve from a folder in memory when what is acknowledged must last", async ({ skip }) => {
  const cwd = await newFolder();
  if ((await statfs(cwd)).type !== TMPFS) skip("the machine has no room in memory");
  const { code, stderr } = await anp(["serve", "--storage", "fs:data", "--require-durable", "--port", "0"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain("May lose everything, when the machine restarts: the folder is in memory.");
});

describe.skipIf(noRedis !== undefined)("on a Redis", () => {
  it("warns of what may be lost, refuses with --require-durable, and serves once it is fixed", async () => {
    const cwd = await newFolder();
    const server = await startRedis();
    ending.push(() => server.stop());
    const args = ["--storage", server.url(SLOW_DISK), ...SMALL_WORLD];

    const warned = await serveHere([...args, "--log-level", "warn"], { cwd });
    ending.push(() => warned.end());
    await warned.says('"subject":"appendonly"');
    const line = warned.log().split("\n").find((text) => text.includes('"subject":"appendonly"')); // prettier-ignore
    expect(JSON.parse(line!)).toMatchObject({
      level: "warn",
      subject: "appendonly",
      loses: "everything since the last snapshot, when the server stops",
      remedy: "CONFIG SET appendonly yes, and in redis.conf: appendonly yes",
    });

    const refused = await anp(["serve", ...args, "--require-durable", "--port", "0"], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("appendonly: appendonly is off");

    const info = async (): Promise<unknown> =>
      JSON.parse((await anp(["storage", "info", "--storage", server.url(SLOW_DISK), "--json"], { cwd })).stdout);
    const loses = "everything since the last snapshot, when the server stops";
    expect(await info()).toMatchObject({ durable: false, may_lose: loses });
    await server.command("CONFIG", "SET", "appendonly", "yes");
    await server.command("CONFIG", "SET", "appendfsync", "always");
    const durable = await serveHere([...args, "--require-durable", "--log-level", "info"], { cwd });
    ending.push(() => durable.end());
    expect(durable.log()).not.toContain('"level":"warn"');
    expect(await info()).toMatchObject({ durable: true, may_lose: null });
  });

  it("reports when the server is a weaker one than at the start, serves nothing from an emptied one, and goes on when it is accepted", async () => {
    const server = await startRedis({ config: { appendonly: "yes", appendfsync: "always" } });
    ending.push(() => server.stop());
    const args = ["--storage", server.url(SLOW_DISK), ...SMALL_WORLD, "--log-level", "info"];
    const daemon = await serveHere(args, { cwd: await newFolder() });
    ending.push(() => daemon.end());
    const risks = async (): Promise<string | undefined> =>
      /^anp_storage_risks (.*)$/m.exec(await (await fetch(`${daemon.url}/metrics`)).text())?.[1];
    expect(await risks()).toBe("0");

    // The same server with the same data is not reported.
    await server.command("CLIENT", "KILL", "TYPE", "normal");
    await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    await server.command("CLIENT", "KILL", "TYPE", "normal");
    await daemon.says("storage: allkeys-lru");
    expect(daemon.log()).not.toContain("the storage is not the one");
    await until("the risk is counted", async () => (await risks()) === "1");

    const ready = async (): Promise<number> => (await fetch(`${daemon.url}/readyz`)).status;
    await server.command("FLUSHALL");
    await server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    await daemon.says('"msg":"the storage is lost"');
    expect(await ready()).toBe(503);
    const balance = await fetch(`${daemon.url}/api/v1/ai/points`, { headers: { "x-user-token": "demo-token" } });
    expect(balance.status).toBe(503);
    expect(await server.command("DBSIZE")).toBe(0);

    const accepted = await anp(["storage", "accept", "--storage", server.url(), "--yes"], { cwd: process.cwd() });
    expect(accepted.code, accepted.stderr).toBe(0);
    await daemon.says('"msg":"the storage is back"');
    await until("it is ready", async () => (await ready()) === 200);
    await daemon.says("storage: resolved: allkeys-lru");
    await until("it is counted no more", async () => (await risks()) === "0");
    expect(daemon.log().match(/"level":"error"/g)).toHaveLength(1);
  });
});
