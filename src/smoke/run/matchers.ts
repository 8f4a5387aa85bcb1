import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { differs, show, type Compare, type Problem } from "./problem.ts";

/** What a matcher accepts as its argument. */
type Argument =
  | { readonly holds: "expectation" }
  | { readonly holds: "expectations" }
  | { readonly holds: "value"; readonly schema: z.ZodType };

/** A rule for an expected value, other than equality. */
export interface Matcher {
  readonly about: string;
  readonly example: string;
  readonly argument: Argument;
  /** The problems of `actual`, which is undefined for an absent field. */
  readonly match: (actual: unknown, argument: never, path: string, compare: Compare) => readonly Problem[];
}

const TYPES = ["integer", "number", "string", "boolean", "array", "object", "null", "timestamp"] as const;

const orderable = z.union([z.number(), z.string()]);
const sortedBy = z.union([
  z.enum(["asc", "desc"]),
  z.strictObject({ by: z.string(), order: z.enum(["asc", "desc"]).optional() }),
]);

/** All matchers, by their key in a file. */
export const MATCHERS = {
  $exists: {
    about: "whether the field exists",
    example: "{ $exists: false }",
    argument: { holds: "value", schema: z.boolean() },
    match: (actual, wanted: boolean, path) =>
      (actual !== undefined) === wanted ? [] : [differs(path, wanted ? "anything" : "nothing", actual)],
  },
  $type: {
    about: `the type: ${TYPES.join(", ")}`,
    example: "{ $type: integer }",
    argument: { holds: "value", schema: z.enum(TYPES) },
    match: (actual, type: (typeof TYPES)[number], path) =>
      isOfType(actual, type) ? [] : [differs(path, `of type ${type}`, actual)],
  },
  $gt: ordered("$gt", "greater than", (order) => order > 0),
  $gte: ordered("$gte", "at least", (order) => order >= 0),
  $lt: ordered("$lt", "less than", (order) => order < 0),
  $lte: ordered("$lte", "at most", (order) => order <= 0),
  $match: {
    about: "a regular expression that matches somewhere in the string; /…/i ignores case",
    example: '{ $match: "^[a-z]+$" }',
    argument: {
      holds: "value",
      schema: z.string().refine((text) => patternOf(text) !== undefined, { message: "must be a regular expression" }),
    },
    match: (actual, pattern: string, path) =>
      typeof actual === "string" && patternOf(pattern)!.test(actual)
        ? []
        : [differs(path, `a string that matches ${pattern}`, actual)],
  },
  $contains: {
    about: "a substring, or an array element as expected",
    example: "{ $contains: { type: exchange } }",
    argument: { holds: "expectation" },
    match(actual, wanted: unknown, path, compare) {
      if (typeof actual === "string" && typeof wanted === "string" && actual.includes(wanted)) return [];
      if (Array.isArray(actual) && actual.some((item) => compare(wanted, item, path).length === 0)) return [];
      return [differs(path, `to contain ${show(wanted)}`, actual)];
    },
  },
  $length: {
    about: "the number of elements of an array, or of characters of a string",
    example: "{ $length: { $lte: 6 } }",
    argument: { holds: "expectation" },
    match(actual, wanted: unknown, path, compare) {
      const length = Array.isArray(actual)
        ? actual.length
        : typeof actual === "string"
          ? Array.from(actual).length
          : undefined;
      if (length === undefined) return [differs(path, "an array or a string", actual)];
      return compare(wanted, length, `${path}.length`);
    },
  },
  $each: {
    about: "what every element of an array must match",
    example: "{ $each: { lang: en } }",
    argument: { holds: "expectation" },
    match: (actual, wanted: unknown, path, compare) =>
      Array.isArray(actual)
        ? actual.flatMap((item, index) => compare(wanted, item, `${path}[${index}]`))
        : [differs(path, "an array", actual)],
  },
  $sorted: {
    about: "the order of an array: asc or desc, or by a field of its elements",
    example: "{ $sorted: { by: created_at, order: desc } }",
    argument: { holds: "value", schema: sortedBy },
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
    about: 'the sum of numbers; a term is subtracted as "-${step.path}"',
    example: '{ $sum: ["${before.data.balance}", 15] }',
    argument: { holds: "value", schema: z.array(z.coerce.number()).min(1) },
    match(actual, terms: readonly (number | string)[], path) {
      const total = terms.reduce<number>((sum, term) => sum + Number(term), 0);
      return actual === total ? [] : [differs(path, `${total} (${terms.join(" + ").replaceAll("+ -", "- ")})`, actual)];
    },
  },
  $in: {
    about: "one of several expectations",
    example: "{ $in: [view, full] }",
    argument: { holds: "expectations" },
    match: (actual, wanted: readonly unknown[], path, compare) =>
      wanted.some((one) => compare(one, actual, path).length === 0)
        ? []
        : [differs(path, `one of ${wanted.map(show).join(", ")}`, actual)],
  },
  $all: {
    about: "all of several expectations",
    example: "{ $all: [{ $contains: a }, { $contains: b }] }",
    argument: { holds: "expectations" },
    match: (actual, wanted: readonly unknown[], path, compare) => wanted.flatMap((one) => compare(one, actual, path)),
  },
  $not: {
    about: "anything except the expectation",
    example: "{ $not: { $match: /error/i } }",
    argument: { holds: "expectation" },
    match: (actual, wanted: unknown, path, compare) =>
      compare(wanted, actual, path).length > 0 ? [] : [differs(path, `not ${show(wanted)}`, actual)],
  },
  $exact: {
    about: "equal, without any other field",
    example: "{ $exact: { memory: false, advanced_research: false } }",
    argument: { holds: "value", schema: z.unknown() },
    match: (actual, wanted: unknown, path) =>
      isDeepStrictEqual(actual, wanted) ? [] : [differs(path, `exactly ${show(wanted)}`, actual)],
  },
} satisfies Record<string, Matcher>;

export type MatcherName = keyof typeof MATCHERS;

export function isMatcherName(name: string): name is MatcherName {
  return Object.hasOwn(MATCHERS, name);
}

/** Whether an expectation is an object of matchers. */
export function isMatching(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.keys(value).some((key) => key.startsWith("$"));
}

function ordered(name: string, words: string, holds: (order: number) => boolean): Matcher {
  return {
    about: `${words} a number or an ISO 8601 instant`,
    example: `{ ${name}: 0 }`,
    argument: { holds: "value", schema: orderable },
    match(actual, bound: number | string, path) {
      const order = orderOf(actual, bound);
      return order !== undefined && holds(order) ? [] : [differs(path, `${words} ${show(bound)}`, actual)];
    },
  };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The sign of the comparison of two numbers, instants or strings; undefined for values without an order. */
function orderOf(a: unknown, b: unknown): number | undefined {
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b);
  if (typeof a !== "string" || typeof b !== "string") return undefined;
  if (INSTANT.test(a) && INSTANT.test(b)) return Math.sign(Date.parse(a) - Date.parse(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function fieldOf(item: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      item,
    );
}

function isOfType(value: unknown, type: (typeof TYPES)[number]): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    case "timestamp":
      return typeof value === "string" && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
    case "number":
    case "string":
    case "boolean":
      return typeof value === type;
  }
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
