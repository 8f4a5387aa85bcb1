import { cut } from "../report/cut.ts";

/** One way in which an answer is wrong. `--json` and the reports show it as it is. */
export interface Problem {
  /** `expectation`: the answer differs from what the file expects. `contract`: it deviates from the contract. `answer`:
   * there is none. `reference`: a `${step.path}` cannot be resolved, or its value does not fit. */
  readonly about: "expectation" | "contract" | "answer" | "reference";
  /** As `data.items[0].delta`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** What was expected, in words: JSON, or what a matcher expects. */
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
}

/** The problem of a value that differs from what is expected. */
export function differs(path: string, expected: string, actual: unknown): Problem {
  const got = show(actual);
  return { about: "expectation", path, message: `expected ${expected}, got ${got}`, expected, got };
}

/** Most characters of a value or an answer that a result holds. */
export const MAX_CHARACTERS = 65_536;

/** A value on one line, as JSON, truncated when very long. */
export function show(value: unknown): string {
  return value === undefined ? "nothing" : cut(JSON.stringify(value), MAX_CHARACTERS);
}
