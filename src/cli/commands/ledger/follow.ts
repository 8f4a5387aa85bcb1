import { setTimeout as delay } from "node:timers/promises";
import { isOutage } from "../../../storage/storage-errors.ts";
import type { Context } from "../../framework/command-context.ts";
import type { RowPrinter } from "../../terminal/print.ts";
import { matches, newestFirst } from "../../../admin/ledger-reader.ts";
import type { LedgerReader, LedgerRow, Selection } from "../../../admin/ledger-reader.ts";

const POLL_MS = 500; // Time between two polls of the ledger's end, ms. A poll costs one small read.
const PAGE = 100;

interface Followed {
  readonly reader: LedgerReader;
  readonly selection: Selection;
  readonly count: number;
  readonly signal: AbortSignal;
}

/** Prints the last `count` entries, oldest first, then new ones as they come, until an abort or a closed stdout. */
export async function follow(
  printer: RowPrinter<LedgerRow>,
  { terminal }: Context,
  { reader, selection, count, signal }: Followed,
): Promise<void> {
  let seen = await reader.total();
  const latest: LedgerRow[] = [];
  for await (const row of newestFirst(reader, selection)) {
    if (latest.length === count || signal.aborted) break;
    if (row.id <= seen) latest.push(row);
  }
  for (const row of latest.reverse()) await printer.print(row);
  if (!(await printer.flush())) return;
  let failing = false;
  while (!signal.aborted) {
    try {
      const total = await reader.total();
      if (total > seen) {
        const rows = await reader.read(seen + 1, Math.min(total, seen + PAGE));
        for (const row of rows.filter((one) => matches(one, selection))) await printer.print(row);
        seen += rows.length;
        if (!(await printer.flush())) return;
        if (seen < total) continue;
      }
      if (failing) terminal.warn("The storage answers again.");
      failing = false;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!failing) terminal.warn(`${error.message}; retrying.`);
      failing = true;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
