import { setTimeout as delay } from "node:timers/promises";
import { isOutage } from "../../../storage/storage-errors.ts";
import type { Context } from "../../framework/command-context.ts";
import { openRowPrinter } from "../../terminal/print.ts";
import { matches, newestFirst } from "../../../admin/ledger-reader.ts";
import type { LedgerReader, LedgerRow, Selection } from "../../../admin/ledger-reader.ts";
import { ledgerColumns } from "./ledger-columns.ts";

/** Time between two polls of the ledger's end, ms. A poll costs one small read. */
const POLL_MS = 500;
const PAGE = 100;

/**
 * Prints the last `count` entries of the selection, oldest first, and then new ones as they are written, until the
 * signal is aborted or stdout is closed.
 */
export async function follow(
  context: Context,
  reader: LedgerReader,
  selection: Selection,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  // The age of a new entry would always be "now".
  const columns = ledgerColumns(context.clock.now()).filter(({ person }) => person !== true);
  const printer = openRowPrinter(context, columns);
  let seen = await reader.total();
  const latest: LedgerRow[] = [];
  for await (const row of newestFirst(reader, selection)) {
    if (row.id <= seen) latest.push(row);
    if (latest.length === count || signal.aborted) break;
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
      if (failing) context.terminal.say("The storage answers again.");
      failing = false;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!failing) context.terminal.say(`${error.message}; retrying.`);
      failing = true;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
