import { Decimal as DecimalJs } from "decimal.js";
import { z } from "zod";
import { differences, differs, show, type Compare, type Problem } from "./problem.ts";

/** A rule for an expected value, other than equality. */
export interface Matcher {
  /** What its argument is: an expectation, a list of them, or a value of a schema. */
  readonly argument: "expectation" | "expectations" | z.ZodType;
  /** The problems of `actual`, which is undefined for an absent field. */
  readonly match: (actual: unknown, argument: never, path: string, compare: Compare) => readonly Problem[];
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

const TYPES = {
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  null: (value) => value === null,
  timestamp: isInstant,
} satisfies Record<string, (value: unknown) => boolean>;

type TypeName = keyof typeof TYPES;

const orderable = z.union([z.number(), z.string()]);
const sortedBy = z.union([
  z.enum(["asc", "desc"]),
  z.strictObject({ by: z.string(), order: z.enum(["asc", "desc"]).optional() }),
]);

/** Exact sums of decimal numbers: 0.1 + 0.2 is 0.3. */
const Decimal = DecimalJs.clone({ precision: 60 });
const decimal = z.string().refine((text) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(unsigned(text)), "must be a number");

/** A term of a sum: `-${step.path}` of a negative value has two signs. */
function unsigned(term: number | string): string {
  return String(term).replace(/^--/, "");
}

/** All matchers, by their key in a file. `matchers.json` says what each is, with an example. */
export const MATCHERS = {
  $exists: {
    argument: z.boolean(),
    match: (actual, wanted: boolean, path) =>
      (actual !== undefined) === wanted ? [] : [differs(path, wanted ? "anything" : "nothing", actual)],
  },
  $type: {
    argument: z.enum(Object.keys(TYPES) as TypeName[]),
    match: (actual, type: TypeName, path) => (TYPES[type](actual) ? [] : [differs(path, `of type ${type}`, actual)]),
  },
  $gt: ordered("greater than", (order) => order > 0),
  $gte: ordered("at least", (order) => order >= 0),
  $lt: ordered("less than", (order) => order < 0),
  $lte: ordered("at most", (order) => order <= 0),
  $match: {
    argument: z.string().refine((text) => patternOf(text) !== undefined, { message: "must be a regular expression" }),
    match: (actual, pattern: string, path) =>
      typeof actual === "string" && patternOf(pattern)!.test(actual)
        ? []
        : [differs(path, `a string that matches ${pattern}`, actual)],
  },
  $contains: {
    argument: "expectation",
    match(actual, wanted: unknown, path, compare) {
      if (typeof actual === "string" && typeof wanted === "string" && actual.includes(wanted)) return [];
      if (Array.isArray(actual) && actual.some((item) => compare(wanted, item, path).length === 0)) return [];
      return [differs(path, `to contain ${show(wanted)}`, actual)];
    },
  },
  $length: {
    argument: "expectation",
    match(actual, wanted: unknown, path, compare) {
      const items: unknown = typeof actual === "string" ? Array.from(actual) : actual;
      if (!Array.isArray(items)) return [differs(path, "an array or a string", actual)];
      return compare(wanted, items.length, `${path}.length`);
    },
  },
  $each: {
    argument: "expectation",
    match: (actual, wanted: unknown, path, compare) =>
      Array.isArray(actual)
        ? actual.flatMap((item, index) => compare(wanted, item, `${path}[${index}]`))
        : [differs(path, "an array", actual)],
  },
  $sorted: {
    argument: sortedBy,
    match(actual, given: z.infer<typeof sortedBy>, path) {
      if (!Array.isArray(actual)) return [differs(path, "an array", actual)];
      const { by, order = "asc" } = typeof given === "string" ? { by: undefined, order: given } : given;
      const keys = actual.map((item: unknown) => (by === undefined ? item : fieldOf(item, by)));
      for (const [index, key] of keys.entries()) {
        const sign = index === 0 ? 0 : orderOf(key, keys[index - 1]);
        const at = `${path}[${index}]${by === undefined ? "" : `.${by}`}`;
        if (sign === undefined) return [differs(at, "a number or a string", key)];
        if (order === "asc" ? sign < 0 : sign > 0) {
          return [differs(at, `${order === "asc" ? "not before" : "not after"} ${show(keys[index - 1])}`, key)];
        }
      }
      return [];
    },
  },
  $sum: {
    argument: z.array(z.union([z.number(), decimal])).min(1),
    match(actual, terms: readonly (number | string)[], path) {
      const total = Decimal.sum(...terms.map(unsigned)).toNumber();
      return actual === total ? [] : [differs(path, `${total} (${terms.join(" + ").replaceAll("+ -", "- ")})`, actual)];
    },
  },
  $in: {
    argument: "expectations",
    match: (actual, wanted: readonly unknown[], path, compare) =>
      wanted.some((one) => compare(one, actual, path).length === 0)
        ? []
        : [differs(path, `one of ${wanted.map(show).join(", ")}`, actual)],
  },
  $all: {
    argument: "expectations",
    match: (actual, wanted: readonly unknown[], path, compare) => wanted.flatMap((one) => compare(one, actual, path)),
  },
  $not: {
    argument: "expectation",
    match: (actual, wanted: unknown, path, compare) =>
      compare(wanted, actual, path).length > 0 ? [] : [differs(path, `not ${show(wanted)}`, actual)],
  },
  $exact: {
    argument: z.unknown(),
    match: (actual, wanted: unknown, path) => differences(wanted, actual, path),
  },
} satisfies Record<string, Matcher>;

export type MatcherName = keyof typeof MATCHERS;

export function isMatcherName(name: string): name is MatcherName {
  return Object.hasOwn(MATCHERS, name);
}

/** Whether a value is an ISO 8601 instant with its offset. */
export function isInstant(value: unknown): boolean {
  return typeof value === "string" && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

/** Whether an expectation is an object of matchers. */
export function isMatching(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.keys(value).some((key) => key.startsWith("$"));
}

function ordered(words: string, holds: (order: number) => boolean): Matcher {
  return {
    argument: orderable,
    match(actual, bound: number | string, path) {
      const order = orderOf(actual, bound);
      return order !== undefined && holds(order) ? [] : [differs(path, `${words} ${show(bound)}`, actual)];
    },
  };
}

/** The sign of the comparison of two numbers, instants or strings; undefined for values without an order. */
function orderOf(a: unknown, b: unknown): number | undefined {
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b);
  if (typeof a !== "string" || typeof b !== "string") return undefined;
  if (INSTANT.test(a) && INSTANT.test(b)) return Math.sign(Date.parse(a) - Date.parse(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function fieldOf(item: unknown, path: string): unknown {
  return path.split(".").reduce((value, key): unknown => Reflect.get(Object(value) as object, key), item);
}

/** `/…/flags` or the bare pattern; undefined for an invalid regular expression. */
function patternOf(text: string): RegExp | undefined {
  const [, source = text, flags = ""] = /^\/(.*)\/([imsu]*)$/s.exec(text) ?? [];
  try {
    return new RegExp(source, flags.includes("u") ? flags : `${flags}u`);
  } catch {
    return undefined;
  }
}
