import { cellOf, plain, type Cell, type Column } from "./column.ts";
import type { Context } from "../framework/command-context.ts";
import type { Format } from "../framework/global-flags.ts";
import type { TableLayout } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** The format of this run: the one of the flags, else a table on a terminal and tab-separated lines in a pipe. */
export function formatOf({ globals, terminal }: Context): Format {
  return globals.format ?? (terminal.interactive ? "table" : "tsv");
}

/** Prints rows; `data` is the content of the JSON document, `none` the hint where there are no rows.
 * @returns false when the reader has gone */
export async function printRows<T extends object>(
  context: Context,
  { data, rows, columns, none }: { data: unknown; rows: readonly T[]; columns: readonly Column<T>[]; none?: string },
): Promise<boolean> {
  const { terminal } = context;
  const format = formatOf(context);
  let text: string;
  if (format === "json") text = `${JSON.stringify(data, null, 2)}\n`;
  else if (format === "table") text = (await import("./table.ts")).drawTable(rows, forPeople(columns), terminal);
  else text = headOf(format, columns) + rows.map((row) => lineOf(format, row, columns)).join("");
  const isRead = await terminal.write(text);
  if (rows.length === 0 && none !== undefined) terminal.say(none);
  return isRead;
}

/** Prints rows as they come, in constant memory. A table is drawn in parts, with the widths of its first part.
 * @param paged whether a JSON document is one page that holds all rows */
export function openRowPrinter<T extends object>(
  context: Context,
  columns: readonly Column<T>[],
  paged = false,
): RecordPrinter<T> {
  const { terminal } = context;
  const format = formatOf(context);
  if (format !== "table") return openRecordPrinter(context, columns, format, paged);
  let waiting: T[] = [];
  let layout: TableLayout<T> | undefined;
  async function flush(): Promise<boolean> {
    const { drawTable, layOut } = await import("./table.ts");
    const head = layout === undefined;
    layout ??= layOut(waiting, forPeople(columns), terminal);
    const text =
      waiting.length === 0 && !head ? "" : drawTable(waiting, forPeople(columns), terminal, { layout, head });
    waiting = [];
    return terminal.write(text);
  }
  return {
    async print(row) {
      waiting.push(row);
      return waiting.length < ROWS_DRAWN ? true : flush();
    },
    async end() {
      await flush();
    },
    flush,
  };
}

/** Prints one object: one field per line on a terminal, one row for a program; false when the reader has gone.
 * @param show how a terminal shows a field, where that is not the plain value */
export async function printRecord<T extends object>(
  context: Context,
  data: T,
  show: { readonly [K in keyof T]?: (value: T[K]) => string } = {},
): Promise<boolean> {
  const cells = Object.entries(data).map(([name, value]) => ({ name, cell: toCell(value) }));
  if (formatOf(context) !== "table") {
    const columns = cells.map(({ name, cell }): Column<object> => ({ name, of: () => cell }));
    return printRows(context, { data, rows: [data], columns });
  }
  const width = Math.max(...cells.map(({ name }) => name.length));
  const lines = cells.map(({ name, cell }) => {
    const text = show[name as keyof T]?.(data[name as keyof T]) ?? plain(cell);
    return `${context.terminal.paint("bold", name.padEnd(width))}  ${text}`.trimEnd().concat("\n");
  });
  return context.terminal.write(lines.join(""));
}

/** Prints any number of records as they come. Methods return false once the reader has gone. */
export interface RecordPrinter<T> {
  /** Waits until the reader has taken what does not fit into the batch. */
  print(record: T): Promise<boolean>;
  flush(): Promise<boolean>;
  /** @param isCut whether there may be more records than were printed */
  end(isCut?: boolean): Promise<void>;
}

const BATCH_CHARACTERS = 32 * 1024;
const ROWS_DRAWN = 100;

/** Text that is written in batches. Both functions return false once the reader has gone. */
function openBatch({ terminal }: Context, start = "") {
  let waiting = start;
  const flush = (): Promise<boolean> => {
    const text = waiting;
    waiting = "";
    return terminal.write(text);
  };
  const add = async (text: string): Promise<boolean> => {
    waiting += text;
    return waiting.length < BATCH_CHARACTERS ? true : flush();
  };
  return { add, flush };
}

/** Prints lines as they come; false when stdout was closed before the last of them. */
export async function printLines(context: Context, lines: AsyncIterable<string>): Promise<boolean> {
  const { add, flush } = openBatch(context);
  for await (const line of lines) {
    if (!(await add(`${line}\n`))) return false;
  }
  return flush();
}

/** Prints records as they come, in constant memory; as lines of JSON without --format. */
export function openRecordPrinter<T extends object>(
  context: Context,
  columns: readonly Column<T>[],
  format: Format = context.globals.format ?? "jsonl",
  paged = false,
): RecordPrinter<T> {
  const json = format === "json";
  const { add, flush } = openBatch(context, json ? (paged ? '{ "items": [' : "[") : headOf(format, columns));
  let count = 0;
  return {
    print(record) {
      count += 1;
      return add(json ? `${count === 1 ? "" : ","}\n${JSON.stringify(record)}` : lineOf(format, record, columns));
    },
    flush,
    async end(isCut = false) {
      const page = paged ? `, "total": ${isCut ? "null" : count}, "page": 1, "page_size": ${count} }` : "";
      if (json) await add(`${count === 0 ? "" : "\n"}]${page}\n`);
      await flush();
    },
  };
}

/** An instant as a terminal shows it: to the second, in UTC. */
export function showInstant(iso: string | null): string {
  return iso === null ? "-" : iso.replace("T", " ").replace(/(\.\d+)?Z$/, "Z");
}

/** A change in points, with its sign and colour. */
export function showDelta(delta: number, terminal: Terminal): string {
  if (delta === 0) return "0";
  return delta > 0 ? terminal.paint("green", `+${delta}`) : terminal.paint("red", String(delta));
}

function toCell(value: unknown): Cell {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function forPeople<T>(columns: readonly Column<T>[]): Column<T>[] {
  return columns.filter(({ machine }) => machine !== true);
}

function forPrograms<T>(columns: readonly Column<T>[]): Column<T>[] {
  return columns.filter(({ person }) => person !== true);
}

function headOf<T>(format: Format, columns: readonly Column<T>[]): string {
  const names = forPrograms(columns).map(({ name }) => name);
  if (format === "tsv") return `${names.join("\t")}\n`;
  return format === "csv" ? `${names.map(quote).join(",")}\n` : "";
}

function lineOf<T extends object>(format: Format, row: T, columns: readonly Column<T>[]): string {
  if (format === "jsonl") return `${JSON.stringify(row)}\n`;
  const cells = forPrograms(columns).map((column) => cellOf(row, column));
  if (format === "tsv") return `${cells.map(plain).join("\t")}\n`;
  return `${cells.map((cell) => quote(csvText(cell))).join(",")}\n`;
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe; numbers stay numbers. */
function csvText(cell: Cell): string {
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = Array.isArray(cell) ? cell.join("; ") : ((cell ?? "") as string);
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/** RFC 4180. */
function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
