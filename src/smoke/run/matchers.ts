import { Decimal as DecimalJs } from "decimal.js";
import { z } from "zod";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import { isRecord } from "../../runtime/json/json-values.ts";
import { differs, show, type Problem } from "./smoke-result.ts";

/** A rule for a value (undefined for no field): true, what was expected instead, or the problems of its parts. */
type Matcher = (actual: unknown, argument: never, path: string) => true | string | readonly Problem[];

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
/** Whether a value is an ISO 8601 instant with its offset. */
export const isInstant = (value: unknown): boolean =>
  typeof value === "string" && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

const TYPES = {
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: isRecord,
  null: (value) => value === null,
  timestamp: isInstant,
} satisfies Record<string, (value: unknown) => boolean>;

const order = z.enum(["asc", "desc"]);
const sortedBy = z.union([order, z.strictObject({ by: z.string(), order: order.optional() })]);

const Decimal = DecimalJs.clone({ precision: 60 }); // Exact sums of decimal numbers: 0.1 + 0.2 is 0.3.
const decimal = z.string().refine((text) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(unsigned(text)), "must be a number");
/** A term of a sum: `-${step.path}` of a negative value has two signs. */
const unsigned = (term: number | string): string => String(term).replace(/^--/, "");

/** All matchers, by their key in a file. `matchers.json` says what each is and takes, with an example. */
export const MATCHERS = {
  $exists: (actual, wanted: boolean) => (actual !== undefined) === wanted || (wanted ? "anything" : "nothing"),
  $type: (actual, type: keyof typeof TYPES) => TYPES[type](actual) || `of type ${type}`,
  $gt: ordered("greater than", (order) => order > 0),
  $gte: ordered("at least", (order) => order >= 0),
  $lt: ordered("less than", (order) => order < 0),
  $lte: ordered("at most", (order) => order <= 0),
  $match: (actual, pattern: string) =>
    (typeof actual === "string" && patternOf(pattern)!.test(actual)) || `a string that matches ${pattern}`,
  $contains(actual, wanted: unknown, path) {
    if (typeof actual === "string" && typeof wanted === "string" && actual.includes(wanted)) return true;
    const isIn = Array.isArray(actual) && actual.some((item) => matches(wanted, item, path));
    return isIn || `to contain ${show(wanted)}`;
  },
  $length(actual, wanted: unknown, path) {
    const items: unknown = typeof actual === "string" ? Array.from(actual) : actual;
    return Array.isArray(items) ? compare(wanted, items.length, `${path}.length`) : "an array or a string";
  },
  $each(actual, wanted: unknown, path) {
    if (!Array.isArray(actual)) return "an array";
    return actual.flatMap((item, index) => compare(wanted, item, `${path}[${index}]`));
  },
  $sorted(actual, given: z.infer<typeof sortedBy>, path) {
    if (!Array.isArray(actual)) return "an array";
    const { by, order = "asc" } = typeof given === "string" ? { by: undefined, order: given } : given;
    const [names, where] = by === undefined ? [[], ""] : [by.split("."), `.${by}`];
    const keys = actual.map((item: unknown) => names.reduce((value, key) => Reflect.get(Object(value), key), item));
    const [wrongSign, words] = order === "asc" ? [-1, "not before"] : [1, "not after"];
    for (const [index, key] of keys.entries()) {
      const sign = index === 0 ? 0 : orderOf(key, keys[index - 1]);
      const at = `${path}[${index}]${where}`;
      if (Number.isNaN(sign)) return [differs(at, "a number or a string", key)];
      if (sign === wrongSign) return [differs(at, `${words} ${show(keys[index - 1])}`, key)];
    }
    return true;
  },
  $sum(actual, terms: readonly (number | string)[]) {
    const total = Decimal.sum(...terms.map(unsigned)).toNumber();
    return actual === total || `${total} (${terms.join(" + ").replaceAll("+ -", "- ")})`;
  },
  $in: (actual, wanted: readonly unknown[], path) =>
    wanted.some((one) => matches(one, actual, path)) || `one of ${wanted.map(show).join(", ")}`,
  $all: (actual, wanted: readonly unknown[], path) => wanted.flatMap((one) => compare(one, actual, path)),
  $not: (actual, wanted: unknown, path) => !matches(wanted, actual, path) || `not ${show(wanted)}`,
  $exact: (actual, wanted: unknown, path) => compare(wanted, actual, path, "exact"),
} satisfies Record<string, Matcher>;

const bound = z.union([z.number(), z.string()]);

/** The argument schemas of the matchers that take neither an expectation nor a list of them. */
export const ARGUMENTS: Readonly<Partial<Record<MatcherName, z.ZodType>>> = {
  $exists: z.boolean(),
  $type: z.enum(Object.keys(TYPES) as (keyof typeof TYPES)[]),
  ...{ $gt: bound, $gte: bound, $lt: bound, $lte: bound },
  $match: z.string().refine((text) => patternOf(text) !== undefined, "must be a regular expression"),
  $sorted: sortedBy,
  $sum: z.array(z.union([z.number(), decimal])).min(1),
  $exact: z.unknown(),
};

export type MatcherName = keyof typeof MATCHERS;
export const isMatcherName = (name: string): name is MatcherName => Object.hasOwn(MATCHERS, name);

/** Whether an expectation is an object of matchers. */
export const isMatching = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.keys(value).some((key) => key.startsWith("$"));

type Mode = "exact" | "open";

/** Compares `actual`, which is undefined for an absent field, with what is expected at a path. Objects may have further
 * fields, arrays must have the same length, matchers apply their rule, and everything else must be equal.
 * @param mode `exact`: an object may have no further field, and a key with `$` is a field as any other */
export function compare(expected: unknown, actual: unknown, path: string, mode: Mode = "open"): readonly Problem[] {
  if (mode === "open" && isMatching(expected)) {
    if (Array.isArray(actual) && actual.length === 0 && "$each" in expected && !("$length" in expected))
      return [differs(path, "at least one element ($length: { $gte: 0 } allows none)", actual)];
    return Object.entries(expected).flatMap(([name, argument]) => {
      const found = (MATCHERS[name as MatcherName] as Matcher)(actual, argument as never, path);
      return found === true ? [] : typeof found === "string" ? [differs(path, found, actual)] : found;
    });
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (actual.length === expected.length)
      return expected.flatMap((item, index) => compare(item, actual[index], `${path}[${index}]`, mode));
    if (mode === "open") return [differs(`${path}.length`, String(expected.length), actual.length)];
  }
  if (isRecord(expected) && isRecord(actual)) {
    const known = Object.keys(actual);
    return [...new Set([...Object.keys(expected), ...(mode === "exact" ? known : [])])].flatMap((key) => {
      const field = Object.hasOwn(actual, key) ? actual[key] : undefined;
      const found = compare(expected[key], field, path === "" ? key : `${path}.${key}`, mode);
      const hint = mode === "open" && field === undefined ? didYouMean(key, known) : "";
      return hint === "" ? found : found.map((problem) => ({ ...problem, message: `${problem.message}.${hint}` }));
    });
  }
  return expected === actual ? [] : [differs(path, show(expected), actual)];
}

const matches = (expected: unknown, actual: unknown, path: string) => compare(expected, actual, path).length === 0;

function ordered(words: string, holds: (order: number) => boolean) {
  return (actual: unknown, bound: number | string) => holds(orderOf(actual, bound)) || `${words} ${show(bound)}`;
}

function orderOf(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b);
  if (typeof a !== "string" || typeof b !== "string") return NaN;
  if (INSTANT.test(a) && INSTANT.test(b)) return Math.sign(Date.parse(a) - Date.parse(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function patternOf(text: string): RegExp | undefined {
  const [, source = text, flags = ""] = /^\/(.*)\/([imsu]*)$/s.exec(text) ?? [];
  try {
    return new RegExp(source, flags.includes("u") ? flags : `${flags}u`);
  } catch {
    return undefined;
  }
}
