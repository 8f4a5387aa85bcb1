import type { WireResponse } from "../../client/transport.ts";
import type { PlacedStep } from "../file/smoke-file.ts";

export interface SmokeAnswer extends WireResponse {
  readonly body: unknown; // Parsed JSON; undefined for a body that is not JSON.
  readonly ms: number; // Milliseconds until it was complete.
  readonly all?: readonly SmokeAnswer[]; // All answers to a request that was sent several times at once.
}

/** One way in which an answer is wrong. `--json` and the reports show it as it is. */
export interface Problem {
  /** `expectation`: the answer differs from what the file expects. `contract`: it deviates from the contract. `answer`:
   * there is none. `reference`: a `${step.path}` cannot be resolved, or its value does not fit. */
  readonly about: "expectation" | "contract" | "answer" | "reference";
  readonly path: string; // As `data.items[0].delta`; empty for the whole.
  readonly message: string;
  readonly expected?: string | undefined; // What was expected, in words: JSON, or what a matcher expects.
  readonly got?: string | undefined;
}

export interface StepResult {
  readonly phase: PlacedStep["phase"];
  readonly number: number; // Counted from 1 in its list.
  readonly line: number;
  readonly title: string;
  readonly request: string; // Method and path as written in the file.
  readonly outcome: "passed" | "failed" | "skipped";
  readonly problems: readonly Problem[];
  readonly reason?: string;
  readonly tries: number;
  readonly ms: number; // All tries and the waits between them, milliseconds.
  readonly curl?: string | undefined; // A curl command that repeats the request, without the token.
  readonly answer?: string | undefined; // Status and body of the last answer, at most 64 Ki characters.
}

export interface FileResult {
  readonly path: string;
  readonly title: string;
  readonly skipped?: string;
  readonly unreachable?: string | undefined; // Why the daemon could not be reached; the remaining steps were skipped.
  readonly steps: readonly StepResult[];
  readonly ms: number;
  readonly serve?: string | undefined; // The command that starts a daemon like the file's own, if it ran on one.
}

/** Counts of files that ran and that were skipped, and of steps by outcome; the time of all, milliseconds. */
export function countOutcomes(files: readonly FileResult[]) {
  const steps = files.flatMap((file) => file.steps);
  const count = (outcome: StepResult["outcome"]): number => steps.filter((step) => step.outcome === outcome).length;
  const skippedFiles = files.filter((file) => file.skipped !== undefined).length;
  const ran = files.length - skippedFiles;
  const ms = files.reduce((sum, file) => sum + file.ms, 0);
  return { ran, skippedFiles, ms, passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** The problem of a value that differs from what is expected. */
export function differs(path: string, expected: string, actual: unknown): Problem {
  const got = show(actual);
  return { about: "expectation", path, message: `expected ${expected}, got ${got}`, expected, got };
}

/** Most characters of a value or an answer that a result holds. */
export const MAX_CHARACTERS = 65_536;
/** A value on one line, as JSON, truncated when very long. */
export const show = (value: unknown) =>
  value === undefined ? "nothing" : truncate(JSON.stringify(value), MAX_CHARACTERS);

/** A text cut to `most` characters: its beginning, or the part around `key`. */
export function truncate(text: string, max: number, key = ""): string {
  if (text.length <= max) return text;
  const from = Math.max(0, text.indexOf(key) - max / 4);
  const [before, after] = [from > 0 ? "…" : "", from + max < text.length ? "…" : ""];
  return `${before}${text.slice(from, from + max)}${after}`.toWellFormed();
}
