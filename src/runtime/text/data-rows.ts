import { readFileSync } from "node:fs";

/** The rows of a data file as lists of columns, which are lists of values. A row is a line, continued by lines that
 * begin with a blank; `|` separates columns, a comma values. A line that begins with `#` is a comment. */
export const readRows = (file: URL): string[][][] => parseRows(readFileSync(file, "utf8"));

export function parseRows(text: string): string[][][] {
  const lines = text.replace(/^#.*(?:\r?\n|$)/gm, "");
  const rows = lines.split(/(?:\r?\n)+(?! )/).filter((row) => row.trim() !== "");
  const valuesOf = (column: string): string[] => column.split(",").map((value) => value.trim().replace(/\s+/g, " "));
  return rows.map((row) => row.split("|").map((column) => valuesOf(column).filter(Boolean)));
}

/** All values of a data file, whatever their rows and columns. */
export const readWords = (file: URL): string[] => readRows(file).flat(2);

/** Maps the names of each row of a data file to the row's first value. */
export const readNames = (file: URL): Map<string, string> =>
  new Map(readRows(file).flatMap(([[head = ""] = [], names = []]) => names.map((name) => [name, head] as const)));

/** The same for rows that begin with a number. */
export const readNumbers = (file: URL): Map<string, number> =>
  new Map(Array.from(readNames(file), ([name, value]) => [name, Number(value)]));
