import { randomBytes } from "node:crypto";
import { silentLogger } from "../../../runtime/logger.ts";
import { planDaemon, serveLine, SERVED_URL, startDaemon, type DaemonPlan } from "../../../smoke/run/own-daemon.ts";
import { readSmokeFile, type SmokeFile } from "../../../smoke/file/read-smoke-file.ts";
import { tally, type FileResult } from "../../../smoke/run/smoke-result.ts";
import { runFile } from "../../../smoke/run/run-smoke-file.ts";
import type { Context } from "../../framework/command-context.ts";
import { findDaemon, type DaemonTarget } from "../../target/daemon-target.ts";
import { CommandFailure, EXIT, UsageError } from "../../framework/exit.ts";
import { createTerminalLogger } from "../../terminal/terminal-logger.ts";
import { readFiles } from "./find-files.ts";
import { awaitInterrupt } from "../../framework/interrupt.ts";
import { openReporter, type ReportOptions } from "./reporter.ts";

/** What the flags of `smoke` say. */
export interface SmokeOptions extends ReportOptions {
  readonly files: readonly string[];
  readonly bail: boolean;
  readonly withFaults: boolean;
}

/** Where a file runs: on a daemon that is there, or on one of its own. */
type Stage = { readonly target: DaemonTarget } | { readonly plan: DaemonPlan };

/**
 * Runs smoke files and reports.
 *
 * @throws CommandFailure when a file is not right (then none was run), a step failed, or the daemon cannot be reached
 */
export async function runSmoke(options: SmokeOptions, context: Context): Promise<void> {
  refuseStorageFlags(context);
  const files = await openFiles(options.files, context);
  const stages = await stagesOf(files, context);
  const reporter = openReporter(options, context);
  const interrupt = awaitInterrupt(context.io);
  const results: FileResult[] = [];
  try {
    for (const [index, file] of files.entries()) {
      if (interrupt.signal.aborted || results.at(-1)?.unreachable !== undefined) break;
      const result = await runOne(file, stages[index]!, { options, context, signal: interrupt.signal });
      results.push(result);
      await reporter.file(result);
    }
  } finally {
    interrupt.forget();
  }
  await reporter.end(results);
  if (interrupt.signal.aborted) throw new CommandFailure(EXIT.interrupted, "Interrupted. Cleanup steps were run.");
  const unreachable = results.at(-1)?.unreachable;
  if (unreachable !== undefined) throw new CommandFailure(EXIT.unreachable, `${unreachable}.`);
  const { failed } = tally(results);
  if (failed > 0) throw new CommandFailure(EXIT.smoke, failed === 1 ? "1 step failed." : `${failed} steps failed.`);
}

/** The daemon of a run keeps all in memory, and its clock and world are the file's. */
function refuseStorageFlags({ globals }: Context): void {
  const { storage, config, fixtures, now, seed } = globals;
  const given = Object.entries({ storage, config, fixtures, now, seed }).filter(([, value]) => value !== undefined);
  const faults = given.map(([name]) =>
    name === "storage" || name === "config"
      ? `--${name} is not for smoke: without --url, each file gets a daemon on memory.`
      : `--${name} stands in a smoke file, as \`${name}:\` at its top.`,
  );
  if (faults.length > 0) throw new UsageError(faults);
}

async function openFiles(named: readonly string[], context: Context): Promise<SmokeFile[]> {
  const files: SmokeFile[] = [];
  const errors: string[] = [];
  for (const { path, text } of await readFiles(named)) {
    const read = readSmokeFile(path, text, context.env);
    if ("content" in read) files.push(read);
    else errors.push(...read);
  }
  refuse(errors, context);
  return files;
}

async function stagesOf(files: readonly SmokeFile[], context: Context): Promise<Stage[]> {
  const { globals, env } = context;
  // Only what the command line names: a daemon that the environment or a profile in use points to is not to be tested
  // by accident.
  const target = (globals.url ?? globals.profile) === undefined ? undefined : await findDaemon(globals, env);
  if (target !== undefined) {
    if (!/^https?:\/\//.test(target.url) || !URL.canParse(target.url)) {
      throw new UsageError(`--url must be an address such as http://127.0.0.1:8787, not ${target.url}.`);
    }
    return files.map(() => ({ target }));
  }
  const stages: Stage[] = [];
  const errors: string[] = [];
  for (const plan of await Promise.all(files.map((file) => planDaemon(file, env)))) {
    if (typeof plan === "string") errors.push(plan);
    else stages.push({ plan });
  }
  refuse(errors, context);
  return stages;
}

/** Prints one error a line from the first column on, as editors expect it. */
function refuse(errors: readonly string[], { terminal }: Context): void {
  if (errors.length === 0) return;
  for (const error of errors) terminal.say(error);
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  throw new CommandFailure(EXIT.usage, `${count}; nothing was run. See \`anp help smoke-files\`.`);
}

async function runOne(
  file: SmokeFile,
  stage: Stage,
  { options, context, signal }: { options: SmokeOptions; context: Context; signal: AbortSignal },
): Promise<FileResult> {
  const common = { env: context.env, signal, bail: options.bail };
  if ("target" in stage) {
    const { faults = [] } = file.content;
    if (faults.length > 0 && !options.withFaults) return skipWhole(file, `it asks for the faults ${faults.join(" ")}`);
    const { url, token } = stage.target;
    const run = { id: randomBytes(5).toString("hex"), ...(token === undefined ? {} : { token }) };
    return runFile(file, { ...common, url, run });
  }
  const logger = context.globals.verbose ? createTerminalLogger(context) : silentLogger;
  const daemon = await startDaemon(stage.plan, logger);
  try {
    const result = await runFile(file, { ...common, url: daemon.url, shownUrl: SERVED_URL, run: daemon.run });
    const serve = serveLine(stage.plan);
    return { ...result, ...(serve === undefined ? {} : { serve }) };
  } finally {
    await daemon.stop();
  }
}

function skipWhole(file: SmokeFile, skipped: string): FileResult {
  return { path: file.path, title: file.content.name ?? file.path, skipped, steps: [], ms: 0 };
}
