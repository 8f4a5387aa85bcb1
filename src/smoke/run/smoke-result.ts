/** One thing that is not as it should be. */
export interface Problem {
  /**
   * `expectation`: the answer is not as the file says. `contract`: it is not as the interface says. `answer`: there is
   * none. `reference`: a value of an earlier answer cannot be had, or does not fit.
   */
  readonly about: "expectation" | "contract" | "answer" | "reference";
  /** Where, as `data.items[0].delta`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly got?: string;
}

/** Which list of the file a step is of. */
export type Phase = "steps" | "cleanup";

/** What became of a step. */
export interface StepResult {
  readonly phase: Phase;
  /** Counted from 1 in its list. */
  readonly number: number;
  readonly line: number;
  readonly title: string;
  /** Method and path as they stand in the file. */
  readonly request: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly problems: readonly Problem[];
  /** Why it was skipped. */
  readonly reason?: string;
  /** How often it was sent. */
  readonly tries: number;
  /** All tries and the waits between them, milliseconds. */
  readonly ms: number;
  /** A line that sends the request again, without the token. */
  readonly curl?: string;
  /** Status and body of the last answer, cut. */
  readonly answer?: string;
}

/** What became of a file. */
export interface FileResult {
  readonly path: string;
  readonly title: string;
  /** Why none of it ran. */
  readonly skipped?: string;
  /** Why the daemon could not be reached; the rest was skipped then. */
  readonly unreachable?: string;
  readonly steps: readonly StepResult[];
  readonly ms: number;
  /** How to start a daemon like the one it ran on, where that was its own. */
  readonly serve?: string;
}

/** How many files ran, how many did not, and how their steps ended. */
export function tally(files: readonly FileResult[]): Record<StepResult["outcome"] | "ran" | "left", number> {
  const steps = files.flatMap((file) => file.steps);
  const count = (outcome: StepResult["outcome"]): number => steps.filter((step) => step.outcome === outcome).length;
  const left = files.filter((file) => file.skipped !== undefined).length;
  return {
    ran: files.length - left,
    left,
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
  };
}
