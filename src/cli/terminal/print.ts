import { cellOf, drawRecord, hintOf, plain, tableColumns, textOf } from "./column.ts";
import type { Cell, Column, Table, TableName } from "./column.ts";
import type { Context } from "../framework/command-context.ts";
import type { Format } from "../framework/global-flags.ts";
import type { TableLayout } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { escapeForTerminal } from "./clean-text.ts";

export { tableColumns, type Column, type TableName } from "./column.ts";

/** The format of this run: the one of the flags, else a table on a terminal and tab-separated lines in a pipe. */
export const formatOf = ({ globals, terminal }: Context) => globals.format ?? (terminal.interactive ? "table" : "tsv");

interface Printed<T> {
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly data?: unknown;
  readonly none?: string | undefined;
}

/** Prints rows (as JSON: `data`), or the hint `none` if there are none. @returns false when the reader has gone */
export async function printRows<T extends object>(context: Context, { rows, columns, data = rows, none }: Printed<T>) {
  const { terminal } = context;
  const format = formatOf(context);
  const text =
    format === "json" ? `${JSON.stringify(data, null, 2)}\n` : await rendererOf(format, columns, terminal)(rows, true);
  const isRead = await terminal.write(text);
  if (rows.length === 0 && none !== undefined) terminal.say(none);
  return isRead;
}

/** Rows of a table of `tables.json`. */
export type TableRows<T, N extends TableName> = Omit<Printed<T>, "columns"> & Table<T, N> & { filter?: object };

/** Prints the rows of such a table, or by default its hint. @returns as {@link printRows} */
export const printTable = <T extends object, N extends TableName>(context: Context, given: TableRows<T, N>) =>
  printRows(context, { none: hintOf(given.table, given.filter), ...given, columns: tableColumns(context, given) });

type Shown<T> = { readonly [K in keyof T]?: (value: T[K]) => string };

/** Prints one object: one field per line on a terminal, one row for a program; false when the reader has gone.
 * @param show how a terminal shows a field, if not as the plain value */
export async function printRecord<T extends object>(context: Context, data: T, show: Shown<T> = {}) {
  const names = Object.keys(data) as (keyof T & string)[];
  const columns = names.map((name) => ({ name, of: (row: T) => toCell(row[name]) }));
  if (formatOf(context) !== "table") return printRows(context, { data, rows: [data], columns });
  const texts = names.map((name) => show[name]?.(data[name]) ?? plain(toCell(data[name]), name));
  return context.terminal.write(drawRecord(names, texts, context.terminal));
}

const BATCH_ROWS = 100;
type Printing = { readonly format?: Format; readonly paged?: boolean };

/** Prints rows as they come, in batches and in constant memory. A table is drawn in parts, with the widths of its first.
 * `print` and `flush` return false once the reader has gone.
 * @param how.paged whether a JSON document is one page that holds all rows */
export function openRowPrinter<T extends object>(context: Context, columns: readonly Column<T>[], how: Printing = {}) {
  const { format = formatOf(context), paged = false } = how;
  const { terminal } = context;
  const render = rendererOf(format, columns, terminal);
  const json = format === "json";
  const head = !json ? "" : paged ? '{ "items": [' : "[";
  let waiting: T[] = [];
  let count = 0;
  let isFirst = true;
  async function flush(): Promise<boolean> {
    const begin = isFirst ? head : "";
    const text = render(waiting, isFirst);
    [waiting, isFirst] = [[], false];
    return terminal.write(begin + (await text));
  }
  return {
    /** Waits until the reader has taken what does not fit into the batch. */
    async print(row: T): Promise<boolean> {
      count += 1;
      waiting.push(row);
      return waiting.length < BATCH_ROWS || flush();
    },
    flush,
    /** @param total of all rows, if not all were printed; null where it is not known */
    async end(total: number | null = count): Promise<void> {
      await flush();
      const page = paged ? `, "total": ${total}, "page": 1, "page_size": ${count} }` : "";
      if (json) await terminal.write(`${count === 0 ? "" : "\n"}]${page}\n`);
    },
  };
}

type Render<T> = (rows: readonly T[], isFirst: boolean) => string | Promise<string>;

function rendererOf<T extends object>(format: Format, columns: readonly Column<T>[], terminal: Terminal): Render<T> {
  if (format === "json")
    return (rows, isFirst) => rows.map((row, i) => `${isFirst && i === 0 ? "" : ","}\n${JSON.stringify(row)}`).join("");
  if (format === "jsonl") return (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  if (format === "table") {
    let layout: TableLayout<T> | undefined;
    return async (rows, isFirst) => {
      const { drawRows, layoutColumns } = await import("./table.ts");
      layout ??= layoutColumns(rows, columns, terminal);
      return rows.length === 0 && !isFirst ? "" : drawRows(rows, layout, terminal, isFirst);
    };
  }
  const shown = columns.filter(({ person }) => person !== true);
  const escape = terminal.interactive ? escapeForTerminal : String;
  const lineOf = (cells: readonly Cell[]): string =>
    `${format === "tsv" ? cells.map(tsvField).join("\t") : escape(cells.map(csvField).join(","))}\n`;
  return (rows, isFirst) => {
    const lines = rows.map((row) => lineOf(shown.map((column) => cellOf(row, column))));
    return [...(isFirst ? [lineOf(shown.map(({ name }) => name))] : []), ...lines].join("");
  };
}

const toCell = (value: unknown): Cell =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : (value as Cell);

/** Escapes as in JSON, but not quotes. A terminal may follow: bidi marks are escaped too. */
const tsvField = (cell: Cell): string =>
  escapeForTerminal(JSON.stringify(textOf(cell)).slice(1, -1).replaceAll('\\"', '"'));

/** RFC 4180. A text that a spreadsheet would run as a formula gets a leading apostrophe; numbers stay numbers. */
function csvField(cell: Cell): string {
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = textOf(cell).replace(/^[=+\-@＝＋－＠\t\r\n]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
