import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "csv-parse/sync";
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Document, Pair, Range, YAMLMap } from "yaml";
import { validate, type InvalidField, type ValuePath } from "../../contract/validation/validate-value.ts";
import { knownKeys } from "../../contract/validation/schema-walk.ts";
import OTHER_TOOLS from "./other-tools.json" with { type: "json" };
import type { Env } from "./resolve-references.ts";
import { checkContent } from "./check-smoke-file.ts";
import { MAX_ROWS, smokeFile, stepsOf, type Row, type SmokeContent } from "./smoke-file.ts";

/** A smoke file that was read and validated. */
export type SmokeFile = Exclude<ReturnType<typeof readSmokeFile>, readonly string[]>;

/** Reads a smoke file's text. @param env the environment that `${env.NAME}` refers to
 * @param cwd the folder that the path is relative to; CSV files are beside the smoke file
 * @returns the file, or every error in it, as `FILE:LINE:COLUMN: message` */
export function readSmokeFile(path: string, text: string, env: Env, cwd = "") {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number, message: string): string =>
    `${path}:${Object.values(lines.linePos(offset)).join(":")}: ${message}`;
  if (document.errors.length > 0) {
    // The first error causes the others, but for keys that are given twice.
    const twice = document.errors.filter(({ code }) => code === "DUPLICATE_KEY");
    const firsts = twice.length === document.errors.length ? twice : document.errors.slice(0, 1);
    return firsts.map(({ pos: [from], message }) => {
      return at(from, `${message}.${hintOf(message, text.split("\n")[lines.linePos(from).line - 1] ?? "")}`);
    });
  }
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return [at(0, "the file is empty; it needs `steps`.")];
  const checked = validate(smokeFile, value);
  let errors = checked.valid ? readRows(checked.data, resolve(cwd, dirname(path))) : checked.errors.map(toSentence);
  if (checked.valid && errors.length === 0) errors = checkContent(checked.data, env);
  if (!checked.valid || errors.length > 0) {
    const found = errors.map(({ path, of = "value", message }) => [rangeOf(document, path, of)[0], message] as const);
    return found.sort(([a], [b]) => a - b).map(([from, message]) => at(from, message));
  }
  return {
    path,
    content: checked.data,
    /** The lines of the value at a path, from 1. */
    linesOf: (keys: ValuePath): readonly [first: number, last: number] => {
      const [start, end] = rangeOf(document, keys, "value");
      return [lines.linePos(start).line, lines.linePos(Math.max(start, end - 1)).line];
    },
    /** An error at a path, as `FILE:LINE:COLUMN: message`. */
    errorAt: (keys: ValuePath, message: string) => at(rangeOf(document, keys, "key")[0], message),
  };
}

/** Replaces the names of CSV files in the smoke file's folder by their rows of strings. @returns their errors */
function readRows(content: SmokeContent, folder: string): InvalidField[] {
  const steps = stepsOf(content).map(({ phase, index, step }) => ({ holder: step, path: [phase, index] as ValuePath }));
  return [{ holder: content, path: [] }, ...steps].flatMap(({ holder, path }): InvalidField[] => {
    if (typeof holder.rows !== "string") return [];
    const name = holder.rows;
    try {
      holder.rows = parse<Row>(readText(resolve(folder, name)), CSV);
      if (holder.rows.length > 0 && holder.rows.length <= MAX_ROWS) return [];
      return [{ path: [...path, "rows"], message: `${name} must have 1 to ${MAX_ROWS} rows.` }];
    } catch (error) {
      return [{ path: [...path, "rows"], message: `${name} cannot be read: ${(error as Error).message}.` }];
    }
  });
}

const CSV = { columns: uniqueNames, bom: true, skip_empty_lines: true, record_delimiter: ["\r\n", "\n", "\r"] };

function uniqueNames(names: string[]): string[] {
  const twice = names.find((name, index) => name === "" || names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(twice === "" ? "a column has no name" : `two columns are named ${twice}`);
  return names;
}

/** The text of a file. @throws Error for a file that cannot be read or is not UTF-8 */
export const readText = (path: string): string => new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));

function toSentence(error: InvalidField): InvalidField {
  const { path, message, of, hint } = error;
  const key = path.findLast((name) => typeof name === "string") ?? "";
  if (of === "key") {
    const kind = path.length === 1 ? "file" : path.length === 3 ? "step" : String(path.at(-2));
    const named = (OTHER_TOOLS as Record<string, Record<string, string>>)[kind]?.[key];
    const ours = kind === "expect" && key.includes(".") ? "write data: { balance: 0 }" : named;
    const known = hint?.replace(/\w$/, "$&.") ?? `Known keys: ${knownKeys(smokeFile, path.slice(0, -1)).join(", ")}.`;
    return { ...error, message: `${nameOf(path)} ${message}${ours ? `: ${ours}.` : `. ${known}`}` };
  }
  const form = /^(is required|must be an? (object|array|string)\b)/.test(message) && OTHER_TOOLS.forms[key as "steps"];
  return { ...error, message: `${nameOf(path)} ${message}.${form ? ` Write ${form}.` : ""}${hint ? ` ${hint}` : ""}` };
}

/** A path in words: `steps[2].expect`. */
export function nameOf(path: ValuePath): string {
  const name = path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${key}`), "");
  return name === "" ? "the file" : name.replace(/^\./, "");
}

/** The offsets at which the key or value at a path starts and ends, or those of its nearest ancestor that exists. */
function rangeOf(document: Document.Parsed, path: ValuePath, of: "key" | "value"): Range {
  let node: unknown = document.contents;
  let found: Range = spanOf(node) ?? [0, 0, 0];
  for (const [index, key] of path.entries()) {
    while (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = pairOf(node, key, document);
      if (pair === undefined) return found;
      found = spanOf(of === "key" && index === path.length - 1 ? pair.key : pair.value) ?? spanOf(pair.key) ?? found;
      node = pair.value;
    } else if (isSeq(node) && typeof key === "number") {
      node = node.items[key];
      found = spanOf(node) ?? found;
    } else return found;
  }
  return found;
}

/** The pair of a key in a map, or in the maps that `<<` merges into it. */
function pairOf(map: YAMLMap, key: string | number, document: Document.Parsed): Pair | undefined {
  const named = (name: string) =>
    map.items.filter(({ key: one }) => isScalar(one) && (one.source ?? String(one.value)) === name);
  const merged = named("<<").flatMap(({ value }) => (isSeq(value) ? value.items : [value]));
  const pairs = merged.map((one) => {
    const node = isAlias(one) ? one.resolve(document) : one;
    return isMap(node) ? pairOf(node, key, document) : undefined;
  });
  return [...named(String(key)), ...pairs].find((pair) => pair !== undefined);
}

const spanOf = (node: unknown): Range | undefined => (isNode(node) && node.range) || undefined;

function hintOf(message: string, line: string): string {
  // `{ id: ${a.b} }` is a nested map to YAML.
  if (/^[^[{]*[[{].*\$\{/.test(line) && !/"\$\{/.test(line))
    return ' Quote references inside of { } and [ ]: "${step.path}".';
  if (/^Nested mappings|mplicit (map )?key/.test(message)) return ' Quote a text that contains ": ".';
  return /^Unexpected|flow/.test(message) && /[[{]/.test(line) ? " Quote a text that contains [, ], { or }." : "";
}
