import { setTimeout as wait } from "node:timers/promises";
import { curlLine } from "../report/curl.ts";
import { send, WireError, type WireResponse } from "../../client/transport.ts";
import { toMs, type SmokeContent, type Step } from "../file/smoke-file.ts";
import { judge } from "./judge.ts";
import { prepareStep, type PreparedStep, type Scope } from "./prepare-step.ts";
import { UnresolvedError, type Reference } from "../file/references.ts";
import type { Problem } from "./problem.ts";
import type { SmokeAnswer } from "./smoke-result.ts";

const TIMEOUT_MS = 30_000;
/** Characters of an answer that a report shows. */
const MAX_CHARACTERS = 600;

/** The context of a step. */
export interface StepContext {
  readonly url: string;
  readonly shownUrl?: string;
  readonly defaults: SmokeContent["defaults"];
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/** What one try came to. */
interface Attempt {
  readonly problems: readonly Problem[];
  readonly prepared?: PreparedStep;
  /** For later steps. */
  readonly answer?: SmokeAnswer;
  /** Why the daemon could not be reached. */
  readonly unreachable?: string | undefined;
  /** The reference that could not be resolved, so that nothing was sent. */
  readonly unresolved?: Reference;
}

/** Sends a step's request until its answer matches, or its attempts are used up. */
export async function runStep(step: Step, context: StepContext) {
  const { url, shownUrl = url } = context;
  const started = performance.now();
  const most = 1 + (step.retry?.times ?? 0);
  let last = await attempt(step, context);
  let tries = 1;
  while (last.problems.length > 0 && tries < most) {
    const interrupted = await wait(toMs(step.retry!.every), false, { signal: context.signal }).catch(() => true);
    if (interrupted) break;
    last = await attempt(step, context);
    tries += 1;
  }
  const { problems, prepared, answer } = last;
  const redact = redactorFor(prepared?.secrets ?? []);
  const result = {
    outcome: problems.length === 0 ? ("passed" as const) : ("failed" as const),
    problems: problems.map(({ message, expected, got, ...place }): Problem => {
      return { ...place, message: redact(message), expected: expected && redact(expected), got: got && redact(got) };
    }),
    tries,
    ms: performance.now() - started,
    curl: prepared && redact(curlLine(prepared.request, prepared.tokenName).replace(url, shownUrl)),
    answer: answer && redact(`${answer.status} ${cut(answer.text.trim())}`),
  };
  return { ...last, result };
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
    const started = performance.now();
    const response = await send(prepared.request, timeout_ms, signal);
    const answer = { ...response, body: jsonOf(response), ms: performance.now() - started };
    return { prepared, answer, problems: judge(prepared.expect, prepared.request, answer) };
  } catch (error) {
    const message = signal.aborted ? "interrupted" : (error as Error).message;
    const problems: Problem[] = [{ about: "answer", path: "", message }];
    if (signal.aborted) return { prepared, problems };
    if (!(error instanceof WireError)) throw error;
    return { prepared, problems, unreachable: error.late ? undefined : message };
  }
}

function jsonOf({ headers, text }: WireResponse): unknown {
  if (!/\bjson\b/i.test(headers["content-type"] ?? "")) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function redactorFor(secrets: readonly string[]): (text: string) => string {
  // Longest first: one secret may be part of another.
  const known = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  return (text) => known.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

/** Truncates a text and replaces control characters, which would move a terminal's cursor. */
function cut(text: string): string {
  const characters = Array.from(text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd"));
  return characters.length <= MAX_CHARACTERS ? characters.join("") : `${characters.slice(0, MAX_CHARACTERS).join("")}…`;
}
