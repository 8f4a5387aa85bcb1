import { beforeEach, describe, expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { EMPTY_ACCOUNT, hashEntry, type Entry, ledgerKey, operationKey } from "../../src/ledger/entry.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { LedgerDamage } from "../../src/ledger/scan-for-damage.ts";
import { verifyLedgers, type Verification, type VerifyOptions } from "../../src/ledger/verify-ledgers.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { createUsers } from "../../src/accounts/users.ts";
import { collect } from "../../src/runtime/batches.ts";
import { createIds } from "../../src/runtime/ids.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { createMessages, sessionTrace } from "../../src/assistant/sessions/messages.ts";
import { printKey } from "../../src/storage/documents.ts";
import { CorruptionError, StorageError, type Key, type Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { storedIn } from "../support/ledgers.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";

const USER = "alice";
const ENTRIES = 70;

let storage: Storage;
const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
const ids = createIds(clock, seededRandom("x"));
const entryKey = (number: number): Key => [...ledgerKey(USER), "0", String(number)];

beforeEach(async () => {
  storage = await openStorage("memory:");
  await createUsers({ storage, clock, ttl_ms: 0 }).create(USER, {});
  const ledger = createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
  for (let n = 1; n <= ENTRIES; n++) {
    await ledger.post(USER, {
      operation: { id: `key:${n}`, request: { n }, origin: { in: "header", path: "Idempotency-Key" } },
      command:
        n % 3 === 0
          ? { type: "chat_cost", cost: 1, quota: 4, message_id: n, session_id: n, route: "help", sub_intent: "fees" }
          : { type: "exchange", token_amount: n + 0.5, rate: 10, max_amount: 1000 },
      ref_id: `ref-${n}`,
      lang: "zh",
    });
  }
});

describe("verification", () => {
  it("finds a whole ledger right", async () => {
    const { entries, damage } = await verifyLedger(storage, USER);
    expect(entries).toBe(ENTRIES);
    expect(damage).toBeUndefined();
    const nobody = { user_id: "nobody", entries: 0, balance: 0, head: null };
    expect(await verifyLedger(storage, "nobody")).toEqual(nobody);
  });

  it("finds any flipped bit of any byte of an entry, and names the entry", async () => {
    const short = await openStorage("memory:");
    for (let n = 1; n <= 5; n++) await post(`key:${n}`, USER, short);
    for (const number of [3, 5]) {
      const text = (await short.get(entryKey(number)))!;
      const bytes = Buffer.from(text, "utf8");
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Buffer.from(bytes);
        flipped[at] = flipped[at]! ^ (1 << (at % 8));
        await short.put(entryKey(number), flipped.toString("utf8"));
        const { damage } = await verifyLedger(short, USER);
        expect(damage?.entry, `entry ${number}, byte ${at}: ${flipped.toString("utf8", at - 10, at + 10)}`).toBe(
          number,
        );
      }
      await short.put(entryKey(number), text);
    }
  });

  it("finds an entry that is missing, moved, repeated or from another user's ledger", async () => {
    const text = async (number: number): Promise<string> => (await storage.get(entryKey(number)))!;
    const spoil = async (number: number, value: string | undefined): Promise<number | null | undefined> => {
      const before = await text(number);
      if (value === undefined) await storage.remove(entryKey(number));
      else await storage.put(entryKey(number), value);
      const { damage } = await verifyLedger(storage, USER);
      await storage.put(entryKey(number), before);
      return damage?.entry;
    };
    expect(await spoil(5, undefined)).toBe(5);
    expect(await spoil(5, await text(6))).toBe(5);
    expect(await spoil(6, await text(5))).toBe(6);
    expect(await spoil(5, (await text(5)).replaceAll('"alice"', '"bob"'))).toBe(5);
    expect((await verifyLedger(storage, USER)).damage).toBeUndefined();
  });

  it("names an entry that is no text, as a folder in its place, and verifies all others", async () => {
    await post("key:1", "bob");
    const error = new CorruptionError(printKey(entryKey(5)), "it is a folder");
    const isDamaged = (key: Key): boolean => printKey(key) === error.key;
    const damaged: Storage = {
      ...storage,
      get: (key) => (isDamaged(key) ? Promise.reject(error) : storage.get(key)),
      getMany: (keys) => (keys.some(isDamaged) ? Promise.reject(error) : storage.getMany(keys)),
    };
    const [alice, bob] = await collect(verifyLedgers(damaged, { profiles: false }));
    expect(alice).toMatchObject({ entries: 4, damage: { entry: 5, message: error.message } });
    expect(bob).toMatchObject({ user_id: "bob", entries: 1 });
    expect(bob!.damage).toBeUndefined();
  });

  it("finds an entry that is right in itself and stands in another one's place, by the one that followed that", async () => {
    const { hash, ...fields } = JSON.parse((await storage.get(entryKey(5)))!) as Entry;
    const another = { ...fields, description: "another" };
    await storage.put(entryKey(5), JSON.stringify({ ...another, hash: hashEntry(another) }));
    const { damage } = await verifyLedger(storage, USER);
    expect(damage).toMatchObject({ entry: 6, message: expect.stringContaining("does not follow") as string });
    expect(hash).not.toBe(hashEntry(another));
  });

  it("finds a delta that its details do not allow, although the chain was made anew from there", async () => {
    const short = await openStorage("memory:");
    await post("key:1", USER, short);
    const first = JSON.parse((await short.get(entryKey(1)))!) as Entry;
    const free = { type: "chat_cost", message_id: 1, session_id: 1, route: "help", sub_intent: "fees", free: true };
    const forged: [number, object][] = [
      [1_500_000, { type: "exchange", token_amount: 1.5, exchange_rate: 10 }],
      [1000, { ...free, free: false }],
      [1, free],
      [-1, free],
      [-1, { type: "trade_reward", trade_type: "spot", volume_usd: 100 }],
    ];
    const rewritten = async (delta: number, details: object): Promise<LedgerDamage | undefined> => {
      const fields: Omit<Entry, "hash"> & { hash?: string } = { ...first, delta };
      delete fields.hash;
      const free_day = "free" in details && details.free === true ? "2026-11-20" : "";
      const balance = Math.max(0, delta);
      const account = { balance, total_earned: balance, total_spent: Math.max(0, -delta), free_day, free_used: 0 };
      if (free_day !== "") account.free_used = 1;
      const { type } = details as Pick<Entry, "type">;
      const entry = { ...fields, type, details: details as Entry["details"], account };
      await short.put(entryKey(1), JSON.stringify({ ...entry, hash: hashEntry(entry) }));
      return (await verifyLedger(short, USER)).damage;
    };
    for (const [delta, details] of forged) {
      expect(await rewritten(delta, details)).toMatchObject({
        entry: 1,
        message: expect.stringContaining("delta") as string,
      });
    }
    expect(await rewritten(15, { type: "exchange", token_amount: 1.5, exchange_rate: 10 })).toBeUndefined();
    expect(await rewritten(0, free)).toBeUndefined();
  });

  it("finds the same in a ledger of so many entries that another thread checks them", async () => {
    const long = await openStorage("memory:");
    const at = (number: number): Key => [...ledgerKey(USER), String(Math.floor((number - 1) / 1000)), String(number)];
    const { hash: _, ...first } = JSON.parse((await storage.get(entryKey(1)))!) as Entry;
    let { prev } = first;
    const texts: string[] = [];
    for (let id = 1; id <= 20_100; id++) {
      const operation = { ...first.operation, id: `op:${id}`, repeatable: false };
      const account = { ...EMPTY_ACCOUNT, balance: id * first.delta, total_earned: id * first.delta };
      const fields = { ...first, id, operation, account, prev };
      prev = hashEntry(fields);
      texts.push(JSON.stringify({ ...fields, hash: prev }));
      await long.put(at(id), texts.at(-1)!);
    }
    const end = texts.length;
    expect(await verifyLedger(long, USER)).toMatchObject({ entries: end, balance: end * first.delta });
    const text = (number: number): string => texts[number - 1]!;
    // In the middle of a page, on both sides of its end, and at the last entry.
    const changes: [number, string | undefined, string][] = [
      [300, text(300).replace('"id":300', '"id":301'), "its hash does not fit"],
      [512, ` ${text(512)}`, "it is not as it was written"],
      [512, text(512).slice(1), "Unexpected non-whitespace"],
      [512, "null", "must be an object"],
      [513, text(512), "it does not follow the entry before"],
      [513, undefined, "the entry is missing"],
      [end, text(end).replace(first.description, "?"), "its hash does not fit"],
    ];
    for (const [number, value, says] of changes) {
      await (value === undefined ? long.remove(at(number)) : long.put(at(number), value));
      const { entries, damage } = await verifyLedger(long, USER);
      expect(entries).toBe(number - 1);
      expect(damage).toEqual({ entry: number, message: expect.stringContaining(says) as string });
      await long.put(at(number), text(number));
    }
  });

  it("finds that the end is gone, by an operation that leads there, or by the hint", async () => {
    const last = (await storage.get(entryKey(ENTRIES - 1)))!;
    await storage.remove(entryKey(ENTRIES));
    await storage.remove(entryKey(ENTRIES - 1));
    await storage.remove([...ledgerKey(USER), "head"]);
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: ENTRIES - 1 });
    await storage.put(entryKey(ENTRIES - 1), last);
    expect((await verifyLedger(storage, USER)).damage).toBeUndefined();
    await storage.put([...ledgerKey(USER), "head"], "71");
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: ENTRIES });
    await storage.put([...ledgerKey(USER), "head"], "six");
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: null });
  });

  it("finds that the end is gone, by an answer that was delivered", async () => {
    const { message_id } = await chat();
    const [right] = await verifyAll({ trace: sessionTrace });
    expect([right!.entries, right!.damage]).toEqual([ENTRIES + 1, undefined]);
    await lose(ENTRIES + 1);
    const [found] = await verifyAll({ trace: sessionTrace });
    expect(found!.damage).toMatchObject({ entry: ENTRIES + 1 });
    expect(found!.damage!.message).toContain(String(message_id));
  });

  it("finds an answer that was delivered and is charged no more, although later ones were charged", async () => {
    await chat();
    const { session_id } = await chat();
    const { message_id } = await chat({ session: session_id });
    await lose(ENTRIES + 3);
    await post("call:other");
    await chat();
    const [found] = await verifyAll({ trace: sessionTrace });
    expect(found).toMatchObject({ entries: ENTRIES + 4, damage: { entry: ENTRIES + 4 } });
    expect(found!.damage!.message).toContain(`the answer ${message_id}, which was delivered, is missing`);
  });

  it("sees no fault in an answer that was charged and never delivered, or that costs nothing", async () => {
    await chat({ cost: 0 });
    await chat({ delivered: false });
    await chat({ cost: 0 });
    await chat({ delivered: false });
    const [found] = await verifyAll({ trace: sessionTrace });
    expect([found!.entries, found!.damage]).toEqual([ENTRIES + 4, undefined]);
  });

  it("compares the answers of many users alike where keys are listed twice", async () => {
    const made = new Map<string, number[]>();
    for (const user of [USER, "bob", "carol", "dora", "emil"]) {
      if (user !== USER) await createUsers({ storage, clock, ttl_ms: 0 }).create(user, {});
      await post("call:1", user);
      if (user === "carol") continue;
      made.set(user, []);
      for (let n = 0; n < 5; n++) made.get(user)!.push((await chat({ user, cost: 0 })).message_id);
    }
    await lose(6, "dora");
    await chat({ user: "dora", cost: 0 });
    const repeating: Storage = {
      ...storage,
      async *keys(prefix) {
        for await (const key of storage.keys(prefix)) yield* [key, key];
        yield* storage.keys(prefix);
      },
    };
    const found = await verifyAll({ trace: sessionTrace }, repeating);
    const missing = { entry: 6, message: expect.stringContaining(`answer ${made.get("dora")![4]},`) as string };
    expect(found.map(({ user_id, entries, damage }) => [user_id, entries, damage])).toEqual([
      [USER, ENTRIES + 6, undefined],
      ["bob", 6, undefined],
      ["carol", 1, undefined],
      ["dora", 6, missing],
      ["emil", 6, undefined],
    ]);
  });

  it("finds that the end is gone or another one, by an earlier verification", async () => {
    const receipts = new Map((await verifyAll()).map(({ user_id, ...receipt }) => [user_id, receipt]));
    await post("call:1");
    expect((await verifyAll({ receipts }))[0]!.damage).toBeUndefined();
    await lose(ENTRIES + 1);
    await lose(ENTRIES);
    await storage.remove(operationKey(USER, `key:${ENTRIES}`));
    expect((await verifyAll())[0]!.damage).toBeUndefined();
    expect((await verifyAll({ receipts }))[0]!.damage).toMatchObject({ entry: ENTRIES });
    await post("call:2");
    expect((await verifyAll())[0]!.damage).toBeUndefined();
    expect((await verifyAll({ receipts }))[0]!.damage).toMatchObject({ entry: ENTRIES });
    const gone = new Map([["zoe", { entries: 3, head: "x" }]]);
    expect((await verifyAll({ receipts: gone })).map(({ user_id, damage }) => [user_id, damage?.entry])).toEqual([
      [USER, undefined],
      ["zoe", 1],
    ]);
  });

  it("finds an index that is missing or leads to another entry", async () => {
    await storage.remove(operationKey(USER, "key:7"));
    expect(await verifyLedger(storage, USER)).toMatchObject({
      entries: 6,
      damage: { entry: 7, message: expect.stringContaining("index") as string },
    });
    await storage.put(operationKey(USER, "key:7"), '{"entry":8}');
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: 7 });
    await storage.put(operationKey(USER, "key:7"), '{"entry":7');
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: 7 });
    await storage.put(operationKey(USER, "key:7"), '{"entry":7}');
    expect((await verifyLedger(storage, USER)).damage).toBeUndefined();
    await storage.put(operationKey(USER, "key:stranger"), '{"entry":9}');
    expect((await verifyLedger(storage, USER)).damage).toMatchObject({ entry: 9 });
  });

  it("tells what is wrong with one user and goes on with the others", async () => {
    const users = createUsers({ storage, clock, ttl_ms: 0 });
    for (const user of ["bob", "Ümit/1", "x".repeat(100), "zoe"]) {
      await users.create(user, {});
      await post("call:1", user);
    }
    await storage.put(["users", "bob", "profile"], "{");
    await storage.remove(["users", "zoe", "profile"]);
    await storage.put(entryKey(5), "[]");
    let listings = 0;
    const broken = interceptStorage(storage, (verb, key, run) => {
      if (verb === "getMany") return Promise.reject(new StorageError("not that many"));
      if (verb === "get" && printKey(key).startsWith("users/~c39c")) return Promise.reject(new StorageError("EIO"));
      return run();
    });
    const counted: Storage = {
      ...broken,
      keys(prefix) {
        listings += 1;
        return storage.keys(prefix);
      },
    };
    const found = await verifyAll({}, counted);
    expect(listings).toBe(1);
    expect(found.map(({ user_id, entries, damage }) => [user_id, entries, damage?.entry, damage?.message])).toEqual([
      [USER, 4, 5, expect.stringContaining("users/alice/ledger/0/5")],
      ["bob", 1, null, expect.stringContaining("users/bob/profile")],
      ["zoe", 1, null, expect.stringContaining("profile is missing")],
      ["x".repeat(100), 1, undefined, undefined],
      ["Ümit/1", 0, 1, "EIO"],
    ]);
  });

  it("ends when the storage does not answer", async () => {
    const down = interceptStorage(storage, (verb, _key, run) =>
      verb === "list" ? run() : Promise.reject(new StorageError("connection refused")),
    );
    await expect(verifyAll({}, down)).rejects.toThrow("connection refused");
  });

  it("sees no fault in what others append meanwhile", async () => {
    const ledger = open();
    const appending = (async () => {
      for (let n = 0; n < 100; n++) {
        await ledger.post(USER, {
          operation: { id: `more:${n}`, request: n },
          command: { type: "adjust", delta: 1, reason: "r", actor: "a" },
          ref_id: "r",
          lang: "zh",
        });
      }
    })();
    for (let n = 0; n < 20; n++) expect((await verifyLedger(storage, USER)).damage).toBeUndefined();
    await appending;
    expect(await verifyLedger(storage, USER)).toMatchObject({ entries: ENTRIES + 100 });
  });
});

/** Removes the last entry as a failover loses it: with the head that was kept with it. */
async function lose(last: number, user = USER): Promise<void> {
  await storage.remove([...ledgerKey(user), "0", String(last)]);
  await storage.put([...ledgerKey(user), "head"], String(last - 1));
}

function open(on = storage) {
  return createLedger({ storage: on, clock, quotaRules: createQuotaRules("+08:00") });
}

function post(id: string, user = USER, on = storage) {
  const origin = id.startsWith("key:") ? { origin: { in: "header", path: "Idempotency-Key" } as const } : {};
  return open(on).post(user, {
    operation: { id, request: id, ...origin },
    command: { type: "adjust", delta: 1, reason: "r", actor: "a" },
    ref_id: "r",
    lang: "zh",
  });
}

/** An answer that was charged and, unless told otherwise, delivered. */
async function chat(options: { user?: string; session?: number; cost?: number; delivered?: boolean } = {}) {
  const { user = USER, session, cost = 1, delivered = true } = options;
  const messages = createMessages({ storage, clock, ids });
  const draft = { answer: "a", route: "help", sub_intent: "fees", source_items: [], model_name: "m", latency_ms: 1 };
  const message = await messages.create({ ...draft, user_id: user, question: "q" }, session, storedIn(storage));
  const { message_id, session_id } = message;
  await open().post(user, {
    operation: { id: `chat:${message_id}`, request: 1 },
    command: { type: "chat_cost", cost, quota: 0, message_id, session_id, route: "help", sub_intent: "fees" },
    ref_id: "r",
    lang: "zh",
  });
  if (delivered) await messages.join(message);
  return message;
}

async function verifyAll(options: VerifyOptions = {}, on = storage): Promise<Verification[]> {
  const found: Verification[] = [];
  for await (const one of verifyLedgers(on, options)) found.push(one);
  return found;
}
