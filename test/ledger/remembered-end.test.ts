import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { ledgerKey, operationKey, entry } from "../../src/ledger/entry.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import type { PostResult } from "../../src/ledger/user-ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import { watchedStorage } from "../support/watched-storage.ts";

const ledgerOn = (storage: Storage): Ledger =>
  createLedger({
    storage,
    clock: fixedClock(Date.parse("2026-11-20T00:00:00Z")),
    quotaRules: createQuotaRules("+08:00"),
  });

let operations = 0;

function adjust(ledger: Ledger, delta: number): Promise<PostResult> {
  const id = `test:${operations++}`;
  return ledger.post("alice", {
    operation: { id, request: delta },
    command: { type: "adjust", delta, reason: "test", actor: "test" },
    ref_id: id,
    lang: "en",
  });
}

it("appends to the remembered end without asking for a newer one first", async () => {
  const storage = watchedStorage(await openStorage("memory:"), () => "pass");
  const ledger = ledgerOn(storage);
  await adjust(ledger, 5);
  const before = storage.calls.length;
  await adjust(ledger, 5);
  expect(storage.calls.slice(before).map(({ verb }) => verb)).toEqual(["create"]);
});

it("refuses nothing because of what it remembers: another process may have earned since", async () => {
  const storage = await openStorage("memory:");
  const [one, other] = [ledgerOn(storage), ledgerOn(storage)];
  await adjust(one, 1);
  await adjust(other, 9);
  const { entry: spent } = await adjust(one, -10);
  expect(spent.id).toBe(3);
  expect(spent.account.balance).toBe(0);
  await expect(adjust(other, -1)).rejects.toThrow();
});

it("builds no entry on one that its storage has lost, and forgets all it knew when entries may be lost", async () => {
  const base = await openStorage("memory:");
  let generation = 0;
  const storage: Storage = { ...base, generation: () => generation };
  const ledger = ledgerOn(storage);
  const stream = new Stream(base, ledgerKey("alice"), entry);
  await adjust(ledger, 1);
  await adjust(ledger, 2);

  // Lost as a failover loses an entry, with the head that was kept with it, and not noticed yet.
  const lose = async (): Promise<void> => {
    await base.remove(stream.keyOf(2));
    await base.put([...ledgerKey("alice"), "head"], "1");
  };
  await lose();
  expect((await adjust(ledger, 10)).entry).toMatchObject({ id: 2, account: { balance: 11 } });

  // Lost with the connection, and another one stands in its place.
  await lose();
  await adjust(ledgerOn(base), 20);
  generation++;
  expect((await ledger.open("alice")).account.balance).toBe(21);
  expect((await adjust(ledger, 1)).entry).toMatchObject({ id: 3, account: { balance: 22 } });
});

it("looks once at the end for all who read in one turn of the event loop, and again after it or after a change", async () => {
  const base = await openStorage("memory:");
  const storage = { ...watchedStorage(base, () => "pass"), durable: true };
  const ledger = ledgerOn(storage);
  await adjust(ledger, 1);
  const looks = (): number => storage.calls.filter(({ verb }) => verb === "has").length;
  const balances = async (): Promise<number[]> =>
    (await Promise.all([ledger.open("alice"), ledger.open("alice")])).map(({ account }) => account.balance);

  const before = looks();
  expect(await balances()).toEqual([1, 1]);
  expect(looks()).toBe(before + 1);
  await adjust(ledger, 1);
  expect(await balances()).toEqual([2, 2]);
  await adjust(ledgerOn(base), 1);
  await setImmediate();
  expect(await balances()).toEqual([3, 3]);
  const [one, other] = await Promise.all([ledger.open("alice"), setImmediate().then(() => ledger.open("alice"))]);
  expect(one).toBe(other);
});

it("shows what others appended after a look in the phase of the event loop before to a request that comes then", async () => {
  const base = await openStorage("memory:");
  const ledger = ledgerOn({ ...base, durable: true });
  const server = createServer().listen(0);
  await once(server, "listening");
  const client = connect((server.address() as { port: number }).port);
  const [[socket]] = await Promise.all([once(server, "connection") as Promise<[Socket]>, once(client, "connect")]);

  await setImmediate(); // Where a request goes on that waited for its turn.
  await ledger.open("alice");
  await adjust(ledgerOn(base), 1);
  const read = once(socket, "data").then(() => ledger.open("alice"));
  client.write("a request");
  expect((await read).account.balance).toBe(1);
  client.destroy();
  server.close();
});

it("takes an index that leads to another operation for damage, not for a new operation", async () => {
  const storage = await openStorage("memory:");
  const ledger = ledgerOn(storage);
  const keyed = (id: string): Promise<PostResult> =>
    ledger.post("alice", {
      operation: { id, request: id, origin: { in: "header", path: "Idempotency-Key" } },
      command: { type: "adjust", delta: 1, reason: "test", actor: "test" },
      ref_id: id,
      lang: "en",
    });
  for (const id of ["key:a", "key:b", "key:c"]) await keyed(id);
  await storage.put(operationKey("alice", "key:a"), '{"entry":2}');
  await expect(keyed("key:a")).rejects.toThrow("users/alice/operations/key:a");
  expect((await ledger.open("alice")).version).toBe(3);
});

it("makes sure of an index that somebody else made before it builds on that", async () => {
  const base = await openStorage("memory:");
  const watched = watchedStorage(base, () => "pass");
  const confirmed = (): string[] => watched.calls.filter(({ verb }) => verb === "confirm").map(({ key }) => key);
  const keyed = (on: Storage, id: string): Promise<PostResult> =>
    ledgerOn(on).post("alice", {
      operation: { id, request: id, origin: { in: "header", path: "Idempotency-Key" } },
      command: { type: "adjust", delta: 1, reason: "test", actor: "test" },
      ref_id: id,
      lang: "en",
    });
  await keyed(base, "key:a");
  // Another process has made the index, and died before it was safe.
  await base.create(operationKey("alice", "key:a"), '{"entry":1}');
  await keyed(watched, "key:b");
  expect(confirmed()).toEqual(["users/alice/operations/key:a"]);
});
