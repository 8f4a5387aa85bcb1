import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { checkPort } from "../../../daemon/bind-check.ts";
import { toIso } from "../../../runtime/clock.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import { silentLogger } from "../../../runtime/logger.ts";
import { DEMO } from "../../../runtime/package-file.ts";
import { readSmokeFile } from "../../../smoke/file/read-smoke-file.ts";
import { startRecording } from "../../../smoke/record/recording-proxy.ts";
import { toSmokeFile } from "../../../smoke/record/to-smoke-file.ts";
import { planDaemon, startDaemon } from "../../../smoke/run/own-daemon.ts";
import { replaceFile } from "../../../storage/fs/durable-files.ts";
import { CommandFailure, EXIT, UsageError, type Context } from "../../framework/command.ts";
import type { Values } from "../../params/param.ts";
import { findTarget } from "./run-smoke.ts";
import type { RECORD_OPTIONS } from "./smoke-params.ts";

/** Records the calls through a proxy as a smoke file. @throws UsageError for exclusive flags and a file that exists
 * @throws CommandFailure when nothing was recorded, or the file does not read back */
export async function recordCalls(options: Values<typeof RECORD_OPTIONS>, context: Context): Promise<void> {
  const { out, count = 1000, port = 0, exact, force } = options;
  const { io, terminal, cwd, env } = context;
  const file = resolve(cwd, out);
  if (existsSync(file) && !force) throw new UsageError(`--out ${out} exists; --force replaces it.`);
  await checkPort("127.0.0.1", port);
  const daemon = await openDaemon(file, exact, context);
  const interrupt = awaitInterrupt(io);
  try {
    const proxy = await startRecording(daemon.url, port, count);
    await terminal.write(`${proxy.url}\n`);
    terminal.say(`Send requests to this address. ${options.count === undefined ? "Ctrl-C" : `Call ${count}`} ends it.`);
    const end = AbortSignal.any([proxy.full, interrupt.signal]);
    if (!end.aborted) await once(end, "abort");
    await proxy.stop();
    const { calls } = proxy;
    if (calls.length === 0) throw new CommandFailure(EXIT.failure, "No call was recorded; no file was written.");
    const { text, variables } = toSmokeFile(calls, { ...daemon, exact });
    await replaceFile(file, text);
    const tokens = Object.fromEntries(variables.map((name) => [name, "set later"]));
    const read = readSmokeFile(out, text, { ...env, ...tokens });
    if (!("content" in read)) throw new CommandFailure(EXIT.failure, read.join("\n"));
    terminal.say(`${out}: ${read.content.steps.length} of ${calls.length} calls`);
  } finally {
    interrupt.forget();
    await daemon.stop();
  }
}

async function openDaemon(path: string, exact: boolean, context: Context) {
  const { globals, cwd, env } = context;
  const { storage, config, fixtures = DEMO, now, seed = "smoke" } = globals;
  if (storage !== undefined || config !== undefined)
    throw new UsageError("--storage and --config cannot be used with smoke record: its daemon is in memory.");
  const target = await findTarget(context);
  if (target !== undefined) {
    if (exact) throw new UsageError("--exact excludes --url: a running daemon has another clock and other ids.");
    const tokens: Record<string, string> = target.token === undefined ? {} : { "${run.token}": target.token };
    return { url: target.url, head: {}, tokens, stop: () => Promise.resolve() };
  }
  const folder = fixtures === DEMO ? "demo" : relative(dirname(path), resolve(cwd, fixtures)) || ".";
  const head = { fixtures: folder, now: now === undefined ? undefined : toIso(now), seed };
  const plan = await planDaemon({ path, content: head, errorAt: (_path, message) => message }, env, cwd, true);
  if (typeof plan === "string") throw new UsageError(plan);
  const started = await startDaemon(plan, silentLogger);
  const users = Object.entries(started.run.tokens ?? {});
  const tokens = Object.fromEntries(users.map(([user, token]) => [`\${run.tokens.${user}}`, token]));
  return { ...started, head: { ...head, now: toIso(plan.now) }, tokens };
}
