import { setTimeout as wait } from "node:timers/promises";
import { curlLine } from "../report/curl.ts";
import { exchange, LateError, UnreachableError, type SmokeAnswer } from "./http-call.ts";
import { toMs, type SmokeContent, type Step } from "../file/smoke-file.ts";
import { judge } from "./judge.ts";
import { prepareStep, type PreparedStep, type Scope } from "./prepare-step.ts";
import { UnresolvedError, type Reference } from "../file/references.ts";
import type { Problem, StepResult } from "./smoke-result.ts";

/** Longest wait for an answer where the file says nothing, ms. */
const TIMEOUT_MS = 30_000;
/** Characters of an answer that a report shows. */
const SHOWN = 600;

/** What became of a step that was run. */
export interface StepRun {
  readonly result: Pick<StepResult, "outcome" | "problems" | "tries" | "ms" | "curl" | "answer">;
  /** The last answer, for later steps. */
  readonly answer?: SmokeAnswer;
  /** Why the daemon could not be reached. */
  readonly unreachable?: string;
  /** The reference without a value that kept it from being sent. */
  readonly unresolved?: Reference;
}

/** What a step runs in. */
export interface StepContext {
  readonly url: string;
  readonly shownUrl?: string;
  readonly defaults: SmokeContent["defaults"];
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

interface Tried {
  readonly problems: readonly Problem[];
  readonly prepared?: PreparedStep;
  readonly answer?: SmokeAnswer;
  readonly unreachable?: string;
  readonly unresolved?: Reference;
}

/** Sends a step's request until its answer is as expected, or its tries are used up. */
export async function runStep(step: Step, context: StepContext): Promise<StepRun> {
  const { url, shownUrl = url } = context;
  const started = performance.now();
  const most = 1 + (step.retry?.times ?? 0);
  let tried = await attempt(step, context);
  let tries = 1;
  while (tried.problems.length > 0 && tries < most && (await pause(step, context.signal))) {
    tried = await attempt(step, context);
    tries += 1;
  }
  const { problems, prepared, answer, unreachable, unresolved } = tried;
  const hide = redactor(prepared?.secrets ?? []);
  return {
    result: {
      outcome: problems.length === 0 ? "passed" : "failed",
      problems: problems.map((problem) => hideIn(problem, hide)),
      tries,
      ms: performance.now() - started,
      ...(prepared === undefined
        ? {}
        : { curl: hide(curlLine(prepared.request, prepared.tokenName).replace(url, shownUrl)) }),
      ...(answer === undefined ? {} : { answer: hide(`${answer.status} ${cut(answer.text.trim())}`) }),
    },
    ...(answer === undefined ? {} : { answer }),
    ...(unreachable === undefined ? {} : { unreachable }),
    ...(unresolved === undefined ? {} : { unresolved }),
  };
}

/** Waits before the next try; false when there is to be none. */
async function pause(step: Step, signal: AbortSignal): Promise<boolean> {
  const ms = toMs(step.retry!.every);
  return wait(ms, true, { signal }).catch(() => false);
}

async function attempt(step: Step, { url, defaults, scope, signal }: StepContext): Promise<Tried> {
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

/** Takes secrets out of a text. */
function redactor(secrets: readonly string[]): (text: string) => string {
  // The longest first: one may be part of another.
  const known = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  return (text) => known.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

function hideIn(problem: Problem, hide: (text: string) => string): Problem {
  const { expected, got } = problem;
  return {
    ...problem,
    message: hide(problem.message),
    ...(expected === undefined ? {} : { expected: hide(expected) }),
    ...(got === undefined ? {} : { got: hide(got) }),
  };
}

/** What an answer says must not move a terminal's cursor. */
function cut(text: string): string {
  const characters = Array.from(text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd"));
  return characters.length <= SHOWN ? characters.join("") : `${characters.slice(0, SHOWN).join("")}…`;
}
