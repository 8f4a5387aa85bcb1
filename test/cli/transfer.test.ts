import { EventEmitter } from "node:events";
import { mkdir, symlink, truncate, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checksummed } from "../../src/backup/checksummed-lines.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { allOf, fillLedgers, USERS } from "../support/ledgers.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import type { Ended } from "../support/program.ts";
import { anp, shell } from "./anp.ts";

const ENTRIES = 30;
const NOW = "2026-11-20T00:00:00.000Z";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;
/** What `storage export` prints of the storage `fs:data`. */
let backup: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  const storage = await openStorage(`fs:${join(cwd, "data")}`);
  await fillLedgers(storage, ENTRIES);
  await storage.close();
  backup = await done("storage export --storage fs:data");
  await writeFile(join(cwd, "backup"), backup);
});

afterAll(() => folder.remove());

/** Runs a command of plain words, on this input. */
function run(line: string, input?: string): Promise<Ended> {
  return anp(line.split(" "), input === undefined ? { cwd } : { cwd, input });
}

/** What it prints when it succeeds. */
async function done(line: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(line, input);
  expect([code, stderr], line).toEqual([0, ""]);
  return stdout;
}

/** All of a storage but its identity. */
async function contentOf(url: string): Promise<[string, string][]> {
  const storage = await openStorage(url.replace(/^fs:/, `fs:${cwd}/`));
  try {
    return [...(await allOf(storage))].filter(([key]) => !key.startsWith("ready/"));
  } finally {
    await storage.close();
  }
}

async function linesOf(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) text += `${line}\n`;
  return text;
}

describe.skipIf(noRedis !== undefined)("between files and a Redis", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  const on = (prefix: string): string => redis.url({ prefix });

  it("copies everything to a Redis and back, byte for byte", async () => {
    const to = on("all");
    const there = await anp(["storage", "copy", "--storage", "fs:data", "--to", to], { cwd });
    expect([there.code, there.stderr]).toEqual([0, ""]);
    expect(there.stdout).toMatch(new RegExp(`\t0\t3\t${3 * ENTRIES}\t3\n$`));
    const back = `anp storage export --storage '${to}' | anp storage import - --storage fs:back`;
    const { code, stderr } = await shell(`set -o pipefail; ${back}`, cwd);
    expect([code, stderr]).toEqual([0, ""]);
    expect(await contentOf("fs:back")).toEqual(await contentOf("fs:data"));
    expect(await contentOf("fs:data")).toEqual(await contentOf(to));
  });

  it("reports the damage of every user's ledger on a Redis", async () => {
    const to = on("all");
    const storage = await openStorage(to);
    await storage.put(["users", "alice", "ledger", "0", "7"], "{}");
    await storage.put(["users", "Ümit/1", "profile"], "?");
    await storage.close();
    const { code, stdout, stderr } = await anp(["ledger", "verify", "--all", "--storage", to], { cwd });
    expect(code).toBe(1);
    expect(stdout.match(/\tfault\t/g)).toHaveLength(2);
    expect(stdout).toContain(`${USERS[2]}\t${ENTRIES}\t`);
    expect(stderr).toMatch(/^error: alice: entry 7: .*users\/alice\/ledger\/0\/7.*\nÜmit\/1: .*profile.*\n$/);
  });

  it.each(["copy", "import"])("says what was written by %s into a full storage", async (verb) => {
    const source = verb === "copy" ? ["copy", "--storage", "fs:data", "--to"] : ["import", "backup", "--storage"];
    const full = await startRedis();
    const to = full.url();
    const fails = async () => {
      const { code, stdout, stderr } = await anp(["storage", ...source, to], { cwd });
      expect([code, stdout]).toEqual([6, ""]);
      return stderr;
    };
    try {
      await full.command("CONFIG", "SET", "maxmemory", 1);
      expect(await fails()).toMatch(/^error: .*\nNothing was written\.\n/);
      expect(await full.command("DBSIZE")).toBe(0);
      const used = /^used_memory:(\d+)/m.exec(String(await full.command("INFO", "memory")))![1];
      await full.command("CONFIG", "SET", "maxmemory", Number(used) + 150_000);
      const stderr = await fails();
      const unfinished = `No other command works on it until the same ${verb} is run again and completes.`;
      const restored = /\nThe storage is incomplete: (\d+) values were restored\. (.*)\n/.exec(stderr);
      const found = (await full.command("KEYS", "*")) as string[];
      const keys = found.filter((key) => !/\b(?:ready|import):/.test(key)); // Those are the storage's own.
      expect(keys.length).toBeGreaterThan(0);
      expect([Number(restored![1]), restored![2]]).toEqual([keys.length, unfinished]);
      await full.command("CONFIG", "SET", "maxmemory", 0);
      expect((await anp(["storage", ...source, to], { cwd })).code).toBe(0);
    } finally {
      await full.stop();
    }
  });

  it("names the storage that cannot be reached", async () => {
    const gone = `redis://127.0.0.1:1/0`;
    const { code, stderr } = await run(`storage import - --storage ${gone}`, backup);
    expect(code).toBe(6);
    expect(stderr).toContain("127.0.0.1:1");
  });
});

it("leaves the last line out of an export that lacks an entry, and names it", async () => {
  await done("storage copy --storage fs:data --to fs:lost");
  await rm(join(cwd, "lost/users/alice/ledger/0"), { recursive: true });
  const ended = await run("storage export --storage fs:lost");
  expect([ended.code, ended.stdout.includes("anp_export_end")]).toEqual([1, false]);
  expect(ended.stdout).toContain('{"key":"users:alice:profile"');
  expect(ended.stderr).toMatch(
    /^error: The source storage is damaged\. Everything else was written\.\nThe stored value of users\/alice\/ledger\/0\/\d+ is damaged: the item is missing, .*\n$/,
  );
  expect((await run("storage import - --storage fs:cut-off", ended.stdout)).stderr).toContain("was cut off");
});

it("writes nothing from a pipe that was cut off, and leaves no temporary file", async () => {
  await mkdir(join(cwd, "tmp"));
  const cut = await shell(
    "export TMPDIR=$PWD/tmp; anp storage export --storage fs:data | head -c 30000 | anp storage import - --storage fs:cut",
    cwd,
  );
  expect([cut.code, cut.stdout]).toEqual([1, ""]);
  expect(cut.stderr).toMatch(/cut off: it ends in line \d+.*\nNothing was written\.\n$/);
  expect(await contentOf("fs:cut")).toEqual([]);
  expect(await readdir(join(cwd, "tmp"))).toEqual([]);
  const { code, stderr } = await shell("anp storage import <(cat backup) --storage fs:cut", cwd);
  expect([code, stderr]).toEqual([0, ""]);
  await done("ledger verify --all --storage fs:cut");
});

it("writes nothing from a backup that was cut off or changed, and restores the right one afterwards", async () => {
  // A changed key would stay beside the right one for ever.
  const changed = backup.replace("users:alice:profile", "users:mallory:profile");
  await writeFile(join(cwd, "changed"), changed);
  await writeFile(join(cwd, "backup-cut"), backup.slice(0, 30_000));
  const mismatch = /the checksum in its last line does not match its \d+ lines\.\nNothing was written\.\n$/;
  for (const [file, input, says] of [
    ["changed", "", mismatch],
    ["-", changed, mismatch],
    ["backup-cut", "", /cut off: it ends in line \d+.*\nNothing was written\.\n$/],
  ] as const) {
    const { code, stderr } = await run(`storage import ${file} --storage fs:from-backup`, input);
    expect(code).toBe(1);
    expect(stderr).toMatch(says);
    expect(await contentOf("fs:from-backup")).toEqual([]);
  }
  await done("storage import - --storage fs:from-backup", backup);
  expect(await contentOf("fs:from-backup")).toEqual(await contentOf("fs:data"));
});

it("names the remedy for a backup that is compressed", async () => {
  await writeFile(join(cwd, "backup.gz"), gzipSync(backup));
  const { code, stderr } = await run("storage import backup.gz --storage fs:from-gzip");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/It is gzip: use `gunzip < FILE \| anp storage import -`\.\nNothing was written\.\n$/),
  ]);
});

it("goes on with an import that was interrupted, and says so", async () => {
  const signals = new EventEmitter();
  let begun = 0;
  // The first work checks the input, the second writes.
  signals.on("newListener", (name) => {
    if (name === "SIGINT" && ++begun === 2) queueMicrotask(() => signals.emit("SIGINT", "SIGINT"));
  });
  const args = ["storage", "import", "backup", "--storage", "fs:paused"];
  const { code, stderr } = await anp(args, { cwd, signals });
  expect([code, stderr]).toEqual([
    130,
    expect.stringMatching(
      /^error: Interrupted: (\d+) of \d+ values restored, \d+ %.*\. The storage is incomplete\. No other /,
    ),
  ]);
  const again = JSON.parse(await done("storage import backup --storage fs:paused --json")) as { already_there: number };
  expect(again.already_there).toBe(Number(/(\d+) of/.exec(stderr)![1]));
});

it("refuses other commands on a storage that is not completely restored", async () => {
  // As a kill leaves it.
  await shell("mkdir -p part/import && echo -n {} > part/import/unfinished.json && cp -r data/users part", cwd);
  expect((await run("storage import - --storage fs:part", backup.slice(0, 30_000))).code).toBe(1);
  for (const args of ["quota alice", "serve --port 0", "storage export"]) {
    const { code, stdout, stderr } = await run(`${args} --storage fs:part`);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("The import or copy into this storage is not finished.");
  }
  const doctor = await run("doctor --storage fs:part");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/^storage\tcontents\terror\tThis storage is incomplete: /m);
  await done("storage import - --storage fs:part", backup);
  expect(await contentOf("fs:part")).toEqual(await contentOf("fs:data"));
  const again = await run("storage copy --storage fs:data --to fs:part");
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/^error: The storage fs:part is not empty: .*\n$/),
  ]);
});

it("refuses a key that leads out of the storage, and writes nothing", async () => {
  await mkdir(join(cwd, "deep/in"), { recursive: true });
  const evil = ["..:..:evil", "a:/evil", "a:..\\evil"];
  for (const key of evil) {
    const lines = await linesOf(checksummed("storage", NOW, Readable.from([JSON.stringify({ key, value: "{}" })])));
    await writeFile(join(cwd, "evil.jsonl"), lines);
    const { code, stderr } = await anp(["storage", "import", "evil.jsonl", "--storage", "fs:deep/in/evil"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Line 2 is not a line of a storage export: ${JSON.stringify(key)} is not a key that anp writes.`,
    );
    expect(
      (await readdir(join(cwd, "deep"), { recursive: true })).filter((name) => name.endsWith("evil.json")),
    ).toEqual([]);
  }
});

it("leaves the last line out of an export of values that were cut off, and names them", async () => {
  await done("storage copy --storage fs:data --to fs:shortened");
  await truncate(join(cwd, "shortened/users/alice/profile.json"), 60);
  await truncate(join(cwd, "shortened/users/alice/ledger/0/7.json"), 100);
  const ended = await run("storage export --storage fs:shortened");
  expect([ended.code, ended.stdout.includes("anp_export_end")]).toEqual([1, false]);
  expect(ended.stderr).toContain("The stored value of users/alice/profile is damaged: ");
  expect(ended.stderr).toContain("The stored value of users/alice/ledger/0/7 is damaged: ");
});

it.each(["copy", "import"])("finds after %s what the verification of all ledgers finds", async (verb) => {
  await done("storage copy --storage fs:data --to fs:wrong");
  const storage = await openStorage(`fs:${cwd}/wrong`);
  await storage.put(["users", "alice", "subscription"], '{"plan":7}');
  await storage.put(["tokens", "0".repeat(64)], "{}");
  await storage.close();
  const archive = await done("storage export --storage fs:wrong");
  const verified = await run("ledger verify --all --storage fs:wrong");
  const line = { copy: "copy --storage fs:wrong --to fs:again-copy", import: "import - --storage fs:again-import" }[
    verb
  ];
  const { code, stderr } = await run(`storage ${line!}`, verb === "copy" ? undefined : archive);
  expect([code, stderr]).toEqual([
    1,
    verified.stderr.replace("error: ", "error: Everything was restored, but some of it is damaged.\n"),
  ]);
  expect(verified.stderr).toMatch(/^error: alice: .*subscription.*\n.*tokens\/0{64}.*\n$/);
  await rm(join(cwd, "wrong"), { recursive: true });
});

it("refuses to copy a storage of files into itself, around itself, or onto itself", async () => {
  await mkdir(join(cwd, "outer"), { recursive: true });
  await done("storage copy --storage fs:data --to fs:outer/inner");
  await symlink(join(cwd, "outer/inner"), join(cwd, "link"));
  const before = (await readdir(join(cwd, "outer"), { recursive: true })).length;
  for (const to of ["outer/inner", "outer/inner/backup", "link/backup/deep", "outer", "link", "."]) {
    const { code, stderr } = await run(`storage copy --storage fs:outer/inner --to fs:${to}`);
    expect([code, stderr], to).toEqual([2, expect.stringContaining("a copy would copy itself")]);
  }
  expect(await readdir(join(cwd, "outer"), { recursive: true })).toHaveLength(before);
  await done("storage copy --storage fs:outer/inner --to fs:outer/inner-2"); // Beside it, with the same beginning.
});

it("verifies against an earlier verification", async () => {
  await done("storage copy --storage fs:data --to fs:later");
  await writeFile(join(cwd, "earlier.json"), await done("ledger verify --all --json --storage fs:later"));
  await done("points adjust alice 5 --reason x --storage fs:later --yes");
  await done("ledger verify --all --against earlier.json --storage fs:later");
  const entries = `later/users/alice/ledger/0/{${ENTRIES},${ENTRIES + 1}}.json later/users/alice/ledger/0/.last`;
  await shell(`rm -r ${entries} later/users/alice/operations/*3330.json later/users/alice/sessions`, cwd);
  await done("ledger verify --all --storage fs:later");
  const { code, stderr } = await run("ledger verify --all --against earlier.json --storage fs:later");
  expect([code, stderr]).toEqual([
    1,
    `error: alice: entry ${ENTRIES}: the entry is missing: an earlier verification found ${ENTRIES} entries\n`,
  ]);
});
