import { setTimeout as delay } from "node:timers/promises";
import { isOutage } from "../../../storage/storage-errors.ts";
import type { Context } from "../../framework/command-context.ts";
import { EXIT, type ExitCode } from "../../framework/exit.ts";
import { awaitInterrupt } from "../../framework/interrupt.ts";
import { openRowPrinter } from "../../terminal/print.ts";
import type { LedgerReader, LedgerRow } from "../../../admin/ledger-reader.ts";
import { ledgerColumns } from "./ledger-columns.ts";
import { matches, newestFirst, type Selection } from "../../../admin/select-entries.ts";

/** How often the end of the ledger is looked at, ms: one look costs one small read. */
const EVERY_MS = 500;
const PAGE = 100;

/**
 * Prints the last `count` entries that are meant, oldest first, and then new ones as they are made, until it is
 * interrupted or nobody reads any more.
 */
export async function follow(
  context: Context,
  reader: LedgerReader,
  selection: Selection,
  count: number,
): Promise<ExitCode> {
  const interrupt = awaitInterrupt(context.io);
  try {
    await followUntil(interrupt.signal, context, reader, selection, count);
  } finally {
    interrupt.forget();
  }
  return interrupt.signal.aborted ? EXIT.interrupted : EXIT.ok;
}

async function followUntil(
  signal: AbortSignal,
  context: Context,
  reader: LedgerReader,
  selection: Selection,
  count: number,
): Promise<void> {
  // A new entry is as old as its row: its age would be "now" for ever.
  const printer = openRowPrinter(
    context,
    ledgerColumns(context.clock.now()).filter(({ person }) => person !== true),
  );
  let seen = await reader.total();
  const latest: LedgerRow[] = [];
  for await (const row of newestFirst(reader, selection)) {
    if (row.id <= seen) latest.push(row);
    if (latest.length === count || signal.aborted) break;
  }
  for (const row of latest.reverse()) await printer.print(row);
  if (!(await printer.flush())) return;
  let told = false;
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
      if (told) context.terminal.say("The storage answers again.");
      told = false;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!told) context.terminal.say(`${error.message}; trying again.`);
      told = true;
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
