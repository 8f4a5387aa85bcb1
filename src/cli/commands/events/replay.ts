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
import { paced } from "./replay-pace.ts";
import { createProgress } from "./replay-progress.ts";
import { openRejects } from "./rejects-file.ts";
import { resumePoints, type ResumePoint, type ResumePoints } from "./resume-file.ts";

/** With a rate, events are stored in so many portions a second, so that the rate is even. */
const PORTIONS = 5;
const MOST_TOGETHER = 2048;
/** How many rejected lines stderr names. */
const REJECTED_NAMED = 20;

export const replay = defineCommand({
  name: "replay",
  summary: "Store events of an export, each exactly once",
  description:
    "Store events of an export, one JSON object a line, each exactly once however often it is replayed. Lines that are " +
    "no events are rejected and named on stderr; the exit code is 8 then. Interrupted or failed, it leaves a resume " +
    "point in ~/.local/state/anp/replay (XDG_STATE_HOME), and the same command goes on from there.\n\n" +
    "With --url the events go to a daemon in the name of the token's user, lines of other users are rejected, and the " +
    "daemon dates the events by its own clock; a dry run then checks the lines alone.",
  arguments: { file: { ...required("FILE", "file of JSON lines, - for stdin", text(4096)), holds: "file" } },
  options: {
    dryRun: toggle("tell what would be stored and write nothing"),
    rate: optional("n", "most events a second", integer(1, 1_000_000)),
    rejected: {
      ...optional("file", "write every rejected line there, as JSON lines with number and reason", text(4096)),
      holds: "file",
    },
    restart: toggle("begin at the beginning, whatever an earlier run left"),
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
      const { report, stopped } = await replayInto(context, source, flags);
      await tell(context, report, stopped);
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

/** A replay that ended, at the end of the lines or before it. */
interface Ended {
  readonly report: ReplayReport;
  /** How many lines were done with when the user stopped it. */
  readonly stopped?: number;
}

/** Takes the lines in: on the storage, or on a daemon. */
type Taker = (
  lines: AsyncIterable<string | UnreadableLine>,
  options: ReplayOptions & { readonly dryRun: boolean },
) => Promise<ReplayReport>;

function replayInto(context: Context, source: LineSource, flags: Flags): Promise<Ended> {
  const { env, daemon } = context;
  const pointsAt = (target: string | undefined): ResumePoints | undefined =>
    source.file === undefined || target === undefined || flags.dryRun
      ? undefined
      : resumePoints(env, source.file, target);
  if (daemon === undefined) {
    return withSession(
      context,
      ({ service: { events, storage } }) => {
        const taker: Taker = (lines, options) => events.replay(lines, options);
        return run(context, source, flags, pointsAt(storage.durable ? placeOf(storage.url) : undefined), taker);
      },
      { create: true },
    );
  }
  return withOperations(context, undefined, async (operations: Operations) => {
    const { replayToDaemon } = await import("./replay-to-daemon.ts");
    const target = `${daemon.url} ${await operations.whose()}`;
    return run(context, source, flags, pointsAt(target), (lines, options) =>
      replayToDaemon(operations, lines, options),
    );
  });
}

/** A storage's URL, the same wherever it is named from. */
function placeOf(url: string): string {
  return url.startsWith("fs:") ? `fs:${resolve(url.slice(3))}` : url;
}

async function run(
  { io, terminal, clock }: Context,
  source: LineSource,
  { dryRun, rate, rejected, restart }: Flags,
  points: ResumePoints | undefined,
  take: Taker,
): Promise<Ended> {
  const before = restart ? undefined : await goOn(source, points);
  if (before !== undefined) {
    terminal.say(
      `Going on after line ${before.place.line}, where an earlier run ended; the counts include it. --restart begins anew.`,
    );
  }
  const interrupt = awaitInterrupt(io);
  const progress = createProgress(terminal);
  const rejects = await openRejects(rejected, before !== undefined);
  let done = { place: source.place(), report: before?.report };
  const keep = async (): Promise<boolean> => {
    if (points === undefined || done.report === undefined) return false;
    await points.save(done.place, done.report, toIso(clock.now()));
    return true;
  };
  try {
    const lines = source.lines(interrupt.signal);
    const report = await take(rate === undefined ? lines : paced(lines, rate, interrupt.signal), {
      dryRun,
      chunk: rate === undefined ? undefined : Math.min(MOST_TOGETHER, Math.ceil(rate / PORTIONS)),
      before: before === undefined ? undefined : { line: before.place.line, report: before.report },
      onRejected: rejects?.write,
      onProgress(report) {
        done = { place: source.place(), report: structuredClone(report) };
        const { offset } = source.progress();
        progress.draw({ offset, size: source.size, read: report.read, rejected: report.rejected_total });
      },
    });
    progress.clear();
    if (!interrupt.signal.aborted) {
      await points?.forget();
      return { report };
    }
    await keep();
    return { report, stopped: done.place.line };
  } catch (error) {
    progress.clear();
    if (await keep()) terminal.say(`Lines 1 to ${done.place.line} are done with. The same command goes on from there.`);
    throw error;
  } finally {
    interrupt.forget();
    await rejects?.close();
  }
}

/** Goes to where an earlier run ended, if there was one and the file is still the same up to there. */
async function goOn(source: LineSource, points: ResumePoints | undefined): Promise<ResumePoint | undefined> {
  const point = await points?.read();
  if (point === undefined || point.place.line === 0) return undefined;
  return (await source.goTo(point.place)) ? point : undefined;
}

async function tell(context: Context, report: ReplayReport, stopped: number | undefined): Promise<void> {
  const { read, stored, skipped, rejected_total, rejected } = report;
  await printRecord(context, context.globals.format === "json" ? report : { read, stored, skipped, rejected_total });
  const lines: string[] = [];
  if (rejected_total > 0) {
    lines.push(`${rejected_total} ${rejected_total === 1 ? "line was" : "lines were"} rejected.`);
    const named = rejected.slice(0, REJECTED_NAMED);
    lines.push(...named.map(({ line, reason }) => `line ${line}: ${reason}`));
    if (rejected_total > named.length) {
      lines.push(`and ${rejected_total - named.length} more: --rejected FILE has them all`);
    }
  }
  if (stopped !== undefined) {
    lines.unshift(`Interrupted after line ${stopped}. The same command goes on from there.`);
    throw new CommandFailure(EXIT.interrupted, lines.join("\n"));
  }
  if (lines.length > 0) throw new CommandFailure(EXIT.partial, lines.join("\n"));
}
