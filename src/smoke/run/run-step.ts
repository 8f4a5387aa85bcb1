import { setTimeout as wait } from "node:timers/promises";
import { curlLine } from "../report/curl.ts";
import { exchange, LateError, UnreachableError, type SmokeAnswer } from "./http-call.ts";
import { toMs, type SmokeContent, type Step } from "../file/smoke-file.ts";
import { judge } from "./judge.ts";
import { prepareStep, type PreparedStep, type Scope } from "./prepare-step.ts";
import { UnresolvedError, type Reference } from "../file/references.ts";
import type { Problem } from "./problem.ts";
import type { StepResult } from "./smoke-result.ts";

/** Default timeout of an answer, ms. */
const TIMEOUT_MS = 30_000;
/** Characters of an answer that a report shows. */
const MAX_CHARACTERS = 600;

/** The result of running a step. */
export interface StepRun {
  readonly result: Pick<StepResult, "outcome" | "problems" | "tries" | "ms" | "curl" | "answer">;
  /** The last answer, for later steps. */
  readonly answer?: SmokeAnswer;
  /** Why the daemon could not be reached. */
  readonly unreachable?: string;
  /** The reference that could not be resolved, so that nothing was sent. */
  readonly unresolved?: Reference;
}

/** The context of a step. */
export interface StepContext {
  readonly url: string;
  readonly shownUrl?: string;
  readonly defaults: SmokeContent["defaults"];
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

interface Attempt {
  readonly problems: readonly Problem[];
  readonly prepared?: PreparedStep;
  readonly answer?: SmokeAnswer;
  readonly unreachable?: string;
  readonly unresolved?: Reference;
}

/** Sends a step's request until its answer matches, or its attempts are used up. */
export async function runStep(step: Step, context: StepContext): Promise<StepRun> {
  const { url, shownUrl = url } = context;
  const started = performance.now();
  const most = 1 + (step.retry?.times ?? 0);
  let last = await attempt(step, context);
  let tries = 1;
  while (last.problems.length > 0 && tries < most && (await pause(step, context.signal))) {
    last = await attempt(step, context);
    tries += 1;
  }
  const { problems, prepared, answer, unreachable, unresolved } = last;
  const redact = redactorFor(prepared?.secrets ?? []);
  return {
    result: {
      outcome: problems.length === 0 ? "passed" : "failed",
      problems: problems.map((problem) => redactProblem(problem, redact)),
      tries,
      ms: performance.now() - started,
      ...(prepared === undefined
        ? {}
        : { curl: redact(curlLine(prepared.request, prepared.tokenName).replace(url, shownUrl)) }),
      ...(answer === undefined ? {} : { answer: redact(`${answer.status} ${cut(answer.text.trim())}`) }),
    },
    ...(answer === undefined ? {} : { answer }),
    ...(unreachable === undefined ? {} : { unreachable }),
    ...(unresolved === undefined ? {} : { unresolved }),
  };
}

/** Waits before the next attempt; false when the run was interrupted. */
async function pause(step: Step, signal: AbortSignal): Promise<boolean> {
  const ms = toMs(step.retry!.every);
  return wait(ms, true, { signal }).catch(() => false);
}

async function attempt(step: Step, { url, defaults, scope, signal }: StepContext): Promise<Attempt> {
  let prepared: PreparedStep;
  try {
    prepared = prepareStep(step, defaults, url, scope);
  } catch (error) {
    if (!(error instanceof UnresolvedError)) throw error;
    return { problems: [{ about: "reference", path: "", message: error.message }], unresolved: error.reference };
  }
  const timeout = step.timeout ?? defaults?.timeout;
  const timeout_ms = timeout === undefined ? TIMEOUT_MS : toMs(timeout);
  try {
    const answer = await exchange(prepared.request, { timeout_ms, signal });
    return { prepared, answer, problems: judge(prepared.expect, prepared.request, answer) };
  } catch (error) {
    const message = signal.aborted ? "interrupted" : (error as Error).message;
    const problems: Problem[] = [{ about: "answer", path: "", message }];
    if (signal.aborted || error instanceof LateError) return { prepared, problems };
    if (!(error instanceof UnreachableError)) throw error;
    return { prepared, problems, unreachable: message };
  }
}

/** Replaces secrets in a text. */
function redactorFor(secrets: readonly string[]): (text: string) => string {
  // Longest first: one secret may be part of another.
  const known = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  return (text) => known.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

function redactProblem(problem: Problem, redact: (text: string) => string): Problem {
  const { expected, got } = problem;
  return {
    ...problem,
    message: redact(problem.message),
    ...(expected === undefined ? {} : { expected: redact(expected) }),
    ...(got === undefined ? {} : { got: redact(got) }),
  };
}

/** Truncates a text and replaces control characters, which would move a terminal's cursor. */
function cut(text: string): string {
  const characters = Array.from(text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd"));
  return characters.length <= MAX_CHARACTERS ? characters.join("") : `${characters.slice(0, MAX_CHARACTERS).join("")}…`;
}
