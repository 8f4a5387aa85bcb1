import { beforeAll, expect, it } from "vitest";
import { chainError } from "../../src/ledger/chain.ts";
import { genesisHash, hashEntry, type Account, type Entry } from "../../src/ledger/entry.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { openLedger, post } from "../support/ledgers.ts";

const FREE = { type: "chat_cost", cost: 1, quota: 5, message_id: 1, session_id: 1, route: "help", sub_intent: "fees" };

let first: Entry;
let second: Entry;
let third: Entry;

beforeAll(async () => {
  const storage = await openStorage("memory:");
  await post(storage, "alice", "1");
  for (const key of ["2", "3"]) await post(storage, "alice", key, FREE as Parameters<typeof post>[3]);
  [first, second, third] = (await openLedger(storage).read("alice", 1, 3)) as [Entry, Entry, Entry];
});

/** The entry with other fields and a hash that fits them. */
function forged(entry: Entry, fields: Partial<Entry>): Entry {
  const changed: Omit<Entry, "hash"> & { hash?: string } = { ...entry, ...fields };
  delete changed.hash;
  return { ...changed, hash: hashEntry(changed) };
}

it("finds an entry right that follows, the first one also", () => {
  expect(chainError(first, undefined, "alice")).toBeUndefined();
  expect(chainError(second, first, "alice")).toBeUndefined();
  expect(chainError(third, second, "alice")).toBeUndefined();
});

it.for<[what: string, change: () => Partial<Entry>, says: string]>([
  ["its number", () => ({ id: 4 }), "it says that it is entry 4"],
  ["its user", () => ({ user_id: "bob" }), "it says that it belongs to bob"],
  ["the entry before", () => ({ prev: genesisHash("alice") }), "it does not follow the entry before"],
  ["its type", () => ({ type: "adjust" }), "its details are of type chat_cost"],
  ["its delta", () => ({ delta: 1 }), "its delta of 1 does not fit its details"],
  ...(["balance", "total_earned", "total_spent", "free_used"] as const).map(
    (name): [string, () => Partial<Entry>, string] => [
      `its ${name}`,
      () => ({ account: { ...third.account, [name]: third.account[name] + 1 } }),
      "its account does not follow from the one before",
    ],
  ),
  [
    "a day before an earlier one, which would give free uses again",
    () => ({ account: { ...third.account, free_day: "2026-11-19", free_used: 1 } satisfies Account }),
    "its quota day is before an earlier one",
  ],
])("finds what is wrong although the hash was made anew: %s", ([, change, says]) => {
  expect(chainError(forged(third, change()), second, "alice")).toBe(says);
});

it("lets a day of the future be followed by an earlier one: a wrong clock wrote it", () => {
  const ahead = forged(second, { account: { ...second.account, free_day: "2031-01-01" } });
  const back = { prev: ahead.hash, account: { ...third.account, free_used: 1 } };
  expect(chainError(forged(third, back), ahead, "alice")).toBeUndefined();
});

it("finds a hash that was not made anew", () => {
  expect(chainError({ ...third, description: "another" }, second, "alice")).toBe("its hash does not fit its fields");
});
