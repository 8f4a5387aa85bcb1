import type { LedgerReader, LedgerRow } from "./ledger-reader.ts";

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
