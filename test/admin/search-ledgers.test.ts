import { expect, it } from "vitest";
import { searchLedgers, type LedgerSearch } from "../../src/admin/search-ledgers.ts";
import { createAccountsService } from "../../src/service/accounts-service.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { collect } from "../../src/runtime/batches.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { ANCHOR, openCopiedService } from "../support/service.ts";

const DAY = 86_400_000;
const ENTRIES = 150;

it("finds the entries of a range among older and newer ones, and checks what it shows", async () => {
  const storage = await openStorage("memory:");
  const { service, clock } = await openCopiedService({ fixture: "small", seed: "search" }, storage);
  for (let n = 1; n <= ENTRIES; n++) {
    clock.set(ANCHOR + n * (DAY / 4));
    const reason = n % 5 === 0 ? "fifth" : "other";
    await service.adjust({ user: "alice", delta: n, reason, actor: "ops", request_id: `r${n}` });
  }
  const { config } = service;
  const search = async (by: Partial<LedgerSearch>): Promise<number[]> => {
    // One that remembers no entries.
    const fresh = createAccountsService({ config, storage, clock, random: systemRandom });
    const found = await collect(searchLedgers(fresh, { types: [], ...by }, () => undefined));
    return found.filter(({ user_id }) => user_id === "alice").map(({ delta }) => delta);
  };
  const numbers = (fits: (n: number) => boolean): number[] =>
    Array.from({ length: ENTRIES }, (_, n) => ENTRIES - n).filter(fits);
  const range = { since: ANCHOR + 10 * DAY, until: ANCHOR + 20 * DAY };
  expect(await search({})).toEqual(numbers(() => true));
  expect(await search(range)).toEqual(numbers((n) => n >= 40 && n <= 80));
  expect(await search({ ...range, reason: "FIFTH" })).toEqual(numbers((n) => n >= 40 && n <= 80 && n % 5 === 0));
  expect(await search({ until: ANCHOR, types: ["adjust"] })).toEqual([]);
  expect(await search({ since: ANCHOR + 37 * DAY })).toEqual([150, 149, 148]);

  const { id } = (await service.ledger.open("alice")).last!;
  const key = ["users", "alice", "ledger", "0", String(id - ENTRIES + 50)];
  const text = (await storage.get(key))!;
  await storage.put(key, text.replace('"fifth"', '"fifty"'));
  await expect(search({ ...range, reason: "fift" })).rejects.toThrow("its hash does not fit its fields");
  expect(await search({ ...range, reason: "fifth" })).toEqual([80, 75, 70, 65, 60, 55, 45, 40]);
  await storage.put(key, text.slice(0, -9));
  await expect(search({ ...range, reason: "fifth" })).rejects.toThrow(key.join("/"));
  await service.close();
});
