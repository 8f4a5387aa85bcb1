import { stepsOf } from "../file/smoke-file.ts";
import type { SmokeFile } from "../file/read-smoke-file.ts";
import { answersOf } from "./prepare-step.ts";
import { planCases, type Case } from "./plan-cases.ts";
import type { FileResult, SmokeAnswer, StepResult } from "./smoke-result.ts";
import { runStep, type RunOptions } from "./run-step.ts";

/** Runs a file's setup and steps one after another, then its cleanup. A failed step does not end the file. A step that
 * refers to an answer that does not exist is skipped, and so are all steps after the daemon could not be reached, and
 * those after a failed setup.
 * @example
 * const result = await runSmokeFile(file, { url, env: {}, run: { id: "1" }, signal, bail: false });
 * result.steps.map(({ title, outcome }) => `${outcome}: ${title}`); */
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
