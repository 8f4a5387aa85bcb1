import { expect, it } from "vitest";
import { skipUsers } from "../../src/accounts/users.ts";
import { searchLedgers, topUsers, type LedgerSearch } from "../../src/admin/search-ledgers.ts";
import { createAccountsService } from "../../src/service/accounts-service.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { collect } from "../../src/runtime/batches.ts";
import { printKey } from "../../src/storage/documents.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { ANCHOR, openCopiedService } from "../support/service.ts";

const DAY = 86_400_000;
const ENTRIES = 150;

/** 150 adjustments of alice, 1 to 150 points, four a day, each fifth for another reason; and a search among them. */
async function openLedgers() {
  const storage = await openStorage("memory:");
  const { service, clock } = await openCopiedService({ fixture: "small", seed: "search" }, storage);
  for (let n = 1; n <= ENTRIES; n++) {
    clock.set(ANCHOR + n * (DAY / 4));
    const reason = n % 5 === 0 ? "fifth" : "other";
    await service.adjust({ user: "alice", delta: n, reason, actor: "ops", request_id: `r${n}` });
  }
  const before = (await service.ledger.open("alice")).version - ENTRIES;
  const { config } = service;
  // One that remembers no entries.
  const fresh = (of: Storage = storage) => createAccountsService({ config, storage: of, clock, random: systemRandom });
  const damage: string[] = [];
  const report = (message: string): void => void damage.push(message);
  return {
    ...{ storage, fresh, damage, report },
    keyOf: (n: number) => ["users", "alice", "ledger", "0", String(before + n)],
    search: async (by: Partial<LedgerSearch>): Promise<number[]> => {
      damage.length = 0;
      const found = await collect(searchLedgers(fresh(), { types: [], ...by }, () => undefined, skipUsers(report)));
      return found.filter(({ user_id }) => user_id === "alice").map(({ delta }) => delta);
    },
    close: () => service.close(),
  };
}

const numbers = (fits: (n: number) => boolean): number[] =>
  Array.from({ length: ENTRIES }, (_, n) => ENTRIES - n).filter(fits);
const range = { since: ANCHOR + 10 * DAY, until: ANCHOR + 20 * DAY };

it("finds the entries of a range among older and newer ones", async () => {
  const { search, close } = await openLedgers();
  expect(await search({})).toEqual(numbers(() => true));
  expect(await search(range)).toEqual(numbers((n) => n >= 40 && n <= 80));
  expect(await search({ ...range, reason: "FIFTH" })).toEqual(numbers((n) => n >= 40 && n <= 80 && n % 5 === 0));
  expect(await search({ until: ANCHOR, types: ["adjust"] })).toEqual([]);
  expect(await search({ since: ANCHOR + 37 * DAY })).toEqual([150, 149, 148]);
  await close();
});

it("checks what it shows, and finds all else where entries are damaged, of which it names the user once", async () => {
  const { storage, search, damage, keyOf, close } = await openLedgers();
  const key = keyOf(50);
  const text = (await storage.get(key))!;
  const named = `alice: The stored value of ${key.join("/")} is damaged: `;
  const others = [80, 75, 70, 65, 60, 55, 45, 40];
  await storage.put(key, text.replace('"fifth"', '"fifty"'));
  expect(await search({ ...range, reason: "fift" })).toEqual(others);
  expect(damage).toEqual([`${named}its hash does not fit its fields`]);
  expect(await search(range)).toEqual(numbers((n) => n >= 40 && n <= 80 && n !== 50));
  expect(damage).toEqual([`${named}its hash does not fit its fields`]);
  expect(await search({ ...range, reason: "fifth" })).toEqual(others);
  expect(damage).toEqual([]);

  await storage.put(key, text.slice(0, -9));
  expect(await search({ ...range, reason: "fifth" })).toEqual(others);
  expect(damage).toEqual([expect.stringContaining(named)]);
  expect(await search({ since: ANCHOR + 37 * DAY })).toEqual([150, 149, 148]);
  expect(damage).toEqual([]);

  // The last entry, and one that the search for the range's end looks at.
  await storage.put(keyOf(ENTRIES), "{");
  await storage.remove(keyOf(ENTRIES / 2));
  expect(await search({ reason: "fifth" })).toEqual(numbers((n) => n % 5 === 0 && ![50, 75, 150].includes(n)));
  expect(await search({ ...range, reason: "fifth" })).toEqual(others.filter((n) => n !== 75));
  expect(damage).toHaveLength(1);
  await close();
});

it("fails as a whole where the storage does not answer", async () => {
  const { storage, fresh, damage, report, close } = await openLedgers();
  const service = fresh(
    interceptStorage(storage, (call, key, run) =>
      call !== "list" && printKey(key).startsWith("users/")
        ? Promise.reject(new StorageError("the storage does not answer"))
        : run(),
    ),
  );
  const onUser = (): void => undefined;
  for (const list of [
    () => collect(service.users.list(report)),
    () => collect(searchLedgers(service, { types: [] }, onUser, skipUsers(report))),
    () => topUsers(service, { by: "spent", types: [], limit: 1 }, onUser, report),
  ]) {
    await expect(list()).rejects.toThrow("the storage does not answer");
  }
  expect(damage).toEqual([]);
  await close();
});
