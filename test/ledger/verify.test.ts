import { beforeEach, describe, expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota.ts";
import { createLedger, ledgerKey, operationKey } from "../../src/ledger/ledger.ts";
import { lostProfiles, verifyLedger } from "../../src/ledger/verify.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";

const USER = "alice";
const ENTRIES = 70;

let storage: Storage;
const entryKey = (number: number): Key => [...ledgerKey(USER), "0", String(number)];

beforeEach(async () => {
  storage = await openStorage("memory:");
  const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
  const ledger = createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
  for (let n = 1; n <= ENTRIES; n++) {
    await ledger.post(USER, {
      operation: { id: `key:${n}`, request: { n }, origin: { in: "header", path: "Idempotency-Key" } },
      command:
        n % 3 === 0
          ? { type: "chat_cost", cost: 1, quota: 4, message_id: n, session_id: n, route: "help", sub_intent: "fees" }
          : { type: "exchange", token_amount: n + 0.5, rate: 10, max_amount: 1000 },
      ref_id: `ref-${n}`,
      describe: () => `兑换 ${n}`,
    });
  }
});

describe("verification", () => {
  it("finds a whole ledger right", async () => {
    const { entries, fault } = await verifyLedger(storage, USER);
    expect(entries).toBe(ENTRIES);
    expect(fault).toBeUndefined();
    expect(await verifyLedger(storage, "nobody")).toEqual({ user_id: "nobody", entries: 0, balance: 0 });
  });

  it("finds any flipped bit of any byte of an entry, and names the entry", async () => {
    for (const number of [1, 3, 42, ENTRIES]) {
      const text = (await storage.get(entryKey(number)))!;
      const bytes = Buffer.from(text, "utf8");
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Buffer.from(bytes);
        flipped[at] = flipped[at]! ^ (1 << (at % 8));
        await storage.put(entryKey(number), flipped.toString("utf8"));
        const { fault } = await verifyLedger(storage, USER);
        expect(fault?.entry, `entry ${number}, byte ${at}: ${flipped.toString("utf8", at - 10, at + 10)}`).toBe(number);
      }
      await storage.put(entryKey(number), text);
    }
  }, 120_000);

  it("finds an entry that is missing, moved, repeated or from another user's ledger", async () => {
    const text = async (number: number): Promise<string> => (await storage.get(entryKey(number)))!;
    const spoil = async (number: number, value: string | undefined): Promise<number | undefined> => {
      const before = await text(number);
      if (value === undefined) await storage.remove(entryKey(number));
      else await storage.put(entryKey(number), value);
      const { fault } = await verifyLedger(storage, USER);
      await storage.put(entryKey(number), before);
      return fault?.entry;
    };
    expect(await spoil(5, undefined)).toBe(5);
    expect(await spoil(5, await text(6))).toBe(5);
    expect(await spoil(6, await text(5))).toBe(6);
    expect(await spoil(5, (await text(5)).replaceAll('"alice"', '"bob"'))).toBe(5);
    expect((await verifyLedger(storage, USER)).fault).toBeUndefined();
  });

  it("finds that the end is gone, by an operation that leads there, and a ledger without its profile", async () => {
    const last = (await storage.get(entryKey(ENTRIES - 1)))!;
    await storage.remove(entryKey(ENTRIES));
    await storage.remove(entryKey(ENTRIES - 1));
    await storage.remove([...ledgerKey(USER), "head"]);
    expect((await verifyLedger(storage, USER)).fault).toMatchObject({ entry: ENTRIES - 1 });
    await storage.put(entryKey(ENTRIES - 1), last);
    expect((await verifyLedger(storage, USER)).fault).toBeUndefined();
    const lost: string[] = [];
    for await (const user of lostProfiles(storage)) lost.push(user);
    expect(lost).toEqual([USER]);
  });

  it("finds an index that is missing or leads to another entry, and a hint past the end", async () => {
    await storage.remove(operationKey(USER, "key:7"));
    expect((await verifyLedger(storage, USER)).fault?.message).toContain("index");
    await storage.put(operationKey(USER, "key:7"), '{"entry":8}');
    expect((await verifyLedger(storage, USER)).fault).toMatchObject({ entry: 7 });
    await storage.put(operationKey(USER, "key:7"), '{"entry":7}');
    await storage.put([...ledgerKey(USER), "head"], "71");
    expect((await verifyLedger(storage, USER)).fault).toMatchObject({ entry: ENTRIES + 1 });
  });

  it("sees no fault in what others append meanwhile", async () => {
    const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
    const ledger = createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
    const appending = (async () => {
      for (let n = 0; n < 100; n++) {
        await ledger.post(USER, {
          operation: { id: `more:${n}`, request: n },
          command: { type: "adjust", delta: 1, reason: "r", actor: "a" },
          ref_id: "r",
          describe: () => "d",
        });
      }
    })();
    for (let n = 0; n < 20; n++) expect((await verifyLedger(storage, USER)).fault).toBeUndefined();
    await appending;
    expect(await verifyLedger(storage, USER)).toMatchObject({ entries: ENTRIES + 100 });
  });
});
