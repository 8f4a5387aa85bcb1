import { setTimeout as wait } from "node:timers/promises";
import { curlLine } from "../report/curl.ts";
import { send, WireError } from "../../client/transport.ts";
import { toMs, type SmokeContent, type Step } from "../file/smoke-file.ts";
import { bodyOf, judge, judgeCounts } from "./judge.ts";
import { instantOf, type MovableClock } from "./moment.ts";
import { prepareStep, type PreparedStep, type Scope } from "./prepare-step.ts";
import { checkSnapshot, type Snapshots } from "./snapshot.ts";
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
  readonly clock?: MovableClock;
  readonly snapshots: Snapshots;
}

/** What one try came to. */
interface Attempt {
  readonly problems: readonly Problem[];
  readonly prepared?: PreparedStep;
  /** For later steps. */
  readonly answer?: SmokeAnswer | undefined;
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
    last = await attempt({ ...step, now: undefined }, context);
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

async function attempt(step: Step, context: StepContext): Promise<Attempt> {
  const { url, defaults, scope, signal, clock } = context;
  let prepared: PreparedStep;
  try {
    prepared = prepareStep(step, defaults, url, scope);
  } catch (error) {
    if (!(error instanceof UnresolvedError)) throw error;
    return { problems: [{ about: "reference", path: "", message: error.message }], unresolved: error.reference };
  }
  const { expect, moment } = prepared;
  if (moment !== undefined) clock?.set(instantOf(moment, clock));
  const timeout = step.timeout ?? defaults?.timeout;
  const timeout_ms = timeout === undefined ? TIMEOUT_MS : toMs(timeout);
  const copies = Array.from({ length: step.at_once ?? 1 }, () => exchange(prepared, timeout_ms, signal));
  const replies = await Promise.all(copies);
  const [first] = replies as [Attempt];
  if (step.at_once === undefined) {
    return { prepared, ...first, problems: [...first.problems, ...(await snapshotProblems(step, context, first))] };
  }
  const all = replies.flatMap((reply) => reply.answer ?? []);
  const answer = all.find(({ status }) => status === 200) ?? all[0];
  return {
    prepared,
    answer: answer && { ...answer, all },
    problems: [...(expect.counts === undefined ? [] : judgeCounts(expect.counts, all)), ...merge(replies)],
    unreachable: replies.every(({ unreachable }) => unreachable !== undefined) ? first.unreachable : undefined,
  };
}

async function snapshotProblems(
  { id, expect: { snapshot, mask = [] } = {} }: Step,
  { defaults, snapshots }: StepContext,
  { answer, problems }: Attempt,
): Promise<readonly Problem[]> {
  if (snapshot === undefined || answer === undefined) return [];
  // A wrong answer is not to become the snapshot, and the body of another status has other fields.
  if (problems.length > 0 && (snapshots.update || problems.some(({ path }) => /^(status|code)$/.test(path)))) return [];
  return checkSnapshot(snapshots, snapshot === true ? id! : snapshot, answer, [...(defaults?.mask ?? []), ...mask]);
}

async function exchange({ request, expect }: PreparedStep, timeout_ms: number, signal: AbortSignal): Promise<Attempt> {
  try {
    const started = performance.now();
    const { bytes: _, ...response } = await send(request, timeout_ms, signal);
    const answer = { ...response, body: bodyOf(response), ms: performance.now() - started };
    return { answer, problems: judge(expect, request, answer) };
  } catch (error) {
    const message = signal.aborted ? "interrupted" : (error as Error).message;
    if (!signal.aborted && !(error instanceof WireError)) throw error;
    const isLost = error instanceof WireError && !error.late;
    return { problems: [{ about: "answer", path: "", message }], unreachable: isLost ? message : undefined };
  }
}

/** The problems of several answers, each once, with the number of the first answer that has it. */
function merge(replies: readonly Attempt[]): Problem[] {
  const merged = new Map<string, Problem>();
  for (const [index, { problems }] of replies.entries()) {
    for (const { path, ...problem } of problems) {
      const key = JSON.stringify([path, problem.about, problem.message]);
      if (!merged.has(key)) merged.set(key, { ...problem, path: `all[${index}]${path && `.${path}`}` });
    }
  }
  return [...merged.values()];
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
