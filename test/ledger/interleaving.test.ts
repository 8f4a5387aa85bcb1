import fc from "fast-check";
import { expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { AnpError } from "../../src/contract/errors.ts";
import type { LedgerCommand } from "../../src/ledger/points-rules.ts";
import type { Entry } from "../../src/ledger/entry.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import type { LedgerOperation } from "../../src/ledger/ledger-idempotency.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Storage, StorageError } from "../../src/storage/storage.ts";
import { Crashed, unreliable, type Fault } from "../support/unreliable-storage.ts";

const USER = "Ümit/1";
const QUOTA = 2;
const HOUR = 3_600_000;
// 23:00 at +08:00: a few hours forward pass midnight.
const START = Date.parse("2026-11-20T15:00:00Z");
const quotaRules = createQuotaRules("+08:00");

/** What a key asks for, so that the same key always comes with the same request. */
const KEYED: readonly LedgerCommand[] = [
  { type: "exchange", token_amount: 0.5, rate: 10, max_amount: 100 },
  { type: "chat_cost", cost: 3, quota: QUOTA, message_id: 1, session_id: 1, route: "help", sub_intent: "fees" },
  { type: "trade_reward", trade_type: "spot", volume_usd: 450, rate: 0.01, max_volume_usd: 1e6 },
  { type: "adjust", delta: -4, reason: "correction", actor: "op" },
];

interface Step {
  readonly command: LedgerCommand;
  /** Index into KEYED; undefined for an operation that the server names. */
  readonly key: number | undefined;
  /** How the clock moves before the step, in hours; also back. */
  readonly hours: number;
}

const keyedStep = fc.record({ key: fc.nat(KEYED.length - 1), hours: fc.constantFrom(0, 0, 0, 1, 2, -1) });
const freeStep = fc.record({
  command: fc.oneof(
    fc
      .nat(3)
      .map((cost): LedgerCommand => ({
        type: "chat_cost",
        cost,
        quota: QUOTA,
        message_id: 7,
        session_id: 7,
        route: "help",
        sub_intent: "fees",
      })),
    fc
      .integer({ min: -6, max: 6 })
      .map((delta): LedgerCommand => ({ type: "adjust", delta, reason: "r", actor: "op" })),
  ),
  hours: fc.constantFrom(0, 0, 0, 1, 2, -1),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  keyedStep.map(({ key, hours }) => ({ key, hours, command: KEYED[key]! })),
  freeStep.map(({ command, hours }) => ({ key: undefined, hours, command })),
);
const fault: fc.Arbitrary<Fault | undefined> = fc.option(
  fc.record({ call: fc.integer({ min: 1, max: 40 }), kind: fc.constantFrom("before", "after", "lost", "resent") }),
  { nil: undefined },
);
const writer = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), fault });

/** What one call of an operation came to. */
type Outcome = { operation: string } & (
  | { kind: "done"; entry: Entry; replayed: boolean }
  | { kind: "refused" }
  | { kind: "unknown" }
);

/** Everything that must hold of a ledger, whatever happened. */
async function checkLedger(storage: Storage): Promise<Entry[]> {
  const verification = await verifyLedger(storage, USER);
  expect(verification.damage).toBeUndefined();
  const entries: Entry[] = [];
  for await (const entry of createLedger({ storage, clock: fixedClock(START), quotaRules }).entries(USER)) {
    entries.push(entry);
  }
  let sum = 0;
  const freeUses = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    sum += entry.delta;
    expect(entry.id).toBe(index + 1);
    expect(entry.account.balance).toBe(sum);
    expect(sum).toBeGreaterThanOrEqual(0);
    if (entry.details.type === "chat_cost" && entry.details.free) {
      const day = entry.account.free_day;
      freeUses.set(day, (freeUses.get(day) ?? 0) + 1);
    }
  }
  for (const uses of freeUses.values()) expect(uses).toBeLessThanOrEqual(QUOTA);
  expect(new Set(entries.map(({ operation }) => operation.id)).size).toBe(entries.length);
  return entries;
}

it("keeps every promise under any interleaving of writers that crash and lose replies", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(writer, { minLength: 2, maxLength: 4 }), async (scheduler, writers) => {
      const base = await openStorage("memory:");
      const clock = fixedClock(START);
      const outcomes: Outcome[] = [];
      let made = 0;

      const connect = (fault: Fault | undefined): Ledger =>
        createLedger({
          storage: unreliable(base, {
            turn: (label) => scheduler.schedule(Promise.resolve(), label),
            fault,
            wrote: () => checkLedger(base),
          }),
          clock,
          quotaRules,
        });

      async function attempt(ledger: Ledger, command: LedgerCommand, operation: LedgerOperation): Promise<Outcome> {
        try {
          const { entry, replayed } = await ledger.post(USER, { operation, command, ref_id: operation.id, lang: "en" });
          return { operation: operation.id, kind: "done", entry, replayed };
        } catch (error) {
          if (error instanceof AnpError && (error.code === 1005 || error.code === 1009)) {
            return { operation: operation.id, kind: "refused" };
          }
          if (error instanceof Crashed || error instanceof StorageError) {
            return { operation: operation.id, kind: "unknown" };
          }
          throw error;
        }
      }

      async function run(steps: readonly Step[], fault: Fault | undefined): Promise<void> {
        let ledger = connect(fault);
        for (const { command, key, hours } of steps) {
          clock.advance(hours * HOUR);
          const id = key === undefined ? `own:${made++}` : `key:${key}`;
          const operation: LedgerOperation = {
            id,
            request: { key: key ?? id },
            ...(key === undefined ? {} : { origin: { in: "header", path: "Idempotency-Key" } as const }),
          };
          const outcome = await attempt(ledger, command, operation);
          outcomes.push(outcome);
          if (outcome.kind !== "unknown") continue;
          // The process starts again, and the caller repeats what it can repeat safely.
          ledger = connect(undefined);
          if (key !== undefined) outcomes.push(await attempt(ledger, command, operation));
        }
      }

      const running = Promise.all(writers.map(({ steps, fault }) => run(steps, fault)));
      await scheduler.waitFor(running);
      const entries = await checkLedger(base);

      for (const operation of new Set(outcomes.map((outcome) => outcome.operation))) {
        const mine = outcomes.filter((outcome) => outcome.operation === operation);
        const found = entries.filter((entry) => entry.operation.id === operation);
        const done = mine.filter((outcome) => outcome.kind === "done");
        expect(found.length).toBeLessThanOrEqual(1);
        if (done.length > 0) expect(found).toHaveLength(1);
        if (mine.every(({ kind }) => kind === "refused")) expect(found).toHaveLength(0);
        for (const { entry } of done) expect(entry).toEqual(found[0]);
        expect(done.filter(({ replayed }) => !replayed).length).toBeLessThanOrEqual(1);
      }
      for (const { operation } of entries) expect(outcomes.map((outcome) => outcome.operation)).toContain(operation.id);
    }),
    { numRuns: Number(process.env["ANP_RUNS"] ?? 50) },
  );
});
