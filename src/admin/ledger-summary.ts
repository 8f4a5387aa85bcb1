import type { LedgerRow } from "../cli/commands/ledger/ledger-columns.ts";

/** What entries come to. Amounts are points. */
export interface LedgerSummary {
  readonly entries: number;
  readonly earned: number;
  readonly spent: number;
  readonly free_uses: number;
  /** By the number of entries, most first. */
  readonly by_type: readonly {
    readonly type: string;
    readonly entries: number;
    readonly delta: number;
    readonly free_uses: number;
  }[];
  /** Newest first; a day without an entry is left out. */
  readonly by_day: readonly DaySummary[];
}

export interface DaySummary {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly earned: number;
  readonly spent: number;
  readonly free_uses: number;
  readonly entries: number;
}

/**
 * Sums up entries one by one.
 *
 * @param offset minutes east of UTC, at whose midnight a day begins
 */
export function createLedgerSummary(offset: number): { add(row: LedgerRow): void; result(): LedgerSummary } {
  const all = emptyTally();
  const types = new Map<string, Tally>();
  const days = new Map<string, Tally>();
  const tallyOf = (tallies: Map<string, Tally>, name: string): Tally => {
    const tally = tallies.get(name) ?? emptyTally();
    tallies.set(name, tally);
    return tally;
  };
  return {
    add(row) {
      const day = new Date(Date.parse(row.created_at) + offset * 60_000).toISOString().slice(0, 10);
      for (const tally of [all, tallyOf(types, row.type), tallyOf(days, day)]) count(tally, row);
    },
    result() {
      const by_type = [...types].map(([type, { entries, earned, spent, free_uses }]) => {
        return { type, entries, delta: earned - spent, free_uses };
      });
      const by_day = [...days].map(([day, tally]) => ({ day, ...tally }));
      return {
        ...all,
        by_type: by_type.sort((one, other) => other.entries - one.entries),
        by_day: by_day.sort((one, other) => (one.day < other.day ? 1 : -1)),
      };
    },
  };
}

interface Tally {
  earned: number;
  spent: number;
  free_uses: number;
  entries: number;
}

function emptyTally(): Tally {
  return { earned: 0, spent: 0, free_uses: 0, entries: 0 };
}

function count(tally: Tally, { delta, free_use }: LedgerRow): void {
  tally.entries += 1;
  if (delta > 0) tally.earned += delta;
  else tally.spent -= delta;
  if (free_use) tally.free_uses += 1;
}
