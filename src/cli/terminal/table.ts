import Table from "cli-table3";
import { cellOf, drawRecord, plain, type Column } from "./column.ts";
import NO_LINES from "./no-lines.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";
import { cutToWidth, widthOf } from "./text-width.ts";

const GAP = 2;
const MIN_WIDTH = 16;
const FEW_COLUMNS = 3; // A table with at most this many columns is never drawn as records: its lines wrap.

/** The columns of a table that a terminal has room for, and their widths, the gaps to the next included. */
export interface TableLayout<T> {
  readonly columns: readonly Column<T>[];
  readonly widths: readonly number[];
  readonly asRecords: boolean; // Whether each row is drawn as a record instead.
}

/** Draws a table without lines. Numbers are aligned right; wide characters count two columns; longer texts are cut. As
 * records, each row is drawn in full: one name and value per line, an empty line between rows.
 * @param isFirst whether to draw the column names first */
export function drawRows<T extends object>(
  rows: readonly T[],
  { columns, widths, asRecords }: TableLayout<T>,
  terminal: Terminal,
  isFirst: boolean,
): string {
  const names = namesOf(columns);
  if (asRecords) {
    const records = cellsOf(rows, columns, terminal).map((row) => drawRecord(names, row, terminal));
    return `${isFirst ? "" : "\n"}${records.join("\n")}`;
  }
  const table = new Table({
    head: isFirst ? names.map((name) => terminal.paint("bold", name.toUpperCase())) : [],
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 0, "padding-right": GAP, compact: true },
    colAligns: columns.map((column) =>
      column.left !== true && typeof (rows[0] && cellOf(rows[0], column)) === "number" ? "right" : "left",
    ),
    colWidths: [...widths],
  });
  for (const row of cellsOf(rows, columns, terminal))
    table.push(row.map((cell, at) => cutToWidth(cell, widths[at]! - GAP))); // The library takes quadratic time for it.
  return `${table.toString().replace(/(?<![ \t])[ \t]+$/gm, "")}\n`;
}

/** Makes columns as wide as their widest cell. On a narrower terminal the `wide` column is cut, to 16 at least; then
 * `spare` columns are left out; then rows of more than three columns are drawn as records. */
export function layoutColumns<T extends object>(rows: readonly T[], given: readonly Column<T>[], terminal: Terminal) {
  const columns = given.filter(({ machine }) => machine !== true);
  const layout = fit(rows, columns, terminal);
  const isTooWide = sumOf(layout.widths) - GAP > terminal.columns && columns.length > FEW_COLUMNS;
  return isTooWide && terminal.interactive ? { columns, widths: [], asRecords: true } : layout;
}

function fit<T extends object>(rows: readonly T[], columns: readonly Column<T>[], terminal: Terminal): TableLayout<T> {
  const cells = [namesOf(columns), ...cellsOf(rows, columns, terminal)];
  const widths = columns.map((_, at) => GAP + Math.max(...cells.map((row) => widthOf(row[at]!))));
  const flexible = columns.findIndex(({ wide }) => wide === true);
  const excess = Math.max(0, sumOf(widths) - GAP - terminal.columns);
  const width = widths[flexible] ?? 0;
  const minWidth = Math.min(width, MIN_WIDTH);
  const spare = columns.findLastIndex((column) => column.spare === true);
  if (spare !== -1 && width - excess < minWidth) return fit(rows, columns.toSpliced(spare, 1), terminal);
  if (flexible !== -1) widths[flexible] = Math.max(minWidth, width - excess);
  return { columns, widths, asRecords: false };
}

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

const namesOf = <T>(columns: readonly Column<T>[]): string[] =>
  columns.map(({ name, title = name }) => title.replaceAll("_", " "));

const cellsOf = <T extends object>(rows: readonly T[], columns: readonly Column<T>[], terminal: Terminal): string[][] =>
  rows.map((row) => columns.map((column) => column.show?.(row, terminal) ?? plain(cellOf(row, column), column.name)));
