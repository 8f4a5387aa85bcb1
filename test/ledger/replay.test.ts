import { expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { openLedger, post } from "../support/ledgers.ts";
import { watchedStorage } from "../support/watched-storage.ts";

it("makes sure of the entry of an earlier request before it returns it", async () => {
  const base = await openStorage("memory:");
  const { entry } = await post(base, "alice", "a");
  const storage = watchedStorage(base, () => "pass");
  expect(await post(storage, "alice", "a")).toEqual({ entry, replayed: true });
  expect(storage.calls.filter(({ verb }) => verb === "confirm")).toMatchObject([{ key: "users/alice/ledger/0/1" }]);
});

it("takes an entry whose reply was lost for its own, and for no replay where the id cannot be repeated", async () => {
  const base = await openStorage("memory:");
  // As a client of Redis that sends a command again when the connection breaks.
  const resending: Storage = {
    ...base,
    async create(key, value) {
      await base.create(key, value);
      return base.create(key, value);
    },
    async append(...given) {
      await base.append(...given);
      return base.append(...given);
    },
    async createAfter(key, value, after) {
      await base.createAfter(key, value, after);
      return base.createAfter(key, value, after);
    },
  };
  const ledger = openLedger(resending);
  for (const id of [1, 2]) {
    const { entry, replayed } = await ledger.post("alice", {
      operation: { id: `call:${id}`, request: id },
      command: { type: "adjust", delta: 5, reason: "r", actor: "test" },
      ref_id: "r",
      lang: "en",
    });
    expect([entry.id, replayed]).toEqual([id, false]);
  }
  expect((await ledger.open("alice")).account.balance).toBe(10);
});
