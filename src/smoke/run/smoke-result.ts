import type { WireResponse } from "../../client/transport.ts";
import type { PlacedStep } from "../file/smoke-file.ts";
import type { Problem } from "./problem.ts";

/** An answer. */
export interface SmokeAnswer extends WireResponse {
  /** Parsed JSON; undefined for a body that is not JSON. */
  readonly body: unknown;
  /** Milliseconds until it was complete. */
  readonly ms: number;
  /** All answers to a request that was sent several times at once. */
  readonly all?: readonly SmokeAnswer[];
}

/** The result of one step. */
export interface StepResult {
  readonly phase: PlacedStep["phase"];
  /** Counted from 1 in its list. */
  readonly number: number;
  readonly line: number;
  readonly title: string;
  /** Method and path as written in the file. */
  readonly request: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly problems: readonly Problem[];
  readonly reason?: string;
  readonly tries: number;
  /** All tries and the waits between them, milliseconds. */
  readonly ms: number;
  /** A curl command that repeats the request, without the token. */
  readonly curl?: string | undefined;
  /** Status and body of the last answer, at most 64 Ki characters. */
  readonly answer?: string | undefined;
}

/** The result of one file. */
export interface FileResult {
  readonly path: string;
  readonly title: string;
  readonly skipped?: string;
  /** Why the daemon could not be reached; the remaining steps were skipped. */
  readonly unreachable?: string | undefined;
  readonly steps: readonly StepResult[];
  readonly ms: number;
  /** The command that starts a daemon like the file's own, if it ran on one. */
  readonly serve?: string | undefined;
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
