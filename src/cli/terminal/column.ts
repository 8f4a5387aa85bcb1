import { showTime } from "../framework/time-format.ts";
import { cleanLine } from "./clean-text.ts";
import type { Terminal } from "./terminal.ts";

/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined | readonly string[];
type CellField<T> = { [K in keyof T & string]: T[K] extends Cell ? K : never }[keyof T & string];

/** One column: its name in machine formats, and its value of a row; without `of`, the field of that name. */
export type Column<T> = Display<T> &
  ({ readonly name: CellField<T>; readonly of?: never } | { readonly name: string; readonly of: (row: T) => Cell });

interface Display<T> {
  readonly show?: (row: T, terminal: Terminal) => string; // How a terminal shows it, if not as the plain value.
  readonly wide?: true; // Gets the rest of the terminal's width, and is truncated if that is too narrow.
  readonly spare?: true; // Left out if the terminal is too narrow for all columns.
  readonly machine?: true; // Only in machine formats: a terminal has no room for it.
  readonly person?: true; // Only on a terminal: a program can derive it from the other columns.
  readonly title?: string; // Its heading on a terminal, if not its name.
}

/** Columns by their names, in full where more is to be said of one. */
export const columnsOf = <T>(...columns: readonly (CellField<T> | Column<T>)[]): Column<T>[] =>
  columns.map((column) => (typeof column === "string" ? { name: column } : column));

/** A column of instants, which a terminal shows in a zone that the heading names. */
export function timeColumn<K extends string>(name: K, zone: string) {
  return { name, title: `${name} ${zone}`, show: (row: Readonly<Record<K, string>>) => showTime(row[name], zone) };
}

export const cellOf = <T extends object>(row: T, { name, of }: Column<T>): Cell =>
  of === undefined ? (Reflect.get(row, name) as Cell) : of(row);

/** A cell as text for people and for tab-separated lines: one line, no control characters. */
export function plain(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  return cleanLine(Array.isArray(cell) ? cell.join("; ") : String(cell));
}

/** A row in full: a name and a value a line. */
export function drawRecord(names: readonly string[], texts: readonly string[], { paint }: Pick<Terminal, "paint">) {
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name, at) => `${paint("bold", name.padEnd(width))}  ${texts[at]}`.trimEnd().concat("\n")).join("");
}
