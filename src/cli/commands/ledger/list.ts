import { type LedgerReader, newestFirst, selectsAll, type Selection } from "../../../admin/ledger-reader.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError, type ExitCode } from "../../framework/exit.ts";
import { withAccountOperations, type AccountOperations, USER_OR_TOKEN } from "../../target/operations.ts";
import { optional, toggle, userParam, integer } from "../../framework/param.ts";
import { formatOf, openRowPrinter, printRows } from "../../terminal/print.ts";
import { ledgerColumns } from "./ledger-columns.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";

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
        const { follow } = await import("./follow.ts");
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
  const data = { items, total, page, page_size: size };
  await printRows(context, { data, rows: items, columns: ledgerColumns(now) });
  const pages = Math.ceil(total / size);
  if (total === 0) context.terminal.say(`The ledger of ${who} is empty.`);
  else if (pages > 1) context.terminal.say(`Page ${page} of ${pages}, ${total} entries.`);
  if (total > 0 && formatOf(context) === "table") {
    context.terminal.say(`Totals by type and day: anp ledger summary ${who}`);
  }
}
