import { validate, type InvalidField, type ValuePath } from "../../contract/validate.ts";
import { didYouMean } from "../../runtime/did-you-mean.ts";
import { isMatcherName, isMatching, MATCHERS, type Matcher } from "../run/matchers.ts";
import MATCHER_TEXTS from "../run/matchers.json" with { type: "json" };
import { textsIn } from "./references.ts";

/** The errors of an expectation: unknown matchers, and arguments that a matcher does not accept. */
export function checkExpectation(expected: unknown, path: ValuePath): InvalidField[] {
  if (Array.isArray(expected)) return expected.flatMap((item, index) => checkExpectation(item, [...path, index]));
  if (typeof expected !== "object" || expected === null) return [];
  if (!isMatching(expected)) {
    return Object.entries(expected).flatMap(([key, value]) => checkExpectation(value, [...path, key]));
  }
  return Object.entries(expected).flatMap(([name, argument]) => checkMatcher(name, argument, [...path, name]));
}

function checkMatcher(name: string, argument: unknown, path: ValuePath): InvalidField[] {
  const known = Object.keys(MATCHERS);
  if (!isMatcherName(name)) {
    const message = name.startsWith("$")
      ? `${name} is not a matcher.${didYouMean(name, known)} Known matchers: ${known.join(", ")}.`
      : `${name} is next to a matcher: an object has fields or matchers, not both.`;
    return [{ path, of: "key", message }];
  }
  const { argument: accepted }: Matcher = MATCHERS[name];
  const refuse = (message: string): InvalidField[] => {
    return [{ path, message: `${name} ${message}, such as ${MATCHER_TEXTS[name].example}.` }];
  };
  if (accepted === "expectations" && !Array.isArray(argument)) return refuse("must be an array");
  if (typeof accepted === "string") return checkExpectation(argument, path);
  // An argument with a reference is checked again once the reference is resolved.
  if ([...textsIn(argument)].some(([text]) => text.replaceAll("$${", "").includes("${"))) return [];
  const checked = validate(accepted, argument);
  return checked.valid ? [] : refuse(checked.errors[0]!.message);
}
