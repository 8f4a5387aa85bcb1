import { randomBytes } from "node:crypto";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { silentLogger } from "../../../runtime/logger.ts";
import { toHuman, toSummary } from "../../../smoke/report/human-report.ts";
import { toJunit } from "../../../smoke/report/junit-report.ts";
import { toTap } from "../../../smoke/report/tap-report.ts";
import { planDaemon, serveLine, SERVED_URL, startDaemon, type DaemonPlan } from "../../../smoke/run/own-daemon.ts";
import { readSmokeFile, readText, type SmokeFile } from "../../../smoke/file/read-smoke-file.ts";
import { stepsOf } from "../../../smoke/file/smoke-file.ts";
import { countOutcomes, type FileResult } from "../../../smoke/run/smoke-result.ts";
import { runSmokeFile } from "../../../smoke/run/run-smoke-file.ts";
import { planCases, type Case } from "../../../smoke/run/plan-cases.ts";
import { CommandFailure, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { findDaemon, type DaemonTarget } from "../../target/daemon-target.ts";
import { createTerminalLogger } from "../../terminal/terminal.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import { inOrder } from "../../../runtime/in-order.ts";
import type { SmokeOptions } from "./smoke-params.ts";

const OWN_JOBS = 2; // Files that run at the same time, all in one thread: waits overlap, work does not.
const TAGS_LISTED = 10; // Tags that an error lists.

type PlannedFile = { readonly file: SmokeFile; readonly cases: readonly Case[] };
type FileDaemon = DaemonTarget | DaemonPlan;

/** Runs smoke files and reports their results.
 * @throws CommandFailure for an invalid file (none is run then), a failed step, no daemon, and an unwritable report */
export async function runSmoke(options: SmokeOptions, context: Context): Promise<void> {
  refuseStorageFlags(context);
  const planned = await openFiles(options, context);
  const daemons = await daemonsFor(planned, options, context);
  const { terminal, globals } = context;
  const kind = globals.format === "json" ? "json" : (options.report ?? (terminal.interactive ? "human" : "tap"));
  const interrupt = awaitInterrupt(context.io);
  // The files of a daemon of another process share its state, and --bail goes by the files before.
  const jobs = options.bail ? 1 : (options.jobs ?? ("url" in daemons[0]! ? 1 : OWN_JOBS));
  const shared = { signal: interrupt.signal, openRunners: context.io.runners };
  const results: FileResult[] = [];
  const run = async (index: number): Promise<FileResult | undefined> => {
    if (interrupt.signal.aborted || results.at(-1)?.unreachable !== undefined) return undefined;
    const one = planned[index]!;
    if (options.bail && countOutcomes(results).failed > 0) return skipFile(one.file, "an earlier step failed");
    return runOne(one, daemons[index]!, options, context, shared);
  };
  try {
    for await (const result of inOrder(planned.length, jobs, run)) {
      if (result === undefined || results.at(-1)?.unreachable !== undefined) continue;
      results.push(result);
      if (kind === "human") await terminal.write(toHuman(result, terminal.paint));
    }
  } finally {
    interrupt.forget();
  }
  const report = {
    human: () => toSummary(results, terminal.paint),
    tap: () => toTap(results),
    junit: () => toJunit(results),
    json: () => `${JSON.stringify(results, null, 2)}\n`,
  };
  await terminal.write(report[kind]());
  const { junit } = options;
  if (junit !== undefined)
    await writeFile(resolve(context.cwd, junit), toJunit(results)).catch((error: unknown) => {
      throw new CommandFailure(EXIT.failure, `The report cannot be written: ${(error as Error).message}`);
    });
  if (interrupt.signal.aborted) throw new CommandFailure(EXIT.interrupted, "Interrupted. Cleanup steps were run.");
  const unreachable = results.at(-1)?.unreachable;
  if (unreachable !== undefined) throw new CommandFailure(EXIT.unreachable, unreachable);
  const { failed } = countOutcomes(results);
  if (failed > 0) throw new CommandFailure(EXIT.smoke, failed === 1 ? "1 step failed." : `${failed} steps failed.`);
  const ran = results.some(({ steps }) => steps.some((step) => step.phase === "steps" && step.outcome !== "skipped"));
  const nothing = "Every step was skipped, so nothing was tested. --allow-skipped accepts that.";
  if (!ran && !options.allowSkipped) throw new CommandFailure(EXIT.smoke, nothing);
}

/** A file's own daemon is in memory, and the file sets its clock and fixture. */
function refuseStorageFlags({ globals }: Context): void {
  const { storage, config, fixtures, now, seed } = globals;
  const given = Object.entries({ storage, config, fixtures, now, seed }).filter(([, value]) => value !== undefined);
  const errors = given.map(([name]) =>
    name === "storage" || name === "config"
      ? `--${name} cannot be used with smoke: without --url, each file gets its own in-memory daemon.`
      : `--${name} cannot be used with smoke: set \`${name}:\` at the top of the smoke file.`,
  );
  if (errors.length > 0) throw new UsageError(errors);
}

async function openFiles({ files, tags, grep }: SmokeOptions, context: Context): Promise<PlannedFile[]> {
  const planned: PlannedFile[] = [];
  const errors: string[] = [];
  const known = new Set<string>();
  for (const { path, text, lines } of await findSmokeFiles(files, context.cwd)) {
    const file = readSmokeFile(path, text, context.env, context.cwd);
    if (!("content" in file)) {
      errors.push(...file);
      continue;
    }
    const wrong = lines.filter((line) => planCases(file, { lines: [line] }).length === 0);
    errors.push(...wrong.map((line) => `${path}:${line}: no step is at this line.`));
    for (const { tags: own = [] } of [file.content, ...file.content.steps]) for (const tag of own) known.add(tag);
    const cases = planCases(file, { tags, grep, lines });
    if (cases.length > 0) planned.push({ file, cases });
  }
  failOnErrors(errors, context);
  if (planned.length === 0) {
    const chosen = [tags && `the tag ${tags.join(" or ")}`, grep && `a title with ${JSON.stringify(grep)}`];
    const listed = known.size === 0 ? "none" : [...known].sort().slice(0, TAGS_LISTED).join(", ");
    throw new UsageError(`No step has ${chosen.filter(Boolean).join(" and ")}. Tags of the files: ${listed}.`);
  }
  return planned;
}

const YAML = /\.ya?ml$/i;

/** Reads the named files, FILE:LINE and the YAML files in named folders, each once.
 * @returns with the lines of FILE:LINE, counted from 1; with none for a whole file
 * @throws UsageError for files that cannot be read, and for folders without a YAML file */
async function findSmokeFiles(named: readonly string[], cwd: string) {
  const files = new Map<string, { path: string; text: string; lines: readonly number[] }>();
  const errors: string[] = [];
  for (const typed of named) {
    try {
      const { path: place, line, isFolder } = await locate(typed, cwd);
      const paths = isFolder ? await filesIn(place, cwd) : [place];
      if (paths.length === 0) errors.push(`${place} contains no .yaml file.`);
      for (const path of paths) {
        const { text, lines } = files.get(path) ?? { text: readText(resolve(cwd, path)), lines: undefined };
        // A file that is also named as a whole is read as a whole.
        const isWhole = line === undefined || lines?.length === 0;
        files.set(path, { path, text, lines: isWhole ? [] : [...(lines ?? []), line] });
      }
    } catch (error) {
      errors.push(`FILE ${typed} cannot be read: ${(error as Error).message}.`);
    }
  }
  if (errors.length > 0) throw new UsageError(errors);
  return [...files.values()];
}

async function locate(typed: string, cwd: string): Promise<{ path: string; line?: number; isFolder: boolean }> {
  try {
    return { path: typed, isFolder: (await stat(resolve(cwd, typed))).isDirectory() };
  } catch (error) {
    const [, path, line] = /^(.+):(\d+)$/.exec(typed) ?? [];
    if (path === undefined) throw error;
    if ((await stat(resolve(cwd, path))).isDirectory()) throw new Error("a folder has no lines", { cause: error });
    return { path, line: Number(line), isFolder: false };
  }
}

async function filesIn(folder: string, cwd: string): Promise<string[]> {
  const names = (await readdir(resolve(cwd, folder), { recursive: true })).filter((name) => YAML.test(name));
  return names.sort().map((name) => join(folder, name));
}

async function daemonsFor(files: readonly PlannedFile[], { trustConfig }: SmokeOptions, context: Context) {
  const { env, cwd } = context;
  const target = await findTarget(context);
  if (target !== undefined) return files.map(() => target);
  const plans = await Promise.all(files.map(({ file }) => planDaemon(file, env, cwd, trustConfig)));
  const errors = plans.filter((plan) => typeof plan === "string");
  failOnErrors(errors, context);
  return plans.filter((plan) => typeof plan !== "string");
}

/** The daemon that the command line names, if any; one of the environment or the current profile is not tested by
 * accident. @throws UsageError for an address that is not one */
export const findTarget = async (context: Context): Promise<DaemonTarget | undefined> =>
  (context.globals.url ?? context.globals.profile) === undefined ? undefined : findDaemon(context);

/** Prints one error a line from the first column on, as editors expect it. */
function failOnErrors(errors: readonly string[], { terminal }: Context): void {
  if (errors.length === 0) return;
  for (const error of errors) terminal.say(error);
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  throw new CommandFailure(EXIT.usage, `${count}; nothing was run. See \`anp help smoke-files\`.`);
}

type Shared = { readonly signal: AbortSignal; readonly openRunners: Context["io"]["runners"] };

async function runOne(one: PlannedFile, daemon: FileDaemon, options: SmokeOptions, context: Context, shared: Shared) {
  const [{ file, cases }, { bail, update }, { signal, openRunners }] = [one, options, shared];
  const common = { env: context.env, signal, bail, cwd: context.cwd, update, cases };
  if ("url" in daemon) {
    const reason = reasonToSkip(file, options);
    if (reason !== undefined) return skipFile(file, reason);
    const { url, token } = daemon;
    const run = { id: randomBytes(5).toString("hex"), ...(token !== undefined && { token }) };
    return runSmokeFile(file, { ...common, url, run });
  }
  const { globals, terminal } = context;
  const logger = globals.verbose ? createTerminalLogger(terminal, globals) : silentLogger;
  const started = await startDaemon(daemon, logger, openRunners?.());
  try {
    const { url, run, clock } = started;
    const begin = daemon.faults.length > 0 ? started.begin : undefined;
    const result = await runSmokeFile(file, { ...common, url, shownUrl: SERVED_URL, run, clock, begin });
    return { ...result, serve: serveLine(daemon) };
  } finally {
    await started.stop();
  }
}

function reasonToSkip({ content }: SmokeFile, { withFaults }: SmokeOptions): string | undefined {
  const { faults = [] } = content;
  if (faults.length > 0 && !withFaults) return `it asks for the faults ${faults.join(" ")}`;
  const moving = stepsOf(content).find(({ step }) => step.now !== undefined)?.step.now;
  return moving && `it moves the clock of its daemon (now: ${moving})`;
}

function skipFile(file: SmokeFile, skipped: string): FileResult {
  return { path: file.path, title: file.content.name ?? file.path, skipped, steps: [], ms: 0 };
}
