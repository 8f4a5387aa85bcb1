import { didYouMean } from "../../runtime/did-you-mean.ts";
import { isMatching, MATCHERS, type Matcher, type MatcherName } from "./matchers.ts";
import { differs, show, type Compare } from "./problem.ts";

/**
 * Compares an answer with what a file expects: objects may have further fields, arrays must have the same length, matchers
 * apply their rule, and everything else must be equal.
 */
export const compare: Compare = (expected, actual, path) => {
  if (isMatching(expected)) {
    return Object.entries(expected).flatMap(([name, argument]) => {
      const matcher: Matcher = MATCHERS[name as MatcherName];
      return matcher.match(actual, argument as never, path, compare);
    });
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [differs(path, show(expected), actual)];
    if (actual.length !== expected.length) {
      return [differs(`${path}.length`, String(expected.length), actual.length)];
    }
    return expected.flatMap((item, index) => compare(item, actual[index], `${path}[${index}]`));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
      return [differs(path, show(expected), actual)];
    }
    return Object.entries(expected).flatMap(([key, value]) => {
      const field: unknown = Object.hasOwn(actual, key) ? Reflect.get(actual, key) : undefined;
      const found = compare(value, field, path === "" ? key : `${path}.${key}`);
      const hint = field === undefined ? didYouMean(key, Object.keys(actual)) : "";
      return hint === "" ? found : found.map((problem) => ({ ...problem, message: `${problem.message}.${hint}` }));
    });
  }
  return expected === actual ? [] : [differs(path, show(expected), actual)];
};
