import type { Context } from "../../framework/command-context.ts";
import { formatOf, openRowPrinter, printRows } from "../../terminal/print.ts";
import type { LedgerReader, LedgerRow } from "../../../admin/ledger-reader.ts";
import { ledgerColumns } from "./ledger-columns.ts";
import { newestFirst, type Selection } from "../../../admin/select-entries.ts";

/** Prints all entries of the selection, newest first, as they are read. */
export async function printAll(
  context: Context,
  reader: LedgerReader,
  selection: Selection,
  now: number,
): Promise<void> {
  const printer = openRowPrinter(context, ledgerColumns(now));
  let count = 0;
  try {
    for await (const row of newestFirst(reader, selection)) {
      count += 1;
      if (!(await printer.print(row))) return;
    }
  } catch (error) {
    await printer.flush();
    throw error;
  }
  await printer.end();
  if (count === 0) context.terminal.say("No entry matches.");
}

/** Prints one page of a user's entries, newest first. */
export async function printPage(
  context: Context,
  reader: LedgerReader,
  {
    who,
    page,
    size,
    now,
  }: { readonly who: string; readonly page: number; readonly size: number; readonly now: number },
): Promise<void> {
  const total = await reader.total();
  const to = total - (page - 1) * size;
  const items: LedgerRow[] = to < 1 ? [] : (await reader.read(Math.max(1, to - size + 1), to)).reverse();
  await printRows(context, {
    data: { items, total, page, page_size: size },
    rows: items,
    columns: ledgerColumns(now),
  });
  const pages = Math.ceil(total / size);
  if (total === 0) context.terminal.say(`The ledger of ${who} is empty.`);
  else if (pages > 1) context.terminal.say(`Page ${page} of ${pages}, ${total} entries.`);
  if (total > 0 && formatOf(context) === "table") {
    context.terminal.say(`Totals by type and day: anp ledger summary ${who}`);
  }
}
