import {
  newestFirst,
  storedLedgerReader,
  toLedgerRow,
  type LedgerReader,
  type LedgerRow,
  type Selection,
} from "../../../admin/ledger-reader.ts";
import type { Entry } from "../../../ledger/entry.ts";
import { firstOf } from "../../../runtime/batches.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError, type ExitCode } from "../../framework/exit.ts";
import { withAccountOperations, type AccountOperations } from "../../target/operations.ts";
import { optional, toggle, userParam, integer } from "../../framework/param.ts";
import { formatOf, openRowPrinter, printRows } from "../../terminal/print.ts";
import { ledgerColumns, wideColumns, type WideRow } from "./ledger-columns.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import type { Column } from "../../terminal/column.ts";

const PAGE_SIZE = 20;
const TAIL = 10;

export const list = defineCommand("ledger list", {
  arguments: { user: userParam() },
  options: {
    ...selectionFlags,
    all: toggle(),
    follow: toggle(),
    page: optional(integer()),
    pageSize: optional(integer()),
    limit: optional(integer(1)),
    wide: toggle(),
    tail: optional(integer(0)),
  },
  async run({ user, all, follow: following, page, pageSize, limit, wide, tail = TAIL, ...flags }, context) {
    const now = context.clock.now();
    const { checkInput } = await import("../../../contract/check-input.ts");
    const unpaged =
      all || [limit, flags.since, flags.until, flags.ref, flags.type[0]].some((given) => given !== undefined);
    if (unpaged && (page !== undefined || pageSize !== undefined)) {
      throw new UsageError(
        "--page and --page-size cannot be used with --all, --limit, --type, --since, --until or --ref.",
      );
    }
    if (following && (all || page !== undefined)) throw new UsageError("--follow cannot be used with --all or --page.");
    if (wide && following) throw new UsageError("--wide cannot be used with --follow.");
    if (wide && context.daemon !== undefined)
      throw new UsageError("--wide reads the questions from the storage: give --storage.");
    if (following && context.globals.format === "json") {
      throw new UsageError("--follow never ends, so it cannot print one JSON document: use --format jsonl.");
    }
    checkInput("getLedger", { query: { page, page_size: pageSize } });
    const show = async (operations: AccountOperations): Promise<ExitCode> => {
      const { openLedgerReader } = await import("./daemon-ledger-reader.ts");
      const [who, zone] = [await operations.currentUser(), await operations.zone()];
      const selection = selectionOf(flags, now, zone);
      const reader = openLedgerReader(operations, who);
      const columns = ledgerColumns(now, zone);
      if (following) {
        const { follow } = await import("./follow.ts");
        const { signal, forget } = awaitInterrupt(context.io);
        // The age of a new entry would always be "now".
        const shown = columns.filter(({ person }) => person !== true);
        await follow(openRowPrinter(context, shown), context, { reader, selection, count: tail, signal }).finally(
          forget,
        );
        return signal.aborted ? EXIT.interrupted : EXIT.ok;
      }
      const paged = { who, page: page ?? 1, size: pageSize ?? PAGE_SIZE };
      if (wide)
        await printWide(context, operations.session!, { paged: unpaged ? undefined : paged, selection, limit, who });
      else if (unpaged) await printAll(context, columns, newestFirst(reader, selection), limit);
      else await printPage(context, columns, await readPage(reader, paged), paged);
      return EXIT.ok;
    };
    return withAccountOperations(context, user, show, { lookUp: true });
  },
});

interface Page {
  readonly who: string;
  readonly page: number;
  readonly size: number;
}

interface Wide {
  readonly who: string;
  /** The page to print; all entries of the selection without. */
  readonly paged: Page | undefined;
  readonly selection: Selection;
  readonly limit: number | undefined;
}

/** Prints rows as they come, also those before a damaged entry. @param limit ends the list after so many */
export async function printAll<T extends LedgerRow>(
  context: Context,
  columns: readonly Column<T>[],
  rows: AsyncIterable<T>,
  limit = Infinity,
): Promise<void> {
  const printer = openRowPrinter(context, columns, true);
  let count = 0;
  try {
    for await (const row of rows) {
      count += 1;
      if (!(await printer.print(row))) return;
      if (count === limit) break;
    }
  } catch (error) {
    await printer.flush();
    throw error;
  }
  await printer.end(count === limit);
  if (count === 0) context.terminal.say("No entry matches.");
}

async function printWide(
  context: Context,
  { service: { ledger, storage, config } }: AccountsSession,
  { who, paged, selection, limit = Infinity }: Wide,
): Promise<void> {
  const { withQuestions } = await import("../../../admin/charged-questions.ts");
  const reader = storedLedgerReader(ledger, who);
  const columns = wideColumns(context.clock.now(), config.quota.timezone);
  async function* described(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<WideRow> {
    for await (const { entry, charge } of withQuestions(storage, entries)) {
      const {
        question = null,
        route = null,
        repeats_entry = null,
        seconds_after = null,
        repeat_key = null,
      } = charge ?? {};
      yield { ...toLedgerRow(entry), route, question, repeats_entry, seconds_after, repeat_key };
    }
  }
  // One more than is listed is read: the last one may repeat it.
  if (paged === undefined) {
    await printAll(context, columns, described(firstOf(newestFirst(reader, selection), limit + 1)), limit);
    return;
  }
  const { total, items } = await readPage(reader, paged, 1);
  const rows: WideRow[] = [];
  for await (const row of described(items)) if (rows.length < paged.size) rows.push(row);
  await printPage(context, columns, { total, items: rows }, paged);
}

/** @param more older entries to read besides */
async function readPage<E>(reader: LedgerReader<E>, { page, size }: Page, more = 0) {
  const total = await reader.total();
  const to = total - (page - 1) * size;
  return { total, items: to < 1 ? [] : (await reader.read(Math.max(1, to - size + 1 - more), to)).reverse() };
}

async function printPage<T extends LedgerRow>(
  context: Context,
  columns: readonly Column<T>[],
  { total, items }: { readonly total: number; readonly items: readonly T[] },
  { who, page, size }: Page,
): Promise<void> {
  const data = { items, total, page, page_size: size };
  await printRows(context, { data, rows: items, columns });
  const pages = Math.ceil(total / size);
  if (total === 0) context.terminal.say(`The ledger of ${who} is empty.`);
  else if (pages > 1) context.terminal.say(`Page ${page} of ${pages}, ${total} entries.`);
  if (total > 0 && formatOf(context) === "table") {
    context.terminal.say(`Totals by type and day: anp ledger summary ${who}`);
  }
}
