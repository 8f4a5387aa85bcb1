import { expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { entryKey, ledgerKey, type Entry } from "../../src/ledger/entry.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import { EntryStore } from "../../src/ledger/entry-store.ts";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import { BoundedLru } from "../../src/runtime/cache/bounded-lru.ts";
import { collect } from "../../src/runtime/batches.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { watchedStorage } from "../support/watched-storage.ts";

const ledgerOn = (storage: Storage): Ledger =>
  createLedger({
    storage,
    clock: fixedClock(Date.parse("2026-11-20T00:00:00Z")),
    quotaRules: createQuotaRules("+08:00"),
  });

async function earn(ledger: Ledger, ...deltas: number[]): Promise<void> {
  for (const delta of deltas) {
    await ledger.post("alice", {
      operation: { id: `test:${crypto.randomUUID()}`, request: delta },
      command: { type: "adjust", delta, reason: "test", actor: "test" },
      ref_id: "test",
      lang: "en",
    });
  }
}

async function deltasOn(ledger: Ledger, page: number, size: number): Promise<number[]> {
  return (await (await ledger.open("alice")).page(page, size)).entries.map(({ delta }) => delta);
}

it("reads an entry once, and asks for the end each time: another process may have appended", async () => {
  const base = await openStorage("memory:");
  const other = ledgerOn(base);
  await earn(other, 1, 2, 3);
  const storage = watchedStorage(base, () => "pass");
  const ledger = ledgerOn(storage);
  const callsOf = async (read: () => Promise<unknown>): Promise<string[]> => {
    const before = storage.calls.length;
    await read();
    return storage.calls.slice(before).map(({ verb, key }) => `${verb} ${key.split("/").at(-1)}`);
  };
  expect(await deltasOn(ledger, 1, 3)).toEqual([3, 2, 1]);
  expect(await callsOf(() => deltasOn(ledger, 1, 3))).toEqual(["has 4"]);
  expect(await callsOf(() => ledger.read("alice", 1, 2))).toEqual([]);

  await earn(other, 4);
  expect(await callsOf(async () => expect(await deltasOn(ledger, 1, 4)).toEqual([4, 3, 2, 1]))).not.toContain(
    "getMany 1",
  );
});

it("forgets what the storage may have lost, also while it is read", async () => {
  const base = await openStorage("memory:");
  let generation = 0;
  const storage = { ...watchedStorage(base, () => "pass"), generation: () => generation };
  const ledger = ledgerOn(storage);
  await earn(ledger, 1, 2);
  expect(await deltasOn(ledger, 1, 5)).toEqual([2, 1]);

  const lose = async (): Promise<void> => {
    for (const number of [1, 2]) await base.remove(entryKey("alice", number));
    await base.remove([...ledgerKey("alice"), "head"]);
    await earn(ledgerOn(base), 10, 20, 30);
    generation++;
  };
  await lose();
  expect(await deltasOn(ledger, 1, 5)).toEqual([30, 20, 10]);

  // It is lost after the entries were read, and before they are remembered.
  const getMany = storage.getMany.bind(storage);
  storage.getMany = async (keys) => {
    const texts = await getMany(keys);
    storage.getMany = getMany;
    generation++;
    return texts;
  };
  generation++;
  expect(await ledger.read("alice", 1, 3)).toHaveLength(3);
  const before = storage.calls.length;
  await ledger.read("alice", 1, 3);
  expect(storage.calls.slice(before)).toHaveLength(0);
});

it("names an entry that is missing among remembered ones", async () => {
  const storage = await openStorage("memory:");
  await earn(ledgerOn(storage), 1, 2, 3, 4);
  const ledger = ledgerOn(storage);
  await ledger.read("alice", 3, 4);
  for (const number of [1, 2]) await storage.remove(entryKey("alice", number));
  await expect(ledger.read("alice", 1, 4)).rejects.toThrow("users/alice/ledger/0/1");
  for (const number of [3, 4]) await storage.remove(entryKey("alice", number));
  await storage.remove([...ledgerKey("alice"), "head"]);
  await expect(ledger.read("alice", 1, 4)).rejects.toThrow("users/alice/ledger/0/1");
});

it("is not asked by a verification: that reads what is stored", async () => {
  const storage = await openStorage("memory:");
  const ledger = ledgerOn(storage);
  await earn(ledger, 1, 2);
  const key = entryKey("alice", 1);
  await storage.put(key, (await storage.get(key))!.replace('"delta":1', '"delta":9'));
  expect(await deltasOn(ledger, 1, 2)).toEqual([2, 1]);
  const [verified] = await collect(verifyLedgers(storage, { profiles: false }));
  expect(verified!.damage?.entry).toBe(1);
  await expect(deltasOn(ledgerOn(storage), 1, 2)).rejects.toThrow("users/alice/ledger/0/1");
});

it("holds so many entries of all users, and drops those that were not read for longest", async () => {
  const base = await openStorage("memory:");
  await earn(ledgerOn(base), 1, 2, 3);
  const storage = watchedStorage(base, () => "pass");
  const cache = new BoundedLru<Entry>(2);
  const stored = new EntryStore(storage, "alice", cache);
  for (const number of [1, 2, 1, 3]) await stored.read(number, number);
  const before = storage.calls.length;
  for (const number of [1, 3]) await stored.read(number, number);
  expect(storage.calls).toHaveLength(before);
  await stored.read(2, 2);
  expect(storage.calls.length).toBeGreaterThan(before);
  expect(await new EntryStore(storage, "bob", cache).read(2, 2)).toEqual([]);
});

it("keeps what it holds while a longer ledger is walked through, and reads that one from the storage", async () => {
  const base = await openStorage("memory:");
  await earn(ledgerOn(base), 1, 2, 3, 4);
  const storage = watchedStorage(base, () => "pass");
  const stored = new EntryStore(storage, "alice", new BoundedLru<Entry>(2));
  await stored.read(1, 2);
  expect(await stored.read(1, 4, false)).toHaveLength(4);
  const walked = storage.calls.length;
  await stored.read(1, 2);
  expect(storage.calls).toHaveLength(walked);
});
