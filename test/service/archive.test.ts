import { beforeAll, beforeEach, expect, it } from "vitest";
import { verifyLedgers } from "../../src/ledger/verify.ts";
import { storedValues, type StoredValue } from "../../src/service/archive.ts";
import { sessionTrace } from "../../src/service/messages.ts";
import { storeValues } from "../../src/service/restore.ts";
import { StorageError } from "../../src/storage/errors.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";
import { isUnfinished, markFinished } from "../../src/storage/unfinished.ts";
import { allOf, fillLedgers, openLedger, post, USERS } from "../support/ledgers.ts";
import { watchedStorage } from "../support/watched-storage.ts";

let source: Storage;
let target: Storage;

beforeAll(async () => {
  source = await openStorage("memory:");
  await fillLedgers(source, 40);
  await source.put(["ready", "probe"], "{}");
});

beforeEach(async () => {
  target = await openStorage("memory:");
});

it("copies every value to the letter, but what a storage keeps about itself", async () => {
  await take(storedValues(source));
  await markFinished(target);
  const all = await allOf(source);
  all.delete("ready/probe");
  expect([...(await allOf(target))]).toEqual([...all]);
});

it("copies sound ledgers while others write to them", async () => {
  const live = await openStorage("memory:");
  await fillLedgers(live, 20);
  let steps = 0;
  let posted = 0;
  // All along the copy, up to a limit, somebody else appends an entry to one of the ledgers.
  const meanwhile = async (): Promise<void> => {
    steps += 1;
    if (steps % 4 === 0 && posted < 150) await post(live, USERS[posted % USERS.length]!, `meanwhile ${posted++}`);
  };
  const busy = watchedStorage(live, async ({ verb }) => {
    if (verb !== "has") await meanwhile();
    return "pass" as const;
  });
  const listing: Storage = {
    ...busy,
    async *keys(prefix) {
      // What appears while it is listed is listed too, as far as it comes late.
      const seen = new Set<string>();
      for (let before = -1; before < seen.size;) {
        before = seen.size;
        for await (const key of live.keys(prefix)) {
          const name = key.map(({ text }) => text).join(":");
          if (seen.has(name)) continue;
          seen.add(name);
          await meanwhile();
          yield key;
        }
      }
    },
  };
  await take(storedValues(listing));
  expect(posted).toBe(150);
  for await (const { user_id, entries, fault } of verifyLedgers(target, { trace: sessionTrace })) {
    expect(fault).toBeUndefined();
    expect(entries).toBeGreaterThan(20);
    for await (const entry of openLedger(target).entries(user_id)) {
      if (entry.id < entries && entry.operation.repeatable) {
        expect((await openLedger(target).find(user_id, operationOf(entry.operation.id)))?.id).toBe(entry.id);
      }
    }
  }
});

it("finishes what was interrupted, also when the source has changed since", async () => {
  let creates = 0;
  const failing = watchedStorage(target, ({ verb }) => (verb === "create" && ++creates === 150 ? "fail" : "pass"));
  await expect(take(storedValues(source), failing)).rejects.toThrow(StorageError);
  expect(await isUnfinished(target)).toBe(true);
  await post(source, "alice", "since");
  await source.put(["users", "alice", "profile"], (await source.get(["users", "alice", "profile"]))!.replace("7", "8"));
  await take(storedValues(source));
  const all = await allOf(source);
  all.delete("ready/probe");
  await markFinished(target);
  expect([...(await allOf(target))]).toEqual([...all]);
});

it("refuses a storage that is not empty, and an item of a stream that is another one", async () => {
  const key: Key = ["users", "bob", "profile"];
  await target.put(key, "{}");
  await expect(take(storedValues(source))).rejects.toThrow("is not empty: it has users/bob/profile");
  await target.remove(key);
  const broken = watchedStorage(target, ({ verb }) => (verb === "getMany" ? "fail" : "pass"));
  await expect(take(storedValues(source), broken)).rejects.toThrow(StorageError);
  await target.put(["users", "alice", "ledger", "0", "1"], "{}");
  await expect(take(storedValues(source))).rejects.toThrow("has another users/alice/ledger/0/1");
});

it("copies what comes after a gap too, and tells of it", async () => {
  const damaged = await openStorage("memory:");
  await fillLedgers(damaged, 20);
  await damaged.remove(["users", "alice", "ledger", "0", "5"]);
  const gaps: string[] = [];
  await take(storedValues(damaged, (key) => gaps.push(key)));
  await markFinished(target);
  expect(gaps).toEqual(["users/alice/ledger/0/5"]);
  expect([...(await allOf(target))]).toEqual([...(await allOf(damaged))]);
});

function operationOf(id: string) {
  return { id, request: id.replace("key:", ""), origin: { in: "header", path: "Idempotency-Key" } } as const;
}

function take(values: AsyncIterable<StoredValue>, storage = target): Promise<void> {
  return storeValues(storage, values, { values: 0, present: 0 });
}
