import { matches, newestFirst, storedLedgerReader, toLedgerRow } from "../../../admin/ledger-reader.ts";
import type { LedgerReader, LedgerRow, Selection } from "../../../admin/ledger-reader.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import { defineCommand, EXIT, UsageError, type Context, type ExitCode } from "../../framework/command.ts";
import { withAccountOperations, type AccountOperations } from "../../target/operations.ts";
import { flagOf, optional, toggle, userParam, integer } from "../../params/param.ts";
import { formatOf, openRowPrinter, printRows, tableColumns, type Column } from "../../terminal/print.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { setTimeout as delay } from "node:timers/promises";

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
  async run({ user, all, follow: following, page, pageSize, limit, wide, tail = 10, ...flags }, context) {
    const { validateRequest } = await import("../../../contract/validation/validate-request.ts");
    const [selecting] = givenOf({ ...flags, type: flags.type[0] });
    const [unpaged = selecting] = givenOf({ all: all || undefined, limit });
    const [paged] = givenOf({ page, pageSize });
    if (unpaged !== undefined && paged !== undefined) throw new UsageError(`${paged} cannot be used with ${unpaged}.`);
    const [ending] = givenOf({ all: all || undefined, page, pageSize, limit });
    if (following && ending !== undefined) throw new UsageError(`${ending} cannot be used with --follow: give --tail.`);
    if (wide && following) throw new UsageError("--wide cannot be used with --follow.");
    if (wide && context.daemon !== undefined)
      throw new UsageError("--wide reads the questions from the storage: give --storage.");
    if (following && context.globals.format === "json")
      throw new UsageError("--follow never ends, so it cannot print one JSON document: use --format jsonl.");
    validateRequest("getLedger", { query: { page, page_size: pageSize } });
    const show = async (operations: AccountOperations): Promise<ExitCode> => {
      const [who, zone] = [await operations.currentUser(), await operations.zone()];
      const selection = selectionOf(flags, context.clock.now(), zone);
      const print = <T extends LedgerRow>(reader: LedgerReader<T>, columns: readonly Column<T>[]): Promise<void> =>
        unpaged !== undefined
          ? printAll(context, columns, newestFirst(reader, selection), limit, selecting === undefined)
          : printPage(context, columns, reader, { who, page: page ?? 1, size: pageSize ?? 20 });
      const columns: readonly Column<LedgerRow>[] = tableColumns(context, { table: "ledger", zone });
      const wideTable = { table: "wide ledger", zone } as const;
      const reader = (await import("./daemon-ledger-reader.ts")).openLedgerReader(operations, who);
      if (wide) await print(await openWideReader(operations.session!, who), tableColumns(context, wideTable));
      else if (!following) await print(reader, columns);
      if (!following) return EXIT.ok;
      const { signal, forget } = awaitInterrupt(context.io);
      await follow(context, columns, { reader, selection, count: tail }, signal).finally(forget);
      return signal.aborted ? EXIT.interrupted : EXIT.ok;
    };
    return withAccountOperations(context, user, show, { lookUp: true });
  },
});

const givenOf = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [flagOf(key)]));

const NO_CHARGE = { route: null, question: null, repeats_entry: null, seconds_after: null, repeat_key: null };

/** Reads entries with the questions that they charged for. */
async function openWideReader({ service: { ledger, storage } }: AccountsSession, user: string) {
  const { catchDamage } = await import("../../../storage/storage.ts");
  const { readCharges, REPEAT_WINDOW } = await import("../../../admin/charged-questions.ts");
  const { total, read } = storedLedgerReader(ledger, user);
  return {
    total,
    async read(from: number, to: number) {
      const entries = await read(from, to);
      // An entry may repeat what one before these charged for. A damaged one is reported where it is listed itself.
      const older = await catchDamage(read(from - REPEAT_WINDOW, from - 1), () => []);
      const charges = await readCharges(storage, [...older, ...entries].reverse());
      return entries.map((entry, index) => {
        const charge = charges[entries.length - 1 - index] ?? NO_CHARGE;
        const { route, question, repeats_entry, seconds_after, repeat_key } = charge;
        return { ...toLedgerRow(entry), route, question, repeats_entry, seconds_after, repeat_key };
      });
    },
  };
}

/** Prints rows as they come, also those before a damaged entry. @param limit ends the list after so many
 * @param isWhole whether the rows are a whole ledger: then the number of the first is that of all */
export async function printAll<T extends LedgerRow>(
  context: Context,
  columns: readonly Column<T>[],
  rows: AsyncIterable<T>,
  limit = Infinity,
  isWhole = false,
): Promise<void> {
  const printer = openRowPrinter(context, columns, { paged: true });
  let count = 0;
  let total: number | null = null;
  try {
    for await (const row of rows) {
      if (isWhole) total ??= row.id;
      if (!(await printer.print(row))) return;
      if (++count === limit) break;
    }
  } catch (error) {
    await printer.flush();
    throw error;
  }
  await printer.end(count === limit ? total : count);
  if (count === 0) context.terminal.say("No entry matches.");
}

async function printPage<T extends LedgerRow>(
  context: Context,
  columns: readonly Column<T>[],
  reader: LedgerReader<T>,
  { who, page, size }: { readonly who: string; readonly page: number; readonly size: number },
): Promise<void> {
  const total = await reader.total();
  const to = total - (page - 1) * size;
  const items = to < 1 ? [] : (await reader.read(Math.max(1, to - size + 1), to)).reverse();
  await printRows(context, { data: { items, total, page, page_size: size }, rows: items, columns });
  const pages = Math.ceil(total / size);
  if (total === 0) context.terminal.say(`The ledger of ${who} is empty.`);
  else if (pages > 1) context.terminal.say(`Page ${page} of ${pages}, ${total} entries.`);
  if (total > 0 && formatOf(context) === "table")
    context.terminal.say(`Totals by type and day: anp ledger summary ${who}`);
}

const POLL_MS = 500; // Time between two polls of the ledger's end, ms. A poll costs one small read.
const PAGE = 100;

type Tail = { readonly reader: LedgerReader; readonly selection: Selection; readonly count: number };

/** Prints the last `count` entries, oldest first, then new ones as they come, until an abort or a closed stdout. */
async function follow(context: Context, columns: readonly Column<LedgerRow>[], tail: Tail, signal: AbortSignal) {
  const { reader, selection, count } = tail;
  const shown = columns.filter(({ person }) => person !== true); // The age of a new entry would always be "now".
  const printer = openRowPrinter(context, shown);
  const { isOutage } = await import("../../../storage/storage.ts");
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
      if (failing) context.terminal.warn("The storage answers again.");
      failing = false;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!failing) context.terminal.warn(`${error.message}; retrying.`);
      failing = true;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
