import { Readable } from "node:stream";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { createUsers } from "../../src/accounts/users.ts";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { checksummed } from "../../src/backup/checksummed-lines.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { exportLedgers, importLedgers, type ImportProgress } from "../../src/backup/ledger-import.ts";
import { printKey } from "../../src/storage/documents.ts";
import { StorageError } from "../../src/storage/storage-errors.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { allOf, fillLedgers, openLedger, post, USERS } from "../support/ledgers.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { watchedStorage } from "../support/watched-storage.ts";

const ENTRIES = 70;
const NOW = "2026-11-20T00:00:00.000Z";

let source: Storage;
let lines: string[];
let target: Storage;

beforeAll(async () => {
  source = await openStorage("memory:");
  await fillLedgers(source, ENTRIES);
  lines = await exported(source);
});

beforeEach(async () => {
  target = await openStorage("memory:");
});

it("brings ledgers, profiles, plans, answers and the index, as they were", async () => {
  const progress = await take(lines);
  expect(progress).toMatchObject({ users: 3, all: 3, entries: 3 * ENTRIES, answers: 3 * 23, present: 0 });
  const kept = [...(await allOf(source))].filter(([key]) => !/^tokens|\/(tokens|sessions)\//.test(key));
  expect([...(await allOf(target))]).toEqual(kept);
  for (const user of USERS) {
    const { entry, replayed } = await post(target, user, "2");
    expect([entry.id, replayed]).toEqual([2, true]);
    expect((await post(target, user, "new")).entry.id).toBe(ENTRIES + 1);
  }
});

it("finishes an import that was interrupted at any write, and shows no user before the ledger is whole", async () => {
  const { calls } = await interrupted(Infinity);
  const writes = calls.filter(({ verb }) => verb === "create").length;
  const whole = await allOf(target);
  for (let write = 1; write < writes; write += 61) {
    target = await openStorage("memory:");
    await interrupted(write);
    for await (const { profiles, damage } of stateOf(target)) expect(profiles === (damage === undefined)).toBe(true);
    await take(lines);
    expect(await allOf(target)).toEqual(whole);
  }
});

it("takes the same in again as there already, also when the ledger has gone on", async () => {
  expect(await take(lines)).toMatchObject({ ahead: [] });
  await post(target, "alice", "new");
  const before = await allOf(target);
  const progress = await take(lines);
  expect(progress.present).toBeGreaterThan(3 * ENTRIES);
  expect(progress.ahead).toEqual(["alice"]);
  expect(await allOf(target)).toEqual(before);
});

it("refuses a ledger that went on otherwise here than there, and writes nothing", async () => {
  await take(lines);
  await post(target, "alice", "here");
  const before = await allOf(target);
  const there = await openStorage("memory:");
  await take(lines, there);
  for (const id of ["there", "there, too", "and again"]) await post(there, "alice", id);
  await expect(take(await exported(there))).rejects.toThrow(
    `This storage has a different value at users/alice/ledger/0/${ENTRIES + 1}.`,
  );
  expect(await allOf(target)).toEqual(before);
});

it("mixes nothing into the ledger of a user who comes while it is being written", async () => {
  let came = false;
  const busy = interceptStorage(target, async (verb, key, run) => {
    if (verb === "create" && !came && printKey(key) === "users/alice/ledger/0/1") {
      came = true;
      await post(target, "alice", "first");
    }
    return run();
  });
  await expect(take(lines, busy)).rejects.toThrow("This storage has a different value at users/alice/ledger/0/1.");
  expect((await verifyLedger(target, "alice")).damage).toBeUndefined();
  expect((await post(target, "alice", "second")).entry.id).toBe(2);
});

it("notices an input that was cut off anywhere, and writes nothing of it", async () => {
  const text = `${lines.join("\n")}\n`;
  for (const part of [0, 0.001, 0.1, 0.5, 0.999, (text.length - 2) / text.length]) {
    const cut = text.slice(0, Math.floor(text.length * part)).split("\n");
    await expect(take(cut.filter(Boolean))).rejects.toThrow(
      part === 0 ? "The input is empty" : "The input was cut off",
    );
    expect((await allOf(target)).size).toBe(0);
  }
});

it.for<[what: string, change: (text: string) => string, says: string]>([
  [
    "a changed amount",
    (text) => text.replace('"delta":1,', '"delta":2,'),
    "Line 26: entry 1 of alice: its hash does not",
  ],
  [
    "a changed quota",
    (text) => text.replace('"free_daily_quota":7', '"free_daily_quota":8'),
    "the checksum in its last line",
  ],
  ["a changed plan", (text) => text.replace('"plan":"pro"', '"plan":"max"'), "the checksum in its last line"],
  ["a user named twice", (text) => text.replace(/^(\{"users".*\n)/m, "$1$1"), "Line 3: alice is named twice"],
  [
    "a user without a ledger",
    (text) => text.replace(/^\{"(?!users|anp)(?:.*\n)*(?=\{"anp)/m, ""),
    "the checksum in its last line",
  ],
  ["a changed question", (text) => text.replace("第 3 问", "第 4 问"), "the checksum in its last line"],
  ["a line left out", (text) => text.replace(/^\{"id":7,.*\n/m, ""), "entry 7 of alice: it does not follow"],
  ["a line twice", (text) => text.replace(/^(\{"id":7,.*\n)/m, "$1$1"), "entry 8 of alice: it does not follow"],
  ["a user left out", (text) => text.replace(/^\{"user":.*\n/m, ""), "alice has no end"],
  ["a stranger", (text) => text.replace('["alice"', '["bob"'), "alice is not expected here"],
  ["something else", () => '{"event_type":"x"}\n', "The input is not an export of `anp ledger export`"],
])("refuses %s, and writes nothing of it", async ([, change, says]) => {
  const text = `${lines.join("\n")}\n`;
  expect(change(text)).not.toBe(text);
  await expect(take(change(text).trimEnd().split("\n"))).rejects.toThrow(says);
  expect((await allOf(target)).size).toBe(0);
});

it("refuses users whose ledger is not there, also under a right digest", async () => {
  const announced = lines.slice(1, 2);
  await expect(take(await sealedLines(announced))).rejects.toThrow("names users whose ledger it does not hold");
  expect((await allOf(target)).size).toBe(0);
});

it("checks also what it writes, should the input be another one by then", async () => {
  const altered = lines.map((line) => line.replace('"delta":1,', '"delta":2,'));
  const inputs = [lines, altered];
  const progress = newProgress();
  await expect(importLedgers(target, () => Readable.from(inputs.shift()!), progress)).rejects.toThrow(
    "Line 26: entry 1 of alice: its hash does not",
  );
  expect(progress).toMatchObject({ writing: true, checked: 3 * ENTRIES, users: 0 });
});

it("refuses a storage that has a user of that id, and writes nothing", async () => {
  const clock = fixedClock(Date.parse(NOW) + 1);
  await createUsers({ storage: target, clock, ttl_ms: 0 }).create("Ümit/1", {});
  const before = await allOf(target);
  await expect(take(lines)).rejects.toThrow("The storage already has another user Ümit/1,");
  expect(await allOf(target)).toEqual(before);
  target = await openStorage("memory:");
  await post(target, "alice", "other");
  await expect(take(lines)).rejects.toThrow("The storage already has another user alice,");
});

it("refuses an entry where another one is", async () => {
  await interrupted(100);
  await target.put(["users", "alice", "ledger", "0", "5"], "{}");
  await expect(take(lines)).rejects.toThrow("This storage has a different value at users/alice/ledger/0/5.");
});

async function exported(storage: Storage): Promise<string[]> {
  return collected(checksummed("ledger", NOW, exportLedgers({ storage, ledger: openLedger(storage) }, USERS)));
}

function sealedLines(content: readonly string[]): Promise<string[]> {
  return collected(checksummed("ledger", NOW, Readable.from(content)));
}

async function collected(all: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of all) found.push(line);
  return found;
}

function newProgress(): ImportProgress {
  const none = { users: 0, all: 0, entries: 0, answers: 0, present: 0, ahead: [] };
  return { ...none, checked: 0, writing: false, current: undefined };
}

async function take(input: readonly string[], storage = target): Promise<ImportProgress> {
  const progress = newProgress();
  await importLedgers(storage, () => Readable.from(input), progress);
  return progress;
}

/** An import that ends at a write. */
async function interrupted(write: number) {
  let writes = 0;
  const watched = watchedStorage(target, ({ verb }) => (verb === "create" && ++writes >= write ? "fail" : "pass"));
  await take(lines, watched).catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
  });
  return watched;
}

/** Of every user with stored values: whether the user has a profile, and what verification finds. */
async function* stateOf(storage: Storage) {
  for await (const { user_id, damage } of verifyLedgers(storage)) {
    yield { profiles: await storage.has(["users", user_id, "profile"]), damage };
  }
}
