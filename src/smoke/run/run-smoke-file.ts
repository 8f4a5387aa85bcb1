import { setTimeout as wait } from "node:timers/promises";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { send, WireError } from "../../client/transport.ts";
import type { SmokeFile } from "../file/read-smoke-file.ts";
import { MIN_SECRET, UnresolvedError } from "../file/resolve-references.ts";
import type { Reference, Env, RunValues, Scope } from "../file/resolve-references.ts";
import { stepsOf, toMs } from "../file/smoke-file.ts";
import { curlLine } from "../report/curl.ts";
import { bodyOf, checkAnswer, judgeCounts } from "./check-answer.ts";
import { instantOf, type MovableClock } from "./instant-text.ts";
import { planCases, type Case } from "./plan-cases.ts";
import { answersOf, prepareStep, type PreparedStep } from "./prepare-step.ts";
import { truncate, MAX_CHARACTERS } from "./smoke-result.ts";
import type { FileResult, Problem, SmokeAnswer, StepResult } from "./smoke-result.ts";
import { describeType } from "../../runtime/text/describe-value.ts";
import { replaceFile } from "../../storage/fs/durable-files.ts";
import { mapItems } from "../../runtime/json/json-values.ts";
import { compare } from "./matchers.ts";

/** How a file is run, and on which daemon. */
export interface RunOptions {
  readonly url: string;
  readonly shownUrl?: string; // The address in the curl commands, if another one.
  readonly clock?: MovableClock; // The daemon's, which steps may move; absent where it is another process.
  readonly signal: AbortSignal; // Interrupts the steps; the cleanup still runs.
  readonly env: Env;
  readonly run: RunValues;
  readonly begin?: (() => Promise<void>) | undefined; // Called after the setup: injects the faults of the own daemon.
  readonly bail: boolean;
  readonly cwd?: string;
  readonly update?: boolean; // Writes the snapshots instead of comparing with them.
  readonly cases?: readonly Case[];
}

/** Runs a file's setup and steps one after another, then its cleanup. A failed step does not end the file. A step that
 * refers to an answer that does not exist is skipped, as are all steps after a failed setup or an unreachable daemon. */
export async function runSmokeFile(file: SmokeFile, options: RunOptions): Promise<FileResult> {
  const { vars, name = file.path, secrets: declared = [] } = file.content;
  const { cases = planCases(file), env, run } = options;
  const started = performance.now();
  const answers = new Map<string, SmokeAnswer>();
  const secrets = new Set(declared.map((variable) => env[variable] ?? ""));
  const scope = { env, run, vars, answer: answersOf(answers), secrets };
  const failed = new Set<string>();
  const steps: StepResult[] = [];
  const unreachable: { steps?: string | undefined; cleanup?: string | undefined } = {};
  const ids = new Set(stepsOf(file.content).flatMap(({ step }) => step.id ?? []));
  const first = cases.find(({ phase }) => phase !== "setup");
  for (const one of cases) {
    const { phase, index, title, line } = one;
    const { id = "", request } = one.step;
    if (one === first) await options.begin?.();
    const about = { phase, number: index + 1, line, title, request };
    // The cleanup runs even when the run was interrupted or the daemon could not be reached.
    const [part, signal] = phase === "cleanup" ? ["cleanup" as const, NEVER] : ["steps" as const, options.signal];
    const lost = unreachable[part] === undefined ? undefined : "the daemon cannot be reached";
    const reason = lost ?? reasonToSkip(one, steps, { ...options, signal });
    answers.delete(id);
    if (reason === undefined) {
      const ran = await runStep(one, file, scope, { ...options, signal });
      const { head = "", text } = ran.unresolved ?? {};
      // A step that fails because an earlier one did adds no information.
      const lack = ids.has(head) && (answers.has(head) ? failed.has(head) && "failed" : "got no answer");
      steps.push({ ...about, ...(lack ? skipped(`${text} is not known: ${head} ${lack}`) : ran.result) });
      unreachable[part] = ran.unreachable;
      if (ran.answer !== undefined) answers.set(id, ran.answer);
    } else steps.push({ ...about, ...skipped(reason) });
    if (steps.at(-1)!.outcome === "passed") failed.delete(id);
    else failed.add(id);
  }
  const ms = performance.now() - started;
  return { path: file.path, title: name, steps, ms, unreachable: unreachable.steps ?? unreachable.cleanup };
}

const NEVER = new AbortController().signal;

function reasonToSkip({ phase, step, skip }: Case, before: readonly StepResult[], { signal, clock, bail }: RunOptions) {
  if (signal.aborted) return "interrupted";
  if (skip !== undefined) return skip;
  if (step.now !== undefined && clock === undefined) return "the clock of this daemon cannot be moved";
  const failed = new Set(before.filter(({ outcome }) => outcome === "failed").map((result) => result.phase));
  if (phase !== "cleanup" && failed.has("setup")) return "the setup failed";
  return phase === "steps" && bail && failed.has("steps") ? "an earlier step failed" : undefined;
}

const skipped = (reason: string) => ({ outcome: "skipped" as const, reason, problems: [], tries: 0, ms: 0 });

type StepScope = Scope & { readonly secrets: ReadonlySet<string> };

interface Attempt {
  readonly problems: readonly Problem[];
  readonly sent?: readonly PreparedStep[]; // The sent requests; the first one with a problem comes first.
  readonly answer?: SmokeAnswer | undefined;
  readonly unreachable?: string | undefined;
  readonly unresolved?: Reference;
}

/** Sends a step's request until its answer matches, or its attempts are used up. */
async function runStep(one: Case, file: SmokeFile, scope: StepScope, options: RunOptions) {
  const { url, shownUrl = url, signal } = options;
  const { times = 0, every = "" } = one.step.retry ?? {};
  const started = performance.now();
  let last = await attempt(one, file, scope, options);
  let tries = 1;
  // A reference has the same value in every try.
  for (; last.problems.length > 0 && last.unresolved === undefined && tries <= times; tries++) {
    if (await wait(toMs(every), false, { signal }).catch(() => true)) break;
    last = await attempt({ ...one, step: { ...one.step, now: undefined } }, file, scope, options);
  }
  const { problems, sent = [], answer } = last;
  const [prepared] = sent;
  const redact = redactorFor([...scope.secrets, ...sent.map(({ token = "" }) => token)]);
  const text = answer && redact(`${answer.status} ${answer.text.trim().replaceAll(CONTROL, "\ufffd")}`);
  const result = {
    outcome: problems.length === 0 ? ("passed" as const) : ("failed" as const),
    problems: problems.map(({ message, expected, got, ...place }): Problem => {
      return { ...place, message: redact(message), expected: expected && redact(expected), got: got && redact(got) };
    }),
    tries,
    ms: performance.now() - started,
    curl: prepared && redact(curlLine(prepared.request, prepared.tokenName).replace(url, shownUrl)),
    answer: text && truncate(text, MAX_CHARACTERS),
  };
  return { ...last, result };
}

async function attempt(one: Case, file: SmokeFile, scope: StepScope, options: RunOptions): Promise<Attempt> {
  const { step, rows } = one;
  const { defaults } = file.content;
  const { url, signal, clock } = options;
  let prepared: PreparedStep[];
  try {
    prepared = rows.map((row) => prepareStep(step, defaults, url, { ...scope, row }));
  } catch (error) {
    if (!(error instanceof UnresolvedError)) throw error;
    return { problems: [{ about: "reference", path: "", message: error.message }], unresolved: error.reference };
  }
  const [{ expect, moment }] = prepared as [PreparedStep];
  if (moment !== undefined) clock?.set(instantOf(moment, clock));
  const timeout_ms = toMs(step.timeout ?? defaults?.timeout ?? "30s");
  const sent = typeof step.at_once === "number" ? Array.from({ length: step.at_once }, () => prepared[0]!) : prepared;
  const replies = await Promise.all(sent.map((request) => exchange(request, timeout_ms, signal)));
  const [first] = replies as [Attempt];
  if (step.at_once === undefined)
    return { sent, ...first, problems: [...first.problems, ...(await checkSnapshot(one, file, options, first))] };
  const all = replies.flatMap((reply) => reply.answer ?? []);
  const answer = all.find(({ status }) => status === 200) ?? all[0];
  const wrong = sent.find((_, index) => replies[index]!.problems.length > 0);
  return {
    sent: wrong === undefined ? sent : [wrong, ...sent],
    answer: answer && { ...answer, all },
    problems: [...(expect.counts === undefined ? [] : judgeCounts(expect.counts, all)), ...merge(replies)],
    unreachable: replies.every(({ unreachable }) => unreachable !== undefined) ? first.unreachable : undefined,
  };
}

async function exchange({ request, expect }: PreparedStep, timeout_ms: number, signal: AbortSignal): Promise<Attempt> {
  try {
    const started = performance.now();
    const response = await send(request, timeout_ms, signal);
    const answer = { ...response, body: bodyOf(response), ms: performance.now() - started };
    return { answer, problems: checkAnswer(expect, request, answer) };
  } catch (error) {
    if (signal.aborted) return { problems: [{ about: "answer", path: "", message: "interrupted" }] };
    if (!(error instanceof WireError)) throw error;
    const { message, late } = error;
    return { problems: [{ about: "answer", path: "", message }], unreachable: late ? undefined : message };
  }
}

function merge(replies: readonly Attempt[]): Problem[] {
  const merged = new Map<string, Problem>();
  for (const [index, { problems }] of replies.entries())
    for (const { path, ...problem } of problems) {
      const key = JSON.stringify([path, problem.about, problem.message]);
      if (!merged.has(key)) merged.set(key, { ...problem, path: `all[${index}]${path && `.${path}`}` });
    }
  return [...merged.values()];
}

function redactorFor(secrets: readonly string[]): (text: string) => string {
  const toQuery = (secret: string): string => new URLSearchParams([["", secret]]).toString().slice(1);
  const long = secrets.filter(({ length }) => length >= MIN_SECRET);
  const forms = long.flatMap((one) => [one, JSON.stringify(one).slice(1, -1), encodeURI(one), toQuery(one)]);
  forms.sort((a, b) => b.length - a.length); // Longest first: one secret may be part of another.
  return (text) => forms.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g; // Control characters would move a terminal's cursor.

/** Compares the body of an answer with the step's snapshot, a file beside the smoke file, or writes it. Masked fields
 * count by type: a name at any depth, or a path as `data.items.id`. @param problems the other problems of the answer */
async function checkSnapshot(
  { step: { id, expect: { snapshot, mask = [] } = {} }, number }: Case,
  { path: smokeFile, content: { defaults } }: SmokeFile,
  { cwd = "", update = false }: { readonly cwd?: string; readonly update?: boolean },
  { answer, problems }: { readonly answer?: SmokeAnswer | undefined; readonly problems: readonly Problem[] },
): Promise<readonly Problem[]> {
  if (snapshot === undefined || answer === undefined) return [];
  // A wrong answer must not become the snapshot, and the body of another status has other fields.
  if (problems.length > 0 && (update || problems.some(({ path }) => /^(status|code)$/.test(path)))) return [];
  const base = resolve(cwd, smokeFile).replace(/\.ya?ml$/i, "");
  const file = `${base}.${snapshot === true ? id! : snapshot}${number && `.${number}`}.snapshot.json`;
  const actual = masked(answer.body ?? answer.text, new Set(["request_id", ...(defaults?.mask ?? []), ...mask]), []);
  if (update) {
    await replaceFile(file, `${JSON.stringify(actual, null, 2)}\n`);
    return [];
  }
  try {
    const stored: unknown = JSON.parse(await readFile(file, "utf8"));
    return compare(stored, actual, "", "exact").map((problem) => ({ ...problem, path: problem.path || "body" }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? `${file} does not exist` : `${file}: ${message}`;
    return [{ about: "expectation", path: "snapshot", message: `${reason}; --update writes it` }];
  }
}

const masked = (value: unknown, fields: ReadonlySet<string>, path: readonly string[]): unknown =>
  mapItems(value, (item, key) => {
    if (typeof key === "number") return masked(item, fields, path);
    const at = [...path, key];
    return fields.has(key) || fields.has(at.join(".")) ? `<${describeType(item)}>` : masked(item, fields, at);
  });
