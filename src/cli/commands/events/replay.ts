import { resolve } from "node:path";
import type { ReplayOptions, ReplayReport, UnreadableLine } from "../../../events/replay/replay-lines.ts";
import { toIso } from "../../../runtime/clock.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { awaitInterrupt } from "../../framework/interrupt.ts";
import { withOperations, type Operations } from "../../target/operations.ts";
import { optional, required, toggle } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withSession } from "../../target/session.ts";
import { integer, text } from "../../framework/value-readers.ts";
import { openLineSource, type LineSource } from "./line-source.ts";
import { limitRate } from "./limit-rate.ts";
import { openRejectsFile } from "./rejects-file.ts";
import { createProgressBar } from "./replay-progress.ts";
import { resumePointFile, type ResumePoint, type ResumePointFile } from "./resume-point.ts";

/** With --rate, events are stored in this many chunks a second, so that the rate is even. */
const CHUNKS_PER_SECOND = 5;
const LARGEST_CHUNK = 2048;
/** Rejected lines that are listed on stderr. */
const REJECTED_LISTED = 20;

export const replay = defineCommand({
  name: "replay",
  summary: "Store the events of an export, each exactly once",
  description:
    "Store the events of an export, one JSON object a line. Each is stored exactly once, however often it is replayed. " +
    "Lines that are not events are rejected and listed on stderr, and the exit code is 8. A replay that is interrupted or " +
    "fails leaves a resume point in ~/.local/state/anp/replay (XDG_STATE_HOME); the same command resumes from there.\n\n" +
    "With --url the events are sent to a daemon in the name of the token's user: lines of other users are rejected, and " +
    "the daemon dates the events by its own clock. A dry run then checks only the lines.",
  arguments: { file: { ...required("FILE", "file of JSON lines, - for stdin", text(4096)), holds: "file" } },
  options: {
    dryRun: toggle("report what would be stored without writing"),
    rate: optional("n", "maximum events per second", integer(1, 1_000_000)),
    rejected: {
      ...optional("file", "write every rejected line to this file, as JSON with number and reason", text(4096)),
      holds: "file",
    },
    restart: toggle("start from the beginning, ignoring a resume point"),
  },
  examples: [
    "events replay events.ndjson --dry-run",
    "events replay events.ndjson --rate 500 --rejected rejected.ndjson",
    "events replay events.ndjson --url http://127.0.0.1:8787",
    "events export | anp events replay - --storage fs:./copy",
  ],
  target: "either",
  async run(flags, context) {
    const source = await openLineSource(flags.file, context.io);
    try {
      await printReport(context, await replayFrom(context, source, flags));
    } finally {
      await source.close();
    }
  },
});

interface Flags {
  readonly dryRun: boolean;
  readonly rate: number | undefined;
  readonly rejected: string | undefined;
  readonly restart: boolean;
}

interface Replayed {
  readonly report: ReplayReport;
  /** The last line that was processed, when the user interrupted it. */
  readonly interruptedAt?: number;
}

/** Replays lines into the storage or a daemon. */
type ReplayTarget = (
  lines: AsyncIterable<string | UnreadableLine>,
  options: ReplayOptions & { readonly dryRun: boolean },
) => Promise<ReplayReport>;

function replayFrom(context: Context, source: LineSource, flags: Flags): Promise<Replayed> {
  const { env, daemon } = context;
  const pointFor = (target: string | undefined): ResumePointFile | undefined =>
    source.file === undefined || target === undefined || flags.dryRun
      ? undefined
      : resumePointFile(env, source.file, target);
  if (daemon === undefined) {
    return withSession(
      context,
      ({ service: { events, storage } }) => {
        const into: ReplayTarget = (lines, options) => events.replay(lines, options);
        return run(context, source, flags, pointFor(storage.durable ? absoluteUrl(storage.url) : undefined), into);
      },
      { create: true },
    );
  }
  return withOperations(context, undefined, async (operations: Operations) => {
    const { replayToDaemon } = await import("./replay-to-daemon.ts");
    const target = `${daemon.url} ${await operations.currentUser()}`;
    return run(context, source, flags, pointFor(target), (lines, options) =>
      replayToDaemon(operations, lines, options),
    );
  });
}

/** A storage's URL, independent of the working directory. */
function absoluteUrl(url: string): string {
  return url.startsWith("fs:") ? `fs:${resolve(url.slice(3))}` : url;
}

async function run(
  { io, terminal, clock }: Context,
  source: LineSource,
  { dryRun, rate, rejected, restart }: Flags,
  pointFile: ResumePointFile | undefined,
  replayInto: ReplayTarget,
): Promise<Replayed> {
  const before = restart ? undefined : await resume(source, pointFile);
  if (before !== undefined) {
    terminal.say(
      `Resuming after line ${before.place.line}, where an earlier run ended; the counts include that run. ` +
        "--restart starts from the beginning.",
    );
  }
  const interrupt = awaitInterrupt(io);
  const bar = createProgressBar(terminal);
  const rejects = await openRejectsFile(rejected, before !== undefined);
  let done = { place: source.place(), report: before?.report };
  const saveResumePoint = async (): Promise<boolean> => {
    if (pointFile === undefined || done.report === undefined) return false;
    await pointFile.save(done.place, done.report, toIso(clock.now()));
    return true;
  };
  try {
    const lines = source.lines(interrupt.signal);
    const report = await replayInto(rate === undefined ? lines : limitRate(lines, rate, interrupt.signal), {
      dryRun,
      chunk: rate === undefined ? undefined : Math.min(LARGEST_CHUNK, Math.ceil(rate / CHUNKS_PER_SECOND)),
      before: before === undefined ? undefined : { line: before.place.line, report: before.report },
      onRejected: rejects?.write,
      onProgress(report) {
        done = { place: source.place(), report: structuredClone(report) };
        const { offset } = source.position();
        bar.draw({ offset, size: source.size, read: report.read, rejected: report.rejected_total });
      },
    });
    if (!interrupt.signal.aborted) {
      await pointFile?.remove();
      return { report };
    }
    await saveResumePoint();
    return { report, interruptedAt: done.place.line };
  } catch (error) {
    bar.clear();
    if (await saveResumePoint()) {
      terminal.say(`Lines 1 to ${done.place.line} are done. The same command resumes from there.`);
    }
    throw error;
  } finally {
    bar.clear();
    interrupt.forget();
    await rejects?.close();
  }
}

/** Goes to where an earlier run ended, if there was one and the file has not changed up to there. */
async function resume(source: LineSource, pointFile: ResumePointFile | undefined): Promise<ResumePoint | undefined> {
  const point = await pointFile?.read();
  if (point === undefined || point.place.line === 0) return undefined;
  return (await source.goTo(point.place)) ? point : undefined;
}

async function printReport(context: Context, { report, interruptedAt }: Replayed): Promise<void> {
  const { read, stored, skipped, rejected_total, rejected } = report;
  await printRecord(context, context.globals.format === "json" ? report : { read, stored, skipped, rejected_total });
  const lines: string[] = [];
  if (rejected_total > 0) {
    lines.push(`${rejected_total} ${rejected_total === 1 ? "line was" : "lines were"} rejected.`);
    const listed = rejected.slice(0, REJECTED_LISTED);
    lines.push(...listed.map(({ line, reason }) => `line ${line}: ${reason}`));
    if (rejected_total > listed.length) {
      lines.push(`and ${rejected_total - listed.length} more: --rejected FILE writes all of them`);
    }
  }
  if (interruptedAt !== undefined) {
    lines.unshift(`Interrupted after line ${interruptedAt}. The same command resumes from there.`);
    throw new CommandFailure(EXIT.interrupted, lines.join("\n"));
  }
  if (lines.length > 0) throw new CommandFailure(EXIT.partial, lines.join("\n"));
}
