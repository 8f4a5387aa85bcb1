import { sharedRunners } from "../support/shared-runners.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { planDaemon, startDaemon } from "../../src/smoke/run/own-daemon.ts";
import { readSmokeFile, type SmokeFile } from "../../src/smoke/file/read-smoke-file.ts";
import type { FileResult } from "../../src/smoke/run/smoke-result.ts";
import { runSmokeFile } from "../../src/smoke/run/run-smoke-file.ts";
import type { RunOptions } from "../../src/smoke/run/run-smoke-file.ts";

const openRunners = sharedRunners();

/** A smoke file of a text that is right. */
export function smokeFileOf(text: string, env: RunOptions["env"] = {}): SmokeFile {
  const read = readSmokeFile("test.yaml", text, env);
  if (!("content" in read)) throw new Error(read.join("\n"));
  return read;
}

/** What is wrong with a text, as `LINE:COLUMN: …`. */
export function faultsOf(text: string, env: RunOptions["env"] = {}): string[] {
  const read = readSmokeFile("test.yaml", text, env);
  return "content" in read ? [] : read.map((fault) => fault.replace("test.yaml:", ""));
}

/** A daemon that was started for a file. */
export type OwnDaemon = Awaited<ReturnType<typeof startDaemon>>;

/** The daemon that a text asks for. */
export async function daemonOf(text: string): Promise<OwnDaemon> {
  const plan = await planDaemon(smokeFileOf(text));
  if (typeof plan === "string") throw new Error(plan);
  return startDaemon(plan, silentLogger, openRunners());
}

/** Runs a text against a daemon. */
export function run(
  daemon: Pick<OwnDaemon, "url" | "run"> & Partial<OwnDaemon>,
  text: string,
  options: Partial<RunOptions> = {},
): Promise<FileResult> {
  const { env = {} } = options;
  return runSmokeFile(smokeFileOf(text, env), {
    url: daemon.url,
    run: daemon.run,
    env,
    signal: new AbortController().signal,
    bail: false,
    begin: daemon.begin,
    ...options,
  });
}

/** Each step's outcome with what is wrong, or why it was skipped. */
export function outcomes({ steps }: FileResult): string[] {
  return steps.map(({ outcome, problems, reason }) => {
    const words = problems.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
    return [outcome, ...words, ...(reason === undefined ? [] : [reason])].join(": ");
  });
}
