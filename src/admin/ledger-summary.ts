import type { LedgerRow } from "./ledger-reader.ts";

/** Sums over entries. Amounts are points. */
interface Totals {
  earned: number;
  spent: number;
  free_uses: number;
  entries: number;
}

/** Totals of entries, by type and by day. */
export type LedgerSummary = ReturnType<ReturnType<typeof createLedgerSummary>["result"]>;

/**
 * Sums up entries one by one, in memory that grows with the days and not with the entries.
 *
 * @param offset minutes east of UTC, at whose midnight a day begins
 */
export function createLedgerSummary(offset: number) {
  const all = noTotals();
  const types = new Map<string, Totals>();
  const days = new Map<string, Totals>();
  return {
    add(row: LedgerRow): void {
      const day = new Date(Date.parse(row.created_at) + offset * 60_000).toISOString().slice(0, 10);
      for (const totals of [all, totalsOf(types, row.type), totalsOf(days, day)]) addRow(totals, row);
    },
    /** Types with the most entries first, days newest first; days without entries are left out. */
    result() {
      const by_type = [...types].map(([type, { entries, earned, spent, free_uses }]) => {
        return { type, entries, delta: earned - spent, free_uses };
      });
      const by_day = [...days].map(([day, totals]) => ({ day, ...totals }));
      return {
        ...all,
        by_type: by_type.sort((one, other) => other.entries - one.entries),
        by_day: by_day.sort((one, other) => (one.day < other.day ? 1 : -1)),
      };
    },
  };
}

function noTotals(): Totals {
  return { earned: 0, spent: 0, free_uses: 0, entries: 0 };
}

function totalsOf(groups: Map<string, Totals>, name: string): Totals {
  const totals = groups.get(name) ?? noTotals();
  groups.set(name, totals);
  return totals;
}

function addRow(totals: Totals, { delta, free_use }: LedgerRow): void {
  totals.entries += 1;
  if (delta > 0) totals.earned += delta;
  else totals.spent -= delta;
  if (free_use) totals.free_uses += 1;
}
