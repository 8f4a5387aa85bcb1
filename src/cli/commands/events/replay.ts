import { open, readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { count } from "../../../contract/schemas/shared-fields.ts";
import { emptyReport, replayReport, type Lines, type ReplayReport } from "../../../events/replay/replay-lines.ts";
import { RETRY_POLICY } from "../../../client/client-retry.ts";
import { CommandFailure, defineCommand, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { SkippedDamage } from "../../framework/with-progress.ts";
import { showRate, showShare } from "../../framework/time-format.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { daemonOperations, withAccounts } from "../../target/operations.ts";
import { optional, required, toggle, type Values, integer, text } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { openLineSource, type LinePosition, type LineSource, limitRate } from "./line-source.ts";
import type { PacedOptions } from "./replay-to-daemon.ts";
import { replaceFile } from "../../../storage/fs/durable-files.ts";
import { sha256 } from "../../../runtime/json/canonical-json.ts";
import { parseJson } from "../../../runtime/json/parse-json.ts";
import { userFolder } from "../../target/user-folder.ts";

const CHUNKS_PER_SECOND = 5; // With --rate, events are stored in this many chunks a second, so that the rate is even.
const LARGEST_CHUNK = 2048;
const REJECTED_LISTED = 20;

const options = {
  dryRun: toggle(),
  rate: optional(integer(1, 1_000_000)),
  rejected: optional(text(4096), "file"),
  restart: toggle(),
};

type Flags = Values<typeof options>;

export const replay = defineCommand("events replay", {
  arguments: { file: required(text(4096), "file") },
  options,
  async run(flags, context) {
    const source = await openLineSource(flags.file, context.io);
    try {
      const damage = new SkippedDamage();
      await printReport(context, await replayFrom(context, source, flags, damage), damage);
    } finally {
      await source.close();
    }
  },
});

type ReplayTarget = (lines: Lines, options: PacedOptions) => Promise<ReplayReport>;

/** @param damage gets the damage of the storage's log */
async function replayFrom(context: Context, source: LineSource, flags: Flags, damage: SkippedDamage) {
  const { daemon } = context;
  if (daemon === undefined) {
    const { replayEvents } = await import("../../../events/replay/replay-events.ts");
    const replayHere = async ({ service: { storage, ids } }: AccountsSession) => {
      const { durable, url } = storage;
      const into: ReplayTarget = (...given) => replayEvents({ storage, ids, onSkipped: damage.add }, ...given);
      const target = url.startsWith("fs:") ? `fs:${resolve(context.cwd, url.slice(3))}` : url;
      return run(context, source, flags, durable ? target : undefined, into);
    };
    return withAccounts(context, replayHere, flags.dryRun ? { absent: true } : { create: true });
  }
  // The replay itself waits for Retry-After, so that an interrupt ends the wait.
  const operations = await daemonOperations(daemon, undefined, { ...RETRY_POLICY, retry_after_ms: 0 });
  const { replayToDaemon } = await import("./replay-to-daemon.ts");
  const target = `${daemon.url} ${await operations.currentUser()}`;
  return run(context, source, flags, target, (lines, options) => replayToDaemon(operations, lines, options));
}

type Replayed = Awaited<ReturnType<typeof run>>;

/** The report, and the last line that was processed when the user interrupted it. */
async function run(context: Context, source: LineSource, flags: Flags, target: string | undefined, into: ReplayTarget) {
  const [{ io, terminal }, { dryRun, rate, rejected, restart }] = [context, flags];
  const pointFile = source.file && target && !dryRun ? resumePointFile(io.env, source.file, target) : undefined;
  const before = restart ? undefined : await resume(source, pointFile, terminal);
  const interrupt = awaitInterrupt(io);
  const flag = before === undefined ? "w" : "a"; // What an earlier run wrote is kept.
  const opening = rejected === undefined ? undefined : open(resolve(io.cwd, rejected), flag);
  const rejects = await opening?.catch((error: unknown) => {
    throw new UsageError(`--rejected ${rejected} cannot be written: ${(error as Error).message}.`);
  });
  let done = { place: source.place(), report: before?.report };
  const showProgress = progressFrom(done.place, done.report);
  try {
    const lines = source.lines(interrupt.signal);
    const report = await into(rate === undefined ? lines : limitRate(lines, rate, interrupt.signal), {
      dryRun,
      chunk: rate === undefined ? undefined : Math.min(LARGEST_CHUNK, Math.ceil(rate / CHUNKS_PER_SECOND)),
      before: before && { line: before.place.line, report: before.report, lines: source.linesBefore(before.place) },
      async pause(seconds) {
        terminal.say(`The daemon takes no more events for ${seconds} s.`);
        await delay(seconds * 1000, undefined, { signal: interrupt.signal });
      },
      onRejected: rejects && ((line) => rejects.appendFile(`${JSON.stringify(line)}\n`)),
      onChunk() {
        const place = source.place();
        return (report) => {
          done = { place, report: structuredClone(report) };
          terminal.progress(showProgress(place, source.size, report));
        };
      },
    });
    interrupt.signal.throwIfAborted();
    if (pointFile !== undefined) await rm(pointFile, { force: true });
    return { report };
  } catch (error) {
    terminal.progress("");
    const { report, place } = done;
    const isResumable = pointFile !== undefined && report !== undefined;
    if (isResumable) {
      const point = { place: { ...place, sha256: await source.digestBefore(place) }, report };
      await replaceFile(pointFile, `${JSON.stringify(point)}\n`);
    }
    if ((error as Error).name === "AbortError") return { report: report ?? emptyReport(), interruptedAt: place.line };
    if (isResumable) terminal.say(`Lines 1 to ${place.line} are done. The same command resumes from there.`);
    throw error;
  } finally {
    terminal.progress("");
    interrupt.forget();
    await rejects?.close();
  }
}

const resumePoint = z.object({
  place: z.strictObject({ offset: count, line: count, sha256: z.string() }), // `sha256` is that of the bytes before it.
  report: replayReport,
});

/** The file of a resume point, in the user's state folder `~/.local/state/anp/replay/`. Losing it does no harm: a replay
 * from the beginning stores nothing twice.
 * @param file the file's real path
 * @param target what it is replayed into: a storage's URL, or a daemon's and its user */
const resumePointFile = (env: Context["env"], file: string, target: string): string =>
  userFolder("state", env, "replay", `${sha256(JSON.stringify([file, target])).slice(0, 32)}.json`);

/** Goes on from the point of an earlier run, which it returns; undefined when none can be read. */
async function resume(source: LineSource, pointFile: string | undefined, terminal: Context["terminal"]) {
  const text = pointFile === undefined ? "" : await readFile(pointFile, "utf8").catch(() => "");
  const point = resumePoint.safeParse(parseJson(text)).data;
  if (point === undefined || point.place.line === 0) return undefined;
  if ((await source.digestBefore(point.place)) !== point.place.sha256) return undefined;
  source.goTo(point.place);
  const where = `Resuming after line ${point.place.line}, where an earlier run ended`;
  terminal.say(`${where}; the counts include that run. --restart starts from the beginning.`);
  return point;
}

function progressFrom({ offset: start }: LinePosition, { read: before } = emptyReport()) {
  const since = performance.now();
  return ({ offset }: LinePosition, size: number | undefined, { read, rejected_total }: ReplayReport): string => {
    const spent_ms = performance.now() - since;
    return [
      ...(size ? [showShare(offset, Math.max(size, offset), spent_ms, start)] : []),
      `${read} events`,
      ...(rejected_total > 0 ? [`${rejected_total} rejected`] : []),
      showRate(read - before, spent_ms),
    ].join(", ");
  };
}

async function printReport(context: Context, { report, interruptedAt }: Replayed, damage: SkippedDamage) {
  const { read, stored, skipped, rejected_total, rejected } = report;
  await printRecord(context, context.globals.format === "json" ? report : { read, stored, skipped, rejected_total });
  const lines = damage.lines(`${damage.count} damaged batches of events could not be compared with the input:`);
  if (rejected_total > 0) {
    lines.push(`${rejected_total} ${rejected_total === 1 ? "line was" : "lines were"} rejected.`);
    const listed = rejected.slice(0, REJECTED_LISTED);
    lines.push(...listed.map(({ line, reason }) => `line ${line}: ${reason}`));
    if (rejected_total > listed.length)
      lines.push(`and ${rejected_total - listed.length} more: --rejected FILE writes all of them`);
  }
  if (interruptedAt !== undefined) {
    lines.unshift(`Interrupted after line ${interruptedAt}. The same command resumes from there.`);
    throw new CommandFailure(EXIT.interrupted, lines.join("\n"));
  }
  if (lines.length > 0) throw new CommandFailure(EXIT.partial, lines.join("\n"));
}
