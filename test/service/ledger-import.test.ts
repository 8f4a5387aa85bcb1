import { Readable } from "node:stream";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { createUsers } from "../../src/accounts/users.ts";
import { verifyLedgers } from "../../src/ledger/verify.ts";
import { sealed } from "../../src/runtime/seal.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { exportLedgers } from "../../src/service/ledger-export.ts";
import { importLedgers, type ImportProgress } from "../../src/service/ledger-import.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { allOf, fillLedgers, openLedger, post, USERS } from "../support/ledgers.ts";
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
    for await (const { profiles, fault } of stateOf(target)) expect(profiles === (fault === undefined)).toBe(true);
    await take(lines);
    expect(await allOf(target)).toEqual(whole);
  }
});

it("takes the same in again as there already, also when the ledger has gone on", async () => {
  await take(lines);
  await post(target, "alice", "new");
  const before = await allOf(target);
  expect((await take(lines)).present).toBeGreaterThan(3 * ENTRIES);
  expect(await allOf(target)).toEqual(before);
});

it("notices an input that was cut off anywhere, and keeps whole users alone", async () => {
  const text = `${lines.join("\n")}\n`;
  for (const part of [0, 0.001, 0.1, 0.5, 0.999, (text.length - 2) / text.length]) {
    target = await openStorage("memory:");
    await expect(
      take(
        text
          .slice(0, Math.floor(text.length * part))
          .split("\n")
          .filter(Boolean),
      ),
    ).rejects.toThrow(part === 0 ? "The input is empty" : "The input was cut off");
    for await (const { profiles, fault } of stateOf(target)) expect(profiles === (fault === undefined)).toBe(true);
  }
});

it.for<[what: string, change: (text: string) => string, says: string]>([
  [
    "a changed amount",
    (text) => text.replace('"delta":1,', '"delta":2,'),
    "Line 26: entry 1 of alice: its hash does not",
  ],
  ["a changed question", (text) => text.replace("第 3 问", "第 4 问"), "the digest of the last"],
  ["a line left out", (text) => text.replace(/^\{"id":7,.*\n/m, ""), "entry 7 of alice: it does not follow"],
  ["a line twice", (text) => text.replace(/^(\{"id":7,.*\n)/m, "$1$1"), "entry 8 of alice: it does not follow"],
  ["a user left out", (text) => text.replace(/^\{"user":.*\n/m, ""), "alice has no end"],
  ["a stranger", (text) => text.replace('["alice"', '["bob"'), "alice is not to come here"],
  ["something else", () => '{"event_type":"x"}\n', "The input is no export of `anp ledger export`"],
])("refuses %s", async ([, change, says]) => {
  await expect(
    take(
      change(`${lines.join("\n")}\n`)
        .trimEnd()
        .split("\n"),
    ),
  ).rejects.toThrow(says);
});

it("refuses a storage that has a user of that id, and writes nothing", async () => {
  const clock = fixedClock(Date.parse(NOW) + 1);
  await createUsers({ storage: target, clock, ttl_ms: 0 }).create("Ümit/1", {});
  const before = await allOf(target);
  await expect(take(lines)).rejects.toThrow("the storage has a user Ümit/1 already");
  expect(await allOf(target)).toEqual(before);
  target = await openStorage("memory:");
  await post(target, "alice", "other");
  await expect(take(lines)).rejects.toThrow("the storage has a user alice already");
});

it("refuses an entry where another one is", async () => {
  await interrupted(100);
  await target.put(["users", "alice", "ledger", "0", "5"], "{}");
  await expect(take(lines)).rejects.toThrow("another users/alice/ledger/0/5 is in this storage");
});

async function exported(storage: Storage): Promise<string[]> {
  const all: string[] = [];
  const content = exportLedgers({ storage, ledger: openLedger(storage) }, USERS);
  for await (const line of sealed("ledger", NOW, content)) all.push(line);
  return all;
}

async function take(input: readonly string[], storage = target): Promise<ImportProgress> {
  const progress: ImportProgress = { users: 0, all: 0, entries: 0, answers: 0, present: 0, current: undefined };
  await importLedgers(storage, Readable.from(input), progress);
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

/** Of every user something of whom is there: whether the user is known, and what verification finds. */
async function* stateOf(storage: Storage) {
  for await (const { user_id, fault } of verifyLedgers(storage)) {
    yield { profiles: await storage.has(["users", user_id, "profile"]), fault };
  }
}
