import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import type { LedgerCommand } from "../../src/ledger/points-rules.ts";
import { entry, ledgerKey } from "../../src/ledger/entry.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { encodeKey } from "../../src/storage/keys.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import { SEED, soak } from "./load/options.ts";
import { openPlace } from "./load/places.ts";
import { seeded, type Seeded } from "./load/seeded.ts";

const ENTRIES = soak?.count ?? 100;

/** Short ledgers, so that all bits of many entries can be flipped: a walk goes no further than the wrong entry. */
const ENTRIES_A_USER = 5;

function commandOf(n: number, choice: Seeded): LedgerCommand {
  switch (n % 4) {
    case 0:
      return { type: "chat_cost", cost: 1, quota: 2, message_id: n, session_id: n, route: "help", sub_intent: "费用" };
    case 1:
      return { type: "exchange", token_amount: choice.below(1000) / 100 + 0.1, rate: 10, max_amount: 1000 };
    case 2:
      return {
        type: "trade_reward",
        trade_type: "futures",
        volume_usd: choice.below(10_000) + 0.5,
        rate: 0.005,
        max_volume_usd: 1e6,
      };
    default:
      return { type: "adjust", delta: choice.pick([1, 2, 30]), reason: `Korrektur “ü” ${n}`, actor: "操作员" };
  }
}

/** Writes a user's ledger and gives where its entries are. */
async function write(storage: Storage, user: string, entries: number, choice: Seeded): Promise<Key[]> {
  const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
  const ledger = createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
  for (let n = 1; n <= entries; n++) {
    clock.advance(choice.below(10_000_000));
    const origin = { in: "header", path: "Idempotency-Key" } as const;
    await ledger.post(user, {
      operation: { id: `key:${n}`, request: { n }, ...(choice.chance(0.5) ? { origin } : {}) },
      command: commandOf(n, choice),
      ref_id: `ref-${n}`,
      lang: "zh",
    });
  }
  const stream = new Stream(storage, ledgerKey(user), entry);
  return Array.from({ length: entries }, (_, index) => stream.keyOf(index + 1));
}

function flip(bytes: Buffer, at: number, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at]! ^= 1 << bit;
  return flipped;
}

describe("the verification of a ledger", () => {
  it(
    `finds ${soak === undefined ? "a flipped bit" : "every bit that is flipped, one by one,"} of each of ${ENTRIES} entries`,
    async () => {
      const choice = seeded(SEED, "bits");
      let flips = 0;
      for (let first = 0; first < ENTRIES; first += ENTRIES_A_USER) {
        const storage = await openStorage("memory:");
        const user = `user ${first}`;
        const keys = await write(storage, user, Math.min(ENTRIES_A_USER, ENTRIES - first), choice);
        expect((await verifyLedger(storage, user)).damage).toBeUndefined();
        for (const [index, key] of keys.entries()) {
          const text = (await storage.get(key))!;
          const bytes = Buffer.from(text);
          const chosen = choice.below(bytes.length * 8);
          for (let bit = soak === undefined ? chosen : 0; bit < bytes.length * 8; bit++) {
            await storage.put(key, flip(bytes, bit >> 3, bit & 7).toString("utf8"));
            const { damage } = await verifyLedger(storage, user);
            if (damage?.entry !== index + 1)
              expect(damage, `entry ${index + 1} of ${user}, bit ${bit}: ${text}`).toBe(index + 1);
            flips++;
            if (soak === undefined) break;
          }
          await storage.put(key, text);
        }
        if (soak !== undefined) console.log(`${first + keys.length} entries`);
      }
      if (soak !== undefined) console.log(`${flips} flips, each found`);
    },
    180_000 + ENTRIES * 60_000,
  );

  it("finds an entry that says the same in other letters", async () => {
    const storage = await openStorage("memory:");
    const [, second] = await write(storage, "alice", 3, seeded(SEED, "letters"));
    const text = (await storage.get(second!))!;
    for (const other of [` ${text}`, text.replace(",", ", "), text.replace("ref-2", "\\u0072ef-2")]) {
      expect(JSON.parse(other)).toEqual(JSON.parse(text));
      await storage.put(second!, other);
      expect((await verifyLedger(storage, "alice")).damage?.entry, other).toBe(2);
    }
  });

  it("finds a byte flipped in a file, and names the entry", async () => {
    const place = await openPlace("files");
    const storage = await openStorage(place.url);
    const choice = seeded(SEED, "files");
    try {
      const keys = await write(storage, "alice", 70, choice);
      for (let n = 0; n < 25; n++) {
        const index = choice.below(keys.length);
        const path = `${place.url.slice("fs:".length)}/${encodeKey(keys[index]!).replaceAll(":", "/")}.json`;
        const bytes = await readFile(path);
        const at = choice.below(bytes.length);
        await writeFile(path, flip(bytes, at, choice.below(8)));
        expect((await verifyLedger(storage, "alice")).damage?.entry, `byte ${at} of ${path}`).toBe(index + 1);
        await writeFile(path, bytes);
      }
      expect((await verifyLedger(storage, "alice")).damage).toBeUndefined();
    } finally {
      await storage.close();
      await place.remove();
    }
  });
});
