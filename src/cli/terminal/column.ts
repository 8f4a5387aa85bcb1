import type { Context } from "../framework/command-context.ts";
import { showAge, showInstant, showTime } from "../framework/time-format.ts";
import { cleanLine, showId } from "./clean-text.ts";
import TABLES from "./tables.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";

export type Cell = string | number | boolean | null | undefined | readonly string[];
type CellField<T> = { [K in keyof T & string]: T[K] extends Cell ? K : never }[keyof T & string];

/** One column: its name in machine formats, and its value of a row; without `of`, the field of that name. */
export type Column<T> = Making<T> & { readonly name: string };

interface Making<T> {
  readonly of?: (row: T) => Cell;
  readonly show?: (row: T, terminal: Terminal) => string | undefined; // How a terminal shows it; else the plain value.
  readonly wide?: boolean; // Gets the rest of the terminal's width, and is truncated if that is too narrow.
  readonly spare?: boolean; // Left out if the terminal is too narrow for all columns.
  readonly machine?: boolean; // Only in machine formats: a terminal has no room for it.
  readonly person?: boolean; // Only on a terminal: a program can derive it from the other columns.
  readonly title?: string; // Its heading on a terminal, if not its name.
  readonly left?: boolean; // Aligned left although it is a number, as an id.
}

type Tables = typeof TABLES;
export type TableName = keyof Tables;
type ColumnName<N extends TableName> = keyof Tables[N]["columns"];
/** Columns whose value is found at a path that `tables.json` names, as `account.balance`. */
type AtPath<N extends TableName> = {
  [K in ColumnName<N>]: Tables[N]["columns"][K] extends { of: string } ? K : never;
}[ColumnName<N>];
/** How to make the columns of a table that are not fields, and how to show others than `tables.json` says. */
type Makings<T, N extends TableName> = { readonly [K in ColumnName<N>]?: Making<T> } & {
  readonly [K in Exclude<ColumnName<N>, CellField<T> | AtPath<N>>]: Making<T> & { readonly of: (row: T) => Cell };
};
type Cells<T, N extends TableName> =
  object extends Makings<T, N> ? { readonly cells?: Makings<T, N> } : { readonly cells: Makings<T, N> };
/** A table of `tables.json`, and the zone of its times. The cells may be left out if it defines all columns. */
export type Table<T, N extends TableName> = Cells<T, N> & { readonly table: N; readonly zone?: string };

const REF_SHOWN = 13; // Characters of a shortened reference, enough for --ref.
type Row = Readonly<Record<string, unknown>>;
type Timed = Pick<Context, "clock">;
type Place = { readonly row: Row; readonly terminal: Terminal; readonly now: number; readonly zone: string };

/** The formatters for a terminal, by their names in `tables.json`. */
const SHOWN: Readonly<Record<string, (value: never, place: Place) => string>> = {
  instant: showInstant,
  time: (iso: string, { zone }) => showTime(iso, zone),
  age: (iso: string, { now }) => showAge(iso, now),
  delta: (delta: number, { terminal: { paint } }) =>
    delta > 0 ? paint("green", `+${delta}`) : delta < 0 ? paint("red", String(delta)) : "0",
  yes: (value: boolean) => (value ? "yes" : ""),
  beginning: (text: string) => `${text}…`,
  reference: (ref: string) => cleanLine(ref).slice(0, REF_SHOWN),
  repeat: (entry: number, { row: { seconds_after, repeat_key } }) =>
    `${entry}, ${String(seconds_after)} s later, ${repeat_key === "other" ? "other key" : "no key"}`,
};

/** A column in `tables.json`: the path of its value in a row, its formatter, and the text for no value. */
type Written = { readonly of?: string; readonly as?: string; readonly empty?: string };

export function tableColumns<T extends object, N extends TableName>({ clock }: Timed, of: Table<T, N>): Column<T>[] {
  const { table, zone = "Z", cells } = of;
  const now = clock.now();
  const columns = Object.entries<Omit<Making<T>, "of"> & Written>(TABLES[table].columns);
  return columns.map(([name, { of, as = "", empty, ...display }]) => {
    const path = (of ?? name).split(".");
    const valueOf = (row: T) => path.reduce<unknown>((value, key) => (value as Row | null)?.[key], row) as Cell;
    const show = (row: T, terminal: Terminal): string | undefined => {
      const value = valueOf(row) ?? undefined;
      return value === undefined ? empty : SHOWN[as]?.(value as never, { row: row as Row, terminal, now, zone });
    };
    const title = as === "time" ? { title: `${name} ${zone}` } : {};
    return { name, ...display, show, ...title, ...(of && { of: valueOf }), ...cells?.[name as ColumnName<N>] };
  });
}

/** The hint that is printed for a table without rows. @param filter the options that leave rows out */
export const hintOf = (table: TableName, filter: object = {}): string | undefined =>
  (TABLES[table] as { none?: string; unmatched?: string })[Object.values(filter).join("") ? "unmatched" : "none"];

export const cellOf = <T extends object>(row: T, { name, of }: Column<T>): Cell =>
  of === undefined ? (Reflect.get(row, name) as Cell) : of(row);

/** A cell as one text, with every character. */
export const textOf = (cell: Cell): string => (Array.isArray(cell) ? cell.join("; ") : String(cell ?? ""));

/** A cell of a column as text for people, on one line. In a user's id, also what cannot be seen is visible. */
export const plain = (cell: Cell, column: string): string =>
  column === "user_id" || column === "user" ? showId(textOf(cell)) : cleanLine(textOf(cell));

/** A row in full, one name and value per line. */
export function drawRecord(names: readonly string[], texts: readonly string[], { paint }: Pick<Terminal, "paint">) {
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name, at) => `${paint("bold", name.padEnd(width))}  ${texts[at]}`.trimEnd().concat("\n")).join("");
}
