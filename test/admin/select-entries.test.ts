import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type LedgerReader,
  type LedgerRow,
  matches,
  newestFirst,
  type Selection,
} from "../../src/admin/ledger-reader.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-20T00:00:00Z");
const TYPES = ["chat_cost", "exchange"] as const;
const ROW: LedgerRow = {
  id: 0,
  created_at: "",
  type: "exchange",
  delta: 0,
  balance_after: 0,
  description: "",
  ref_id: "",
  free_use: false,
  reason: null,
  actor: null,
  reverses: null,
};

/** Entries hours apart, some of which a clock that steps dates up to eleven hours off. */
const ledger = fc
  .array(fc.record({ gap: fc.integer({ min: 0, max: 40 }), off: fc.integer({ min: -11, max: 11 }), type: fc.nat(1) }), {
    maxLength: 260,
  })
  .map((steps) => {
    let at = START;
    return steps.map(({ gap, off, type }, index): LedgerRow => {
      at += gap * HOUR;
      const created_at = new Date(at + off * HOUR).toISOString();
      return { ...ROW, id: index + 1, created_at, type: TYPES[type]!, ref_id: `ref-${index % 7}` };
    });
  });

const instant = fc.option(
  fc.integer({ min: -20, max: 6000 }).map((hours) => START + hours * HOUR),
  { nil: undefined },
);
const selection: fc.Arbitrary<Selection> = fc.record({
  types: fc.subarray([...TYPES]),
  since: instant,
  until: instant,
  ref: fc.option(fc.constantFrom("ref-3", "ref-"), { nil: undefined }),
});

function readerOf(rows: readonly LedgerRow[]): LedgerReader & { readonly reads: () => number } {
  let reads = 0;
  return {
    total: () => Promise.resolve(rows.length),
    read: (from, to) => {
      reads += 1;
      return Promise.resolve(rows.slice(from - 1, to));
    },
    reads: () => reads,
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

it("finds exactly the entries that match, newest first, although clocks step", async () => {
  await fc.assert(
    fc.asyncProperty(ledger, selection, async (rows, wanted) => {
      const found = await all(newestFirst(readerOf(rows), wanted));
      expect(found).toEqual(rows.filter((row) => matches(row, wanted)).reverse());
    }),
  );
});

it("reads only a small part of a long ledger for a short range of time", async () => {
  const rows = Array.from({ length: 100_000 }, (_, index): LedgerRow => {
    const created_at = new Date(START + index * HOUR).toISOString();
    return { ...ROW, id: index + 1, created_at, delta: 1 };
  });
  const reader = readerOf(rows);
  const since = START + 50_000 * HOUR;
  expect(await all(newestFirst(reader, { types: [], since, until: since + 10 * HOUR }))).toHaveLength(11);
  expect(reader.reads()).toBeLessThan(25);
});
