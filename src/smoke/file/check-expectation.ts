import { validate, type InvalidField, type ValuePath } from "../../contract/validate.ts";
import { didYouMean } from "../../runtime/did-you-mean.ts";
import { isMatcherName, isMatching, MATCHERS, type Matcher } from "../run/matchers.ts";
import { referencesIn, textsIn } from "./references.ts";

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
  const matcher: Matcher = MATCHERS[name];
  switch (matcher.argument.holds) {
    case "expectation":
      return checkExpectation(argument, path);
    case "expectations":
      if (!Array.isArray(argument)) return [{ path, message: `${name} must be an array, such as ${matcher.example}.` }];
      return checkExpectation(argument, path);
    case "value": {
      const message = argumentError(matcher, argument);
      return message === undefined ? [] : [{ path, message: `${name} ${message}, such as ${matcher.example}.` }];
    }
  }
}

/** What is wrong with an argument. One with a reference is checked again once the reference is resolved. */
function argumentError({ argument: accepted }: Matcher, argument: unknown): string | undefined {
  if (accepted.holds !== "value") return undefined;
  if ([...textsIn(argument)].some(([text]) => hasReference(text))) return undefined;
  const checked = validate(accepted.schema, argument);
  return checked.valid ? undefined : checked.errors[0]!.message;
}

function hasReference(text: string): boolean {
  try {
    return referencesIn(text).length > 0;
  } catch {
    // Reported by the check of the references.
    return true;
  }
}
