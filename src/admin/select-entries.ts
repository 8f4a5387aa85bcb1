import type { LedgerReader } from "../cli/commands/ledger/daemon-ledger-reader.ts";
import type { LedgerRow } from "../cli/commands/ledger/ledger-columns.ts";

/** Which entries are meant: all that every given part fits. */
export interface Selection {
  /** Empty for all. */
  readonly types: readonly string[];
  /** Ms since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** A reference, or what it begins with. */
  readonly ref?: string | undefined;
}

export function isEverything({ types, since, until, ref }: Selection): boolean {
  return types.length === 0 && since === undefined && until === undefined && ref === undefined;
}

/** Whether an entry is meant. */
export function fits({ type, created_at, ref_id }: LedgerRow, { types, since, until, ref }: Selection): boolean {
  const at = Date.parse(created_at);
  return (
    (types.length === 0 || types.includes(type)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until) &&
    (ref === undefined || ref_id.startsWith(ref))
  );
}

const PAGE = 100;
/** Daemons' clocks may differ, and step: an entry may be this much older than one before it, ms. */
const DISORDER_MS = 86_400_000;

/** The entries that are meant, newest first, in flat memory; entries that come meanwhile are not among them. */
export async function* newestFirst(reader: LedgerReader, selection: Selection): AsyncGenerator<LedgerRow> {
  const { since, until } = selection;
  const total = await reader.total();
  const top = until === undefined ? total : await lastBefore(reader, until + DISORDER_MS, total);
  let size = PAGE;
  for (let to = top; to >= 1;) {
    let rows: LedgerRow[];
    try {
      rows = await reader.read(Math.max(1, to - size + 1), to);
    } catch (error) {
      // What is right is shown up to the entry that is not.
      if (size === 1 || (error as Error).name !== "CorruptionError") throw error;
      size = 1;
      continue;
    }
    to -= rows.length;
    for (const row of rows.toReversed()) {
      if (fits(row, selection)) yield row;
    }
    if (since !== undefined && Date.parse(rows[0]!.created_at) < since - DISORDER_MS) return;
  }
}

/** Number of the last entry that was made at an instant or before it, found by halving. */
async function lastBefore(reader: LedgerReader, instant: number, total: number): Promise<number> {
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
