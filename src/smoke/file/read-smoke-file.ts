import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import { didYouMean } from "../../runtime/did-you-mean.ts";
import { checkMeaning } from "./check-smoke-file.ts";
import { smokeFile, type SmokeContent } from "./smoke-file.ts";
import type { FileIssue, Path } from "./file-issue.ts";

/** A smoke file that was read and checked. */
export interface SmokeFile {
  /** As it was named. */
  readonly path: string;
  readonly content: SmokeContent;
  /** The line of what stands at a path, counted from 1. */
  readonly lineOf: (path: Path) => number;
  /** `FILE:LINE:COLUMN: what is wrong` with what stands at a path. */
  readonly fault: (path: Path, message: string) => string;
}

/**
 * Reads a smoke file's text.
 *
 * @param env the environment that `${env.NAME}` names
 * @returns the file, or every fault of it, as `FILE:LINE:COLUMN: what is wrong`
 */
export function readSmokeFile(
  path: string,
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): SmokeFile | readonly string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const at = (offset: number, message: string): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}: ${message}`;
  };
  if (document.errors.length > 0) {
    // The first error of a line makes the others.
    const firsts = document.errors.filter(({ pos }, index, all) => {
      const { line } = lines.linePos(pos[0]);
      return all.findIndex((other) => lines.linePos(other.pos[0]).line === line) === index;
    });
    return firsts.map(({ pos, message }) => at(pos[0], `${firstLine(message)}.${hintOf(text, pos[0])}`));
  }
  const value: unknown = document.toJS();
  if (value === null || value === undefined) return [at(0, "the file is empty: it needs `steps`.")];
  const parsed = smokeFile.safeParse(value);
  const place = ({ path: keys, of = "value" }: Pick<FileIssue, "path" | "of">): number => offsetOf(document, keys, of);
  const flaws = parsed.success ? checkMeaning(parsed.data, env) : parsed.error.issues.flatMap(flawsOf);
  if (flaws.length > 0 || !parsed.success) return flaws.map((flaw) => at(place(flaw), flaw.message));
  return {
    path,
    content: parsed.data,
    lineOf: (keys) => lines.linePos(place({ path: keys })).line,
    fault: (keys, message) => at(place({ path: keys, of: "key" }), message),
  };
}

/** zod's issue in words that name the key. */
function flawsOf(issue: z.core.$ZodIssue): FileIssue[] {
  const path = issue.path as Path;
  const name = nameOf(path);
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      of: "key" as const,
      message: `${nameOf([...path, key])} is no key of a smoke file.${didYouMean(key, known)}${listOf(known)}`,
    }));
  }
  if (issue.code === "invalid_type" && / received undefined$/.test(issue.message)) {
    return [{ path, message: `${name} is missing.` }];
  }
  return [{ path, message: `${name} ${wordsOf(issue)}.` }];
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_union") return "must be a text or a number";
  if (issue.code === "too_small")
    return issue.origin === "array" ? "must not be empty" : `must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "invalid_format" && issue.format === "datetime")
    return "must be an instant such as 2026-11-20T00:00:00Z";
  return issue.message;
}

const TYPES: Readonly<Record<string, string>> = {
  object: "a map of keys",
  record: "a map of keys",
  array: "a list",
  string: "a text",
  int: "an integer",
};

/** The keys that the schema knows at a path. */
function keysAt(path: Path): readonly string[] {
  let schema: unknown = smokeFile;
  for (const key of path) {
    const inner = unwrap(schema);
    schema =
      typeof key === "number" ? Reflect.get(inner, "element") : Reflect.get(Reflect.get(inner, "shape") as object, key);
  }
  return Object.keys(Reflect.get(unwrap(schema), "shape") as object);
}

function unwrap(schema: unknown): object {
  let inner = schema as { unwrap?: () => unknown };
  while (typeof inner.unwrap === "function" && !("element" in inner)) inner = inner.unwrap() as typeof inner;
  return inner;
}

function listOf(keys: readonly string[]): string {
  return ` Known here: ${keys.join(", ")}.`;
}

/** A path as people write it: `steps[2].expect`. */
export function nameOf(path: Path): string {
  const name = path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${key}`), "");
  return name === "" ? "the file" : name.replace(/^\./, "");
}

/** Where the key or value at a path stands, or the nearest above it that there is. */
function offsetOf(document: Document.Parsed, path: Path, of: "key" | "value"): number {
  let node: unknown = document.contents;
  let found = startOf(node) ?? 0;
  for (const [index, key] of path.entries()) {
    while (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === String(key));
      if (pair === undefined) return found;
      const wanted = of === "key" && index === path.length - 1 ? pair.key : pair.value;
      found = startOf(wanted) ?? startOf(pair.key) ?? found;
      node = pair.value;
    } else if (isSeq(node) && typeof key === "number") {
      node = node.items[key];
      found = startOf(node) ?? found;
    } else return found;
  }
  return found;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]!.replace(/ at line \d+, column \d+:?$/, "");
}

/** `{ id: ${a.b} }` is a nested map to YAML: the braces need quotes. */
function hintOf(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const line = text.slice(start, text.indexOf("\n", offset) === -1 ? undefined : text.indexOf("\n", offset));
  return /[{[].*\$\{/.test(line) && !/"\$\{/.test(line)
    ? ' Quote references inside of { } and [ ]: "${step.path}".'
    : "";
}
