import { resolve } from "node:path";
import type { Step } from "../file/smoke-file.ts";
import type { SmokeFile } from "../file/read-smoke-file.ts";
import { referencesIn, textsIn, type RunValues } from "../file/references.ts";
import type { FileResult, Phase, SmokeAnswer, StepResult } from "./smoke-result.ts";
import type { MovableClock } from "./moment.ts";
import { runStep } from "./run-step.ts";

/** How a file is run. */
export interface RunOptions {
  /** Base address of the daemon. */
  readonly url: string;
  /** The address in the curl commands, if another one. */
  readonly shownUrl?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly run: RunValues;
  /** The daemon's clock, which steps may move; absent where the daemon is another process. */
  readonly clock?: MovableClock;
  /** Interrupts the steps; the cleanup still runs. */
  readonly signal: AbortSignal;
  /** Whether to stop at the first failed step. */
  readonly bail: boolean;
  /** The folder that the file's path starts from. */
  readonly cwd?: string;
  /** Whether to write the snapshots that answers are compared with. */
  readonly update?: boolean;
}

/**
 * Runs a file's steps one after another, then its cleanup. A failed step does not end the file. A step that refers to an
 * answer that does not exist is skipped, and so are all steps after the daemon could not be reached.
 *
 * @example
 * const result = await runSmokeFile(file, { url, env: {}, run: { id: "1" }, signal, bail: false });
 * result.steps.map(({ title, outcome }) => `${outcome}: ${title}`);
 */
export async function runSmokeFile(file: SmokeFile, options: RunOptions): Promise<FileResult> {
  const { content } = file;
  const started = performance.now();
  const answers = new Map<string, SmokeAnswer>();
  const unanswered = new Set<string>();
  const failed = new Set<string>();
  const results: StepResult[] = [];
  const base = resolve(options.cwd ?? "", file.path).replace(/\.ya?ml(\.gz)?$/i, "");
  const snapshots = { base, update: options.update ?? false };
  const scope = { env: options.env, run: options.run, answers };

  /** @returns why the daemon could not be reached, or undefined */
  async function runPhase(phase: Phase, signal: AbortSignal): Promise<string | undefined> {
    let unreachable: string | undefined;
    for (const [index, step] of (content[phase] ?? []).entries()) {
      const { id, request } = step;
      const line = file.lineOf([phase, index]);
      const about = { phase, number: index + 1, line, title: titleOf(step), request };
      const reason = unreachable === undefined ? reasonToSkip(step, phase, signal) : "the daemon cannot be reached";
      if (reason === undefined) {
        const ran = await runStep(step, { ...options, defaults: content.defaults, scope, snapshots, signal });
        const { text, head = "" } = ran.unresolved ?? {};
        // A step that fails because an earlier one did adds no information.
        const result = failed.has(head) ? skipped(`${text} is not known: ${head} failed`) : ran.result;
        results.push({ ...about, ...result });
        unreachable = ran.unreachable;
        if (id !== undefined && ran.answer !== undefined) answers.set(id, ran.answer);
      } else {
        results.push({ ...about, ...skipped(reason) });
      }
      if (id !== undefined && results.at(-1)!.outcome !== "passed") failed.add(id);
      if (id !== undefined && !answers.has(id)) unanswered.add(id);
    }
    return unreachable;
  }

  function reasonToSkip(step: Step, phase: Phase, signal: AbortSignal): string | undefined {
    if (signal.aborted) return "interrupted";
    if (step.now !== undefined && options.clock === undefined) return "the clock of this daemon cannot be moved";
    if (phase === "steps" && options.bail && results.some(({ outcome }) => outcome === "failed"))
      return "an earlier step failed";
    const used = [...textsIn(step)].flatMap(([text]) => referencesIn(text));
    const missing = used.find(({ head }) => unanswered.has(head));
    return missing === undefined ? undefined : `${missing.text} is not known: ${missing.head} got no answer`;
  }

  const unreachable = await runPhase("steps", options.signal);
  // The cleanup runs even when the run was interrupted or the daemon could not be reached.
  const lostLater = await runPhase("cleanup", new AbortController().signal);
  return {
    path: file.path,
    title: content.name ?? file.path,
    steps: results,
    ms: performance.now() - started,
    unreachable: unreachable ?? lostLater,
  };
}

/** Characters of the body in the title of a step without a name. */
const TITLE_BODY = 60;

/** The step's name or id, or else its request. */
function titleOf({ name, id, request, query, body, raw }: Step): string {
  if (name !== undefined || id !== undefined) return name ?? id!;
  const sent = raw ?? (body === undefined ? "" : JSON.stringify(body));
  const search = Object.entries(query ?? {}).map(([key, value]) => `${key}=${[value].flat().join(",")}`);
  const path = search.length === 0 ? request : `${request}?${search.join("&")}`;
  return sent === "" ? path : `${path} ${sent.length > TITLE_BODY ? `${sent.slice(0, TITLE_BODY)}…` : sent}`;
}

function skipped(reason: string): Pick<StepResult, "outcome" | "reason" | "problems" | "tries" | "ms"> {
  return { outcome: "skipped", reason, problems: [], tries: 0, ms: 0 };
}
