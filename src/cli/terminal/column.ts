import { showInstant, showTime } from "../framework/time-format.ts";
import { cleanLine } from "./clean-text.ts";
import TABLES from "./tables.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";

/** What a cell may hold. */
export type Cell = string | number | boolean | null | undefined | readonly string[];
type CellField<T> = { [K in keyof T & string]: T[K] extends Cell ? K : never }[keyof T & string];

/** One column: its name in machine formats, and its value of a row; without `of`, the field of that name. */
export type Column<T> = Display<T> &
  ({ readonly name: CellField<T>; readonly of?: never } | { readonly name: string; readonly of: (row: T) => Cell });

interface Display<T> {
  readonly show?: (row: T, terminal: Terminal) => string; // How a terminal shows it, if not as the plain value.
  readonly wide?: boolean; // Gets the rest of the terminal's width, and is truncated if that is too narrow.
  readonly spare?: boolean; // Left out if the terminal is too narrow for all columns.
  readonly machine?: boolean; // Only in machine formats: a terminal has no room for it.
  readonly person?: boolean; // Only on a terminal: a program can derive it from the other columns.
  readonly title?: string; // Its heading on a terminal, if not its name.
}

type Tables = typeof TABLES;
export type TableName = keyof Tables;
type ColumnName<N extends TableName> = keyof Tables[N]["columns"];
type Making<T> = Display<T> & { readonly of?: (row: T) => Cell };
/** How columns of a table of `tables.json` are made that are no fields, and shown if not as the plain value. */
export type Makings<T, N extends TableName> = { readonly [K in ColumnName<N>]?: Making<T> } & {
  readonly [K in Exclude<ColumnName<N>, CellField<T>>]: Making<T> & { readonly of: (row: T) => Cell };
};

const SHOWN: Readonly<Record<string, (value: never, terminal: Terminal) => string>> = {
  instant: showInstant,
  delta: (delta: number, { paint }) =>
    delta > 0 ? paint("green", `+${delta}`) : delta < 0 ? paint("red", String(delta)) : "0",
  yes: (value: boolean) => (value ? "yes" : ""),
};

/** The columns of a table of `tables.json`. */
export const tableColumns = <T, N extends TableName>(table: N, makings?: Makings<T, N>): Column<T>[] =>
  Object.entries<Display<T> & { readonly as?: string }>(TABLES[table].columns).map(([name, { as, ...display }]) => {
    const shown = (row: T, terminal: Terminal) => SHOWN[as!]!(Reflect.get(row as object, name) as never, terminal);
    return { name, ...display, ...(as && { show: shown }), ...makings?.[name as ColumnName<N>] };
  });

/** What is printed of such a table without rows. */
export const hintOf = (table: TableName): string | undefined => (TABLES[table] as { none?: string }).none;

/** A column of instants, which a terminal shows in a zone that the heading names. */
export function timeColumn<K extends string>(name: K, zone: string) {
  return { name, title: `${name} ${zone}`, show: (row: Readonly<Record<K, string>>) => showTime(row[name], zone) };
}

export const cellOf = <T extends object>(row: T, { name, of }: Column<T>): Cell =>
  of === undefined ? (Reflect.get(row, name) as Cell) : of(row);

/** A cell as text for people and for tab-separated lines: one line, no control characters. */
export const plain = (cell: Cell): string =>
  cell === null || cell === undefined ? "" : cleanLine(Array.isArray(cell) ? cell.join("; ") : String(cell));

/** A row in full: a name and a value a line. */
export function drawRecord(names: readonly string[], texts: readonly string[], { paint }: Pick<Terminal, "paint">) {
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name, at) => `${paint("bold", name.padEnd(width))}  ${texts[at]}`.trimEnd().concat("\n")).join("");
}
