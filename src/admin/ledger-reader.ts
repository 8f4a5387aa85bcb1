import type { Entry } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** An entry of a ledger as operators see it. Where a user's token lists them, reason, actor and reversed entry are null. */
export type LedgerRow = Readonly<ReturnType<typeof toLedgerRow>>;

/** A user's ledger, read by the numbers of its entries. */
export interface LedgerReader<E = LedgerRow> {
  readonly total: () => Promise<number>; // Number of the last entry.
  readonly last?: () => E | undefined; // The last entry as of the last `total`, if it was read.
  readonly read: (from: number, to: number) => Promise<E[]>; // Both included, oldest first; some skip damage.
}

const CACHED = 5000; // Of a longer ledger, only the newest entries are cached: a walk would replace all others.

export function storedLedgerReader(ledger: Ledger, user: string): LedgerReader<Entry> {
  let last: Entry | undefined;
  const read = (from: number, to: number): Promise<Entry[]> =>
    ledger.read(user, from, to, to > (last?.id ?? 0) - CACHED);
  return {
    async total() {
      const open = await ledger.open(user);
      last = open.last;
      return open.version;
    },
    last: () => last,
    // The last entry was read with the total: most searches of a range need no other.
    async read(from, to) {
      if (to !== last?.id) return read(from, to);
      return [...(from < to ? await read(from, to - 1) : []), last];
    },
  };
}

/** A user's stored entries that match, as {@link newestFirst}. */
export const newestEntries = (ledger: Ledger, user: string, selection: Selection): AsyncGenerator<Entry> =>
  newestFirst(storedLedgerReader(ledger, user), selection);

export function toLedgerRow(entry: Entry) {
  const { id, delta, description, ref_id, created_at } = entry;
  const type: string = entry.type;
  const balance_after = entry.account.balance as number | null; // Null if the daemon appended entries during the read.
  const free_use = isFreeUse(entry);
  const { reason, actor, reverses } = adjustmentOf(entry);
  // Without a spread, which would take a fifth of the time of a long list.
  return { id, delta, type, description, ref_id, created_at, balance_after, free_use, reason, actor, reverses };
}

/** Why and by whom an adjustment was made, and the number of the entry that it reverses; null for other entries. */
export function adjustmentOf({ details }: Entry) {
  const { reason, actor, reverses = null } = details.type === "adjust" ? details : { reason: null, actor: null };
  return { reason, actor, reverses };
}

/** Whether a free use, not points, paid for the entry's answer. */
export const isFreeUse = ({ details }: Entry): boolean => details.type === "chat_cost" && details.free;

const NONE = { earned: 0, spent: 0, free_uses: 0, entries: 0 }; // Totals over entries. Amounts are points.
type Totals = typeof NONE;

/** Summarizes entries, in memory by days, not entries: types with the most entries first, days newest first, empty days
 * left out. @param dayOf the quota day of an instant, ms since the epoch */
export async function summarizeLedger(rows: AsyncIterable<LedgerRow>, dayOf: (ms: number) => string) {
  const all = { ...NONE };
  const types = new Map<string, Totals>();
  const days = new Map<string, Totals>();
  for await (const { type, delta, free_use, created_at } of rows) {
    for (const totals of [all, totalsOf(types, type), totalsOf(days, dayOf(Date.parse(created_at)))]) {
      totals.entries += 1;
      totals.earned += Math.max(0, delta);
      totals.spent += Math.max(0, -delta);
      totals.free_uses += free_use ? 1 : 0;
    }
  }
  const by_type = [...types].map(([type, { entries, earned, spent, free_uses }]) => {
    return { type, entries, delta: earned - spent, free_uses };
  });
  by_type.sort((one, other) => other.entries - one.entries);
  const by_day = [...days].map(([day, totals]) => ({ day, ...totals }));
  return { ...all, by_type, by_day: by_day.sort((one, other) => (one.day < other.day ? 1 : -1)) };
}

function totalsOf(groups: Map<string, Totals>, name: string): Totals {
  const totals = groups.get(name) ?? { ...NONE };
  groups.set(name, totals);
  return totals;
}

/** Which entries of a ledger to list: those that match every given field. */
export interface Selection {
  readonly types: readonly string[]; // Empty for all.
  readonly since?: number | undefined; // Ms since the epoch.
  readonly until?: number | undefined;
  readonly ref?: string | undefined; // A reference, or its first characters unless it must be whole.
  readonly whole?: boolean;
}

type Selectable = Pick<LedgerRow, "type" | "created_at" | "ref_id">;

export function matches({ type, created_at, ref_id }: Selectable, selection: Selection): boolean {
  const { types, since = -Infinity, until = Infinity, ref = ref_id, whole } = selection;
  const isReferred = whole === true ? ref_id === ref : ref_id.startsWith(ref);
  const at = since === -Infinity && until === Infinity ? 0 : Date.parse(created_at);
  return (types.length === 0 || types.includes(type)) && at >= since && at <= until && isReferred;
}

const PAGE = 100;
const FIRST = 5; // Entries of the first read, since a range may end before them.
/** Clocks of daemons may differ, and step: an entry may be dated this much earlier than one before it, ms. */
export const MAX_CLOCK_SKEW_MS = 86_400_000;

/** The entries that match, newest first, in constant memory; entries appended meanwhile are not included.
 * @throws CorruptionError after all entries above the damaged one were yielded */
export async function* newestFirst<E extends Selectable>(reader: LedgerReader<E>, selection: Selection) {
  const { since, until } = selection;
  const total = await reader.total();
  const end = reader.last?.();
  const newest = end === undefined ? NaN : Date.parse(end.created_at);
  if (since !== undefined && newest < since - MAX_CLOCK_SKEW_MS) return;
  const isInRange = until === undefined || newest <= until + MAX_CLOCK_SKEW_MS;
  const top = isInRange ? total : await lastBefore(reader, until + MAX_CLOCK_SKEW_MS, total);
  let size = since === undefined ? PAGE : FIRST;
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
    to -= size;
    if (size > 1) size = Math.min(PAGE, size * 2);
    for (const row of rows.toReversed()) if (matches(row, selection)) yield row;
    if (since !== undefined && rows.length > 0 && Date.parse(rows[0]!.created_at) < since - MAX_CLOCK_SKEW_MS) return;
  }
}

/** Number of the last entry dated at an instant or before it, by binary search, or a larger one. */
async function lastBefore(reader: LedgerReader<Selectable>, instant: number, total: number): Promise<number> {
  let low = 0;
  let high = total + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await reader.read(middle, middle);
    if (row === undefined || Date.parse(row.created_at) <= instant) low = middle;
    else high = middle;
  }
  return high - 1;
}
