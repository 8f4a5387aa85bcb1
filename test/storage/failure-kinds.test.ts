import fs from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFileDamage } from "../../src/storage/fs/durable-files.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { isRedisDamage } from "../../src/storage/redis/redis-errors.ts";
import { CorruptionError, isOutage, type Key, type Storage } from "../../src/storage/storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";

/** What each failure of a file system call must be taken for, unless it is an outage. */
const FILES: Readonly<Record<string, "absent" | "damage">> = {
  ENOENT: "absent",
  EISDIR: "damage",
  ERR_FS_FILE_TOO_LARGE: "damage",
  ERR_STRING_TOO_LONG: "damage",
};
const CODES = [...Object.keys(constants.errno), "ERR_FS_FILE_TOO_LARGE", "ERR_STRING_TOO_LONG", "ERR_NEW", "UNKNOWN"];

/** The error replies of Redis 6 and 7, by their first words. */
const REPLIES = [
  "WRONGTYPE Operation against a key holding the wrong kind of value",
  "ERR unknown command 'GET', with args beginning with: ",
  "ERR Error running script (call to f_0f4c): @user_script:9: WRONGTYPE",
  "LOADING Redis is loading the dataset in memory",
  "BUSY Redis is busy running a script.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
  "READONLY You can't write against a read only replica.",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "NOREPLICAS Not enough good replicas to write.",
  "CLUSTERDOWN The cluster is down",
  "CROSSSLOT Keys in request don't hash to the same slot",
  "TRYAGAIN Multiple keys request during rehashing of slot",
  "MOVED 3999 127.0.0.1:6381",
  "ASK 3999 127.0.0.1:6381",
  "NOAUTH Authentication required.",
  "WRONGPASS invalid username-password pair or user is disabled.",
  "NOPERM this user has no permissions to run the 'get' command",
  "NOSCRIPT No matching script.",
  "EXECABORT Transaction discarded because of previous errors.",
  "UNKILLABLE Sorry the script already executed write commands",
  "IOERR error or timeout reading to target instance",
  "NEWWORD that a later version says",
  "",
];

const VALUE: Key = ["users", "alice", "profile"];

/** What a read came to, as its caller sees it. */
async function outcome(read: Promise<unknown>): Promise<string> {
  try {
    return (await read) === undefined ? "absent" : "value";
  } catch (error) {
    return isOutage(error) ? "outage" : error instanceof CorruptionError ? `damage of ${error.key}` : String(error);
  }
}

describe("failures of files", () => {
  async function openFiles(): Promise<{ path: string; storage: Storage }> {
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, "data");
    const storage = await openStorage(`fs:${path}`);
    await storage.put(VALUE, "{}");
    return { path, storage };
  }

  it.each(CODES)("sorts %s", (code) => {
    expect(isFileDamage(Object.assign(new Error(code), { code }))).toBe(FILES[code] === "damage");
  });

  it("takes an error without a code for an outage", () => {
    expect([isFileDamage(new Error("odd")), isFileDamage("odd"), isFileDamage(undefined)]).toEqual(
      Array(3).fill(false),
    );
  });

  it.each([
    ["an entry's size", 2],
    ["a snapshot's size", 100_000],
  ])("reports every one of them as sorted to a caller who reads a value of %s", async (_size, bytes) => {
    const { storage } = await openFiles();
    await storage.put(VALUE, JSON.stringify("x".repeat(bytes - 2)));
    const { readFile, readFileSync, readSync } = fs;
    onTestFinished(() => {
      Object.assign(fs, { readFile, readFileSync, readSync });
      syncBuiltinESMExports();
    });
    for (const code of CODES) {
      const failure = (): Error => Object.assign(new Error(code), { code });
      Object.assign(fs, {
        readFile(...args: unknown[]): void {
          (args.at(-1) as (error: Error) => void)(failure());
        },
        readFileSync() {
          throw failure();
        },
        readSync() {
          throw failure();
        },
      });
      syncBuiltinESMExports();
      const kind = FILES[code] ?? "outage";
      const expected = kind === "damage" ? "damage of users/alice/profile" : kind;
      expect([code, await outcome(storage.get(VALUE)), await outcome(storage.getMany([VALUE]))]).toEqual([
        code,
        expected,
        kind === "absent" ? "value" : expected,
      ]);
    }
  });

  it("takes a file in the place of a folder, the storage's own or one below it, for an outage on every Node.js", async () => {
    for (const place of ["", "users", "users/alice"]) {
      const { path, storage } = await openFiles();
      await rm(join(path, place), { recursive: true });
      await writeFile(join(path, place), "");
      const calls = {
        get: () => storage.get(VALUE),
        has: () => storage.has(VALUE),
        getMany: () => storage.getMany([VALUE]),
        create: () => storage.create(VALUE, "{}"),
        put: () => storage.put(VALUE, "{}"),
      };
      for (const [name, call] of Object.entries(calls))
        expect(await outcome(call()), `${name}, ${place}`).toBe("outage");
      const listing = storage.keys(["users", "alice"])[Symbol.asyncIterator]();
      expect(await outcome(listing.next())).toBe("outage");
    }
  });

  it("takes a folder in the place of a file for damage of that key", async () => {
    const { path, storage } = await openFiles();
    await mkdir(join(path, "users/alice/subscription.json"));
    expect(await outcome(storage.get(["users", "alice", "subscription"]))).toBe("damage of users/alice/subscription");
    expect(await outcome(storage.get(VALUE))).toBe("value");
  });

  it("takes a link that leads to itself for an outage, and a folder that is not there for absence", async () => {
    const { path, storage } = await openFiles();
    await symlink("loop.json", join(path, "users/alice/loop.json"));
    expect(await outcome(storage.get(["users", "alice", "loop"]))).toBe("outage");
    expect(await outcome(storage.get(["users", "nobody", "deep", "down"]))).toBe("absent");
    await rm(path, { recursive: true });
    expect(await outcome(storage.get(VALUE))).toBe("absent");
  });
});

describe("failures of Redis", () => {
  it.each(REPLIES)("sorts %s", (message) => {
    expect(isRedisDamage(new Error(message))).toBe(message.startsWith("WRONGTYPE"));
  });

  it.skipIf(noRedis !== undefined)("takes a value of another type for damage of its key", async () => {
    const server = await startRedis();
    const storage = await openStorage(server.url());
    onTestFinished(async () => {
      await storage.close();
      await server.stop();
    });
    await server.command("RPUSH", "anp:{users:alice}:profile", "1");
    for (const call of [() => storage.get(VALUE), () => storage.create(VALUE, "{}")]) {
      expect(await outcome(call())).toBe("damage of users/alice/profile");
    }
    expect(await outcome(storage.has(VALUE))).toBe("value");
  });
});
