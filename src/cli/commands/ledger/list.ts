import {
  type LedgerReader,
  newestFirst,
  selectsAll,
  type Selection,
  type LedgerRow,
  matches,
} from "../../../admin/ledger-reader.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError, type ExitCode } from "../../framework/exit.ts";
import { withAccountOperations, type AccountOperations, USER_OR_TOKEN } from "../../target/operations.ts";
import { optional, toggle, userParam, integer } from "../../framework/param.ts";
import { formatOf, openRowPrinter, printRows } from "../../terminal/print.ts";
import { ledgerColumns } from "./ledger-columns.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";
import { setTimeout as delay } from "node:timers/promises";
import { isOutage } from "../../../storage/storage-errors.ts";

const PAGE_SIZE = 20;

export const list = defineCommand({
  summary: "List a user's ledger, newest first",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: {
    ...selectionFlags,
    all: toggle("all entries, not only a page"),
    follow: toggle("keep printing new entries as they are written; oldest first"),
    page: optional("n", "page number, from 1", integer()),
    pageSize: optional("n", `entries per page, 1 to 100; ${PAGE_SIZE} when left out`, integer()),
  },
  target: "either",
  async run({ user, all, follow: following, page, pageSize, ...flags }, context) {
    const now = context.clock.now();
    const selection = selectionOf(flags, now);
    const { checkInput } = await import("../../../contract/check-input.ts");
    const unpaged = all || !selectsAll(selection);
    if (unpaged && (page !== undefined || pageSize !== undefined)) {
      throw new UsageError("--page and --page-size cannot be used with --all, --type, --since, --until or --ref.");
    }
    if (following && (all || page !== undefined)) throw new UsageError("--follow cannot be used with --all or --page.");
    if (following && context.globals.format === "json") {
      throw new UsageError("--follow never ends, so it cannot print one JSON document: use --format jsonl.");
    }
    checkInput("getLedger", { query: { page, page_size: pageSize } });
    const show = async (operations: AccountOperations): Promise<ExitCode> => {
      const { openLedgerReader } = await import("./daemon-ledger-reader.ts");
      const who = await operations.currentUser();
      const reader = openLedgerReader(operations, who);
      if (following) {
        const { signal, forget } = awaitInterrupt(context.io);
        await follow(context, reader, selection, pageSize ?? PAGE_SIZE, signal).finally(forget);
        return signal.aborted ? EXIT.interrupted : EXIT.ok;
      }
      if (unpaged) await printAll(context, reader, selection, now);
      else await printPage(context, reader, { who, page: page ?? 1, size: pageSize ?? PAGE_SIZE, now });
      return EXIT.ok;
    };
    return withAccountOperations(context, user, show, { lookUp: true });
  },
});

async function printAll(context: Context, reader: LedgerReader, selection: Selection, now: number): Promise<void> {
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

async function printPage(
  context: Context,
  reader: LedgerReader,
  { who, page, size, now }: { who: string; page: number; size: number; now: number },
): Promise<void> {
  const total = await reader.total();
  const to = total - (page - 1) * size;
  const items = to < 1 ? [] : (await reader.read(Math.max(1, to - size + 1), to)).reverse();
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
