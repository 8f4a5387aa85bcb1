import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { emptyReport, type Lines, type ReplayReport, type Line } from "../../../events/replay/replay-lines.ts";
import { RETRY_POLICY } from "../../../client/client-retry.ts";
import { CommandFailure, defineCommand, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { SkippedDamage } from "../../framework/with-progress.ts";
import { showRate, showShare } from "../../framework/time-format.ts";
import { awaitInterrupt } from "../../../runtime/interrupt.ts";
import type { AccountsSession } from "../../target/open-session.ts";
import { daemonOperations, withAccounts } from "../../target/operations.ts";
import { optional, required, toggle, integer, text, type Values } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import type { PacedOptions } from "./replay-to-daemon.ts";
import { isUtf8 } from "node:buffer";
import { addAbortSignal } from "node:stream";
import type { CommandIo } from "../../framework/command-io.ts";
import { openInput } from "../../terminal/input-lines.ts";

const CHUNKS_PER_SECOND = 5; // With --rate, events are stored in this many chunks a second, so that the rate is even.
const LARGEST_CHUNK = 2048;
const REJECTED_LISTED = 20;

const options = { dryRun: toggle(), rate: optional(integer(1, 1_000_000)), rejected: optional(text(4096), "file") };

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
    const replayHere = ({ service: { storage, ids, users } }: AccountsSession) => {
      const deps = { storage, ids, onSkipped: damage.add, refusalOf: users.refusalOf };
      return run(context, source, flags, (...given) => replayEvents(deps, ...given));
    };
    return withAccounts(context, replayHere, flags.dryRun ? { absent: true } : { create: true });
  }
  // The replay itself waits for Retry-After, so that an interrupt ends the wait.
  const operations = await daemonOperations(daemon, undefined, { ...RETRY_POLICY, retry_after_ms: 0 });
  const { replayToDaemon } = await import("./replay-to-daemon.ts");
  return run(context, source, flags, (...given) => replayToDaemon(operations, ...given));
}

type Replayed = Awaited<ReturnType<typeof run>>;

/** The report, up to where the user interrupted it. */
async function run(context: Context, source: LineSource, flags: Flags, into: ReplayTarget) {
  const [{ io, terminal }, { dryRun, rate, rejected }] = [context, flags];
  const interrupt = awaitInterrupt(io);
  const opening = rejected === undefined ? undefined : open(resolve(io.cwd, rejected), "w");
  const rejects = await opening?.catch((error: unknown) => {
    throw new UsageError(`--rejected ${rejected} cannot be written: ${(error as Error).message}.`);
  });
  let report = emptyReport();
  const began = performance.now();
  try {
    const lines = source.lines(interrupt.signal);
    report = await into(rate === undefined ? lines : limitRate(lines, rate, interrupt.signal), {
      dryRun,
      chunk: rate === undefined ? undefined : Math.min(LARGEST_CHUNK, Math.ceil(rate / CHUNKS_PER_SECOND)),
      async pause(seconds) {
        terminal.say(`The daemon takes no more events for ${seconds} s.`);
        await delay(seconds * 1000, undefined, { signal: interrupt.signal });
      },
      onRejected: rejects && ((line) => rejects.appendFile(`${JSON.stringify(line)}\n`)),
      onChunk(done) {
        report = done;
        terminal.progress(showProgress(source, done, performance.now() - began));
      },
    });
    return { report, isInterrupted: interrupt.signal.aborted };
  } catch (error) {
    terminal.progress("");
    if ((error as Error).name === "AbortError") return { report, isInterrupted: true };
    if (report.read > 0) terminal.say(`${report.read} lines are done. ${AGAIN}`);
    throw error;
  } finally {
    terminal.progress("");
    interrupt.forget();
    await rejects?.close();
  }
}

const AGAIN = "Run the command again for the rest: it stores nothing twice.";

function showProgress({ taken, size }: LineSource, { read, rejected_total }: ReplayReport, spent_ms: number): string {
  return [
    ...(size ? [showShare(taken(), Math.max(size, taken()), spent_ms)] : []),
    `${read} events`,
    ...(rejected_total > 0 ? [`${rejected_total} rejected`] : []),
    showRate(read, spent_ms),
  ].join(", ");
}

async function printReport(context: Context, { report, isInterrupted }: Replayed, damage: SkippedDamage) {
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
  if (isInterrupted) {
    lines.unshift(`Interrupted after ${read} lines. ${AGAIN}`);
    throw new CommandFailure(EXIT.interrupted, lines.join("\n"));
  }
  if (lines.length > 0) throw new CommandFailure(EXIT.partial, lines.join("\n"));
}

/** Lines that are read one after the other, in constant memory. */
type LineSource = Awaited<ReturnType<typeof openLineSource>>;

/** Opens a file of lines, or stdin for `-`. @throws UsageError when the file cannot be read */
async function openLineSource(file: string, io: CommandIo) {
  const input = file === "-" ? undefined : await openInput(file, io);
  const taken = { bytes: 0 };
  return {
    size: input?.stats.isFile() === true ? input.stats.size : undefined, // Size of a file in bytes.
    taken: () => taken.bytes, // The bytes of the lines that were read.
    close: async () => input?.handle.close(),
    /** The lines, without their ends, until the last one or until the signal is aborted. */
    async *lines(signal: AbortSignal): LineGroups {
      const stream = addAbortSignal(signal, input?.handle.createReadStream({ autoClose: false }) ?? io.stdin);
      try {
        yield* splitLines(stream, taken, signal);
      } catch (error) {
        if (!signal.aborted) throw error; // A destroyed stream throws, too.
      } finally {
        stream.destroy();
      }
    },
  };
}

type LineGroups = AsyncGenerator<Iterable<Line>>;

const LINE_END = 10;
const KEPT_BYTES = 1024 * 1024; // Bytes of a line that are kept. A longer line is too long for any event.

/** Splits chunks into lines, and counts the bytes of those that were taken. */
async function* splitLines(chunks: AsyncIterable<Buffer>, taken: { bytes: number }, signal: AbortSignal): LineGroups {
  let parts: Buffer[] = [];
  let size = 0;

  function takeLine(): Line {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const isLong = size > KEPT_BYTES;
    taken.bytes += size;
    parts = [];
    size = 0;
    if (isLong) return { unreadable: `longer than ${KEPT_BYTES} bytes` };
    return isUtf8(bytes) ? bytes.toString("utf8").replace(/\r?\n?$/, "") : { unreadable: "not valid UTF-8" };
  }

  function* linesIn(chunk: Buffer): Generator<Line> {
    for (let start = 0; start < chunk.length && !signal.aborted;) {
      const end = chunk.indexOf(LINE_END, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end + 1);
      start += part.length;
      if (size <= KEPT_BYTES) parts.push(part);
      size += part.length;
      if (end !== -1) yield takeLine();
    }
  }

  for await (const chunk of chunks) yield linesIn(chunk);
  if (size > 0 && !signal.aborted) yield [takeLine()];
}

const MIN_WAIT_MS = 5; // Shorter waits are added up first, ms: timers are not more precise.
const MAX_LAG_MS = 1000; // After the source or the target stalled, at most this much time is caught up, ms.

/** Passes the items of a source on at an even rate, at most `perSecond`. @param signal ends a wait early */
async function* limitRate<T>(source: AsyncIterable<Iterable<T>>, perSecond: number, signal: AbortSignal) {
  const step = 1000 / perSecond;
  let due = performance.now();
  for await (const group of source) {
    for (const item of group) {
      yield [item];
      due = Math.max(due + step, performance.now() - MAX_LAG_MS);
      const wait = due - performance.now();
      if (wait >= MIN_WAIT_MS && !signal.aborted) await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}
