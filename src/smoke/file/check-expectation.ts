import { didYouMean } from "../../runtime/did-you-mean.ts";
import type { FileIssue, Path } from "./file-issue.ts";
import { isMatcherName, isMatching, MATCHERS, type Matcher } from "../run/matchers.ts";
import { referencesIn, textsIn } from "./references.ts";

/** What is wrong with an expectation: matchers that there are not, and arguments they cannot take. */
export function checkExpectation(expected: unknown, path: Path): FileIssue[] {
  if (Array.isArray(expected)) return expected.flatMap((item, index) => checkExpectation(item, [...path, index]));
  if (typeof expected !== "object" || expected === null) return [];
  if (!isMatching(expected)) {
    return Object.entries(expected).flatMap(([key, value]) => checkExpectation(value, [...path, key]));
  }
  return Object.entries(expected).flatMap(([name, argument]) => checkMatcher(name, argument, [...path, name]));
}

function checkMatcher(name: string, argument: unknown, path: Path): FileIssue[] {
  const known = Object.keys(MATCHERS);
  if (!isMatcherName(name)) {
    const message = name.startsWith("$")
      ? `${name} is no matcher.${didYouMean(name, known)} There are ${known.join(", ")}.`
      : `${name} stands beside a matcher: a map has fields or matchers, not both.`;
    return [{ path, of: "key", message }];
  }
  const matcher: Matcher = MATCHERS[name];
  switch (matcher.argument.holds) {
    case "expectation":
      return checkExpectation(argument, path);
    case "expectations":
      if (!Array.isArray(argument)) return [{ path, message: `${name} wants a list, as ${matcher.example}.` }];
      return checkExpectation(argument, path);
    case "value": {
      const fault = argumentFault(matcher, argument);
      return fault === undefined ? [] : [{ path, message: `${name} ${fault}, as ${matcher.example}.` }];
    }
  }
}

/** A reference may stand for anything; once it is resolved, {@link argumentFault} tells. */
function argumentFault(matcher: Matcher, argument: unknown): string | undefined {
  if (matcher.argument.holds !== "value") return undefined;
  if ([...textsIn(argument)].some(([text]) => hasReference(text))) return undefined;
  const parsed = matcher.argument.schema.safeParse(argument);
  if (parsed.success) return undefined;
  const issue = parsed.error.issues[0]!;
  return issue.code === "custom" ? issue.message : `cannot take ${JSON.stringify(argument)}`;
}

function hasReference(text: string): boolean {
  try {
    return referencesIn(text).length > 0;
  } catch {
    // Told where the references are checked.
    return true;
  }
}
