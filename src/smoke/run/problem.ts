import { isRecord } from "../file/json-values.ts";

/** One way in which an answer is wrong. `--json` and the reports show it as it is. */
export interface Problem {
  /**
   * `expectation`: the answer differs from what the file expects. `contract`: it deviates from the contract. `answer`:
   * there is none. `reference`: a `${step.path}` cannot be resolved, or its value does not fit.
   */
  readonly about: "expectation" | "contract" | "answer" | "reference";
  /** As `data.items[0].delta`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** What was expected, in words: JSON, or what a matcher expects. */
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
}

/** Compares `actual`, which is undefined for an absent field, with what is expected at a path. */
export type Compare = (expected: unknown, actual: unknown, path: string) => readonly Problem[];

/** The problem of a value that differs from what is expected. */
export function differs(path: string, expected: string, actual: unknown): Problem {
  const got = show(actual);
  return { about: "expectation", path, message: `expected ${expected}, got ${got}`, expected, got };
}

/** The problems of a value that is to be equal, with no further fields: one for each place that differs. */
export function differences(expected: unknown, actual: unknown, path: string): Problem[] {
  if (expected === actual) return [];
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => differences(item, actual[index], `${path}[${index}]`));
  }
  if (!isRecord(expected) || !isRecord(actual)) return [differs(path, show(expected), actual)];
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
    differences(expected[key], actual[key], path === "" ? key : `${path}.${key}`),
  );
}

/** Characters of a value that a report shows. */
const MAX_CHARACTERS = 200;

/** A value on one line, as JSON, truncated when long. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const characters = Array.from(JSON.stringify(value));
  if (characters.length <= MAX_CHARACTERS) return characters.join("");
  return `${characters.slice(0, MAX_CHARACTERS).join("")}… (${characters.length} characters)`;
}
