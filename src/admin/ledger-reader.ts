import type { OperationData } from "../contract/endpoints.ts";
import type { Entry } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** An entry of a ledger as operators see it. */
export interface LedgerRow extends Omit<OperationData<"getLedger">["items"][number], "type"> {
  readonly type: string;
  /** Points after the entry; null where a daemon wrote entries while they were read from it. */
  readonly balance_after: number | null;
  /** Whether a free use paid for it. */
  readonly free_use: boolean;
}

/** A user's ledger, read by the numbers of its entries. */
export interface LedgerReader<E = LedgerRow> {
  /** Number of the last entry. */
  total(): Promise<number>;
  /** The existing entries from number `from` to number `to`, both included, oldest first. */
  read(from: number, to: number): Promise<E[]>;
}

/** Reads a user's ledger from the storage. */
export function storedLedgerReader(ledger: Ledger, user: string): LedgerReader<Entry> {
  return {
    total: async () => (await ledger.open(user)).version,
    read: (from, to) => ledger.read(user, from, to),
  };
}

/** Reads a user's ledger from the storage, as rows. */
export function storedRowReader(ledger: Ledger, user: string): LedgerReader {
  const entries = storedLedgerReader(ledger, user);
  return { ...entries, read: async (from, to) => (await entries.read(from, to)).map(toLedgerRow) };
}

export function toLedgerRow(entry: Entry): LedgerRow {
  const { id, delta, type, description, ref_id, created_at, account } = entry;
  const row = { id, delta, type, description, ref_id, created_at };
  return { ...row, balance_after: account.balance, free_use: isFreeUse(entry) };
}

/** Whether a free use, not points, paid for the entry's answer. */
export function isFreeUse({ details }: Entry): boolean {
  return details.type === "chat_cost" && details.free;
}

/** Sums over entries. Amounts are points. */
const NONE = { earned: 0, spent: 0, free_uses: 0, entries: 0 };
type Totals = typeof NONE;

/** Totals of entries, by type and by day. */
export type LedgerSummary = ReturnType<ReturnType<typeof createLedgerSummary>["result"]>;

/**
 * Sums up entries one by one, in memory that grows with the days and not with the entries.
 *
 * @param offset minutes east of UTC, at whose midnight a day begins
 */
export function createLedgerSummary(offset: number) {
  const all = { ...NONE };
  const types = new Map<string, Totals>();
  const days = new Map<string, Totals>();
  return {
    add(row: LedgerRow): void {
      const day = new Date(Date.parse(row.created_at) + offset * 60_000).toISOString().slice(0, 10);
      for (const totals of [all, totalsOf(types, row.type), totalsOf(days, day)]) {
        totals.entries += 1;
        totals.earned += Math.max(0, row.delta);
        totals.spent += Math.max(0, -row.delta);
        totals.free_uses += row.free_use ? 1 : 0;
      }
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

function totalsOf(groups: Map<string, Totals>, name: string): Totals {
  const totals = groups.get(name) ?? { ...NONE };
  groups.set(name, totals);
  return totals;
}

/** Which entries of a ledger to list: those that match every given field. */
export interface Selection {
  /** Empty for all. */
  readonly types: readonly string[];
  /** Ms since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** A reference, or its first characters. */
  readonly ref?: string | undefined;
}

type Selectable = Pick<LedgerRow, "type" | "created_at" | "ref_id">;

/** Whether the selection matches every entry. */
export function selectsAll({ types, since, until, ref }: Selection): boolean {
  return types.length === 0 && since === undefined && until === undefined && ref === undefined;
}

/** Whether an entry matches the selection. */
export function matches({ type, created_at, ref_id }: Selectable, { types, since, until, ref }: Selection): boolean {
  const at = Date.parse(created_at);
  return (
    (types.length === 0 || types.includes(type)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until) &&
    (ref === undefined || ref_id.startsWith(ref))
  );
}

const PAGE = 100;
/** Clocks of daemons may differ, and step: an entry may be dated this much earlier than one before it, ms. */
const DISORDER_MS = 86_400_000;

/**
 * The entries that match, newest first, in constant memory; entries written meanwhile are not among them.
 *
 * @throws CorruptionError after all entries above the damaged one were yielded
 * @example
 * for await (const row of newestFirst(storedRowReader(ledger, "alice"), { types: ["exchange"] })) console.log(row.id);
 */
export async function* newestFirst<E extends Selectable>(
  reader: LedgerReader<E>,
  selection: Selection,
): AsyncGenerator<E> {
  const { since, until } = selection;
  const total = await reader.total();
  const top = until === undefined ? total : await lastBefore(reader, until + DISORDER_MS, total);
  let size = PAGE;
  for (let to = top; to >= 1;) {
    let rows: E[];
    try {
      rows = await reader.read(Math.max(1, to - size + 1), to);
    } catch (error) {
      // One damaged entry fails the whole page: read singly up to it.
      if (size === 1 || (error as Error).name !== "CorruptionError") throw error;
      size = 1;
      continue;
    }
    to -= rows.length;
    for (const row of rows.toReversed()) {
      if (matches(row, selection)) yield row;
    }
    if (since !== undefined && Date.parse(rows[0]!.created_at) < since - DISORDER_MS) return;
  }
}

/** Number of the last entry dated at an instant or before it, by binary search. */
async function lastBefore(reader: LedgerReader<Selectable>, instant: number, total: number): Promise<number> {
  let low = 0;
  let high = total + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await reader.read(middle, middle);
    if (Date.parse(row!.created_at) <= instant) low = middle;
    else high = middle;
  }
  return low;
}
