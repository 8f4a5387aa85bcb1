import { readFileSync } from "node:fs";

/** The rows of a data file, each its columns, each its values. A row is a line, and goes on in lines that begin with a
 * blank; `|` separates columns, a comma values. A line that begins with `#` is a comment.
 * @example
 * readRows(new URL("data/assets.txt", import.meta.url)); // [["BTC"], ["bitcoin", "比特币"], ["xbt"]], … */
export const readRows = (file: URL): string[][][] => parseRows(readFileSync(file, "utf8"));

export function parseRows(text: string): string[][][] {
  const lines = text.replace(/^#.*(?:\r?\n|$)/gm, "");
  const rows = lines.split(/(?:\r?\n)+(?! )/).filter((row) => row.trim() !== "");
  const valuesOf = (column: string): string[] => column.split(",").map((value) => value.trim().replace(/\s+/g, " "));
  return rows.map((row) => row.split("|").map((column) => valuesOf(column).filter(Boolean)));
}

/** All values of a data file, whatever their rows and columns. */
export const readWords = (file: URL): string[] => readRows(file).flat(2);

/** What the rows of a data file begin with, by the names behind it. */
export const readNames = (file: URL): Map<string, string> =>
  new Map(readRows(file).flatMap(([[head = ""] = [], names = []]) => names.map((name) => [name, head] as const)));

/** The numbers of a data file with rows of a number and its names, by name. */
export const readNumbers = (file: URL): Map<string, number> =>
  new Map(Array.from(readNames(file), ([name, value]) => [name, Number(value)]));
