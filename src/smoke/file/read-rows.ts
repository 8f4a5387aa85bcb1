import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "csv-parse/sync";
import type { InvalidField, ValuePath } from "../../contract/validation/validate-value.ts";
import { MOST_ROWS, stepsOf, type Row, type SmokeContent } from "./smoke-file.ts";

/** Replaces the names of CSV files in the smoke file's folder by their rows of strings. @returns their errors */
export function readRows(content: SmokeContent, folder: string): InvalidField[] {
  const steps = stepsOf(content).map(({ phase, index, step }) => ({ holder: step, path: [phase, index] as ValuePath }));
  return [{ holder: content, path: [] }, ...steps].flatMap(({ holder, path }): InvalidField[] => {
    if (typeof holder.rows !== "string") return [];
    const name = holder.rows;
    try {
      holder.rows = parse<Row>(readText(resolve(folder, name)), OPTIONS);
      if (holder.rows.length > 0 && holder.rows.length <= MOST_ROWS) return [];
      return [{ path: [...path, "rows"], message: `${name} must have 1 to ${MOST_ROWS} rows.` }];
    } catch (error) {
      return [{ path: [...path, "rows"], message: `${name} cannot be read: ${(error as Error).message}.` }];
    }
  });
}

const OPTIONS = { columns: unique, bom: true, skip_empty_lines: true, record_delimiter: ["\r\n", "\n", "\r"] };

function unique(names: string[]): string[] {
  const twice = names.find((name, index) => name === "" || names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(twice === "" ? "a column has no name" : `two columns are named ${twice}`);
  return names;
}

/** The text of a file. @throws Error for a file that cannot be read or is not UTF-8 */
export const readText = (path: string): string => new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
