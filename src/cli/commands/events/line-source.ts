import { isUtf8 } from "node:buffer";
import { addAbortSignal } from "node:stream";
import type { Line } from "../../../events/replay/replay-lines.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { openInput } from "../../terminal/input-lines.ts";
import { setTimeout as delay } from "node:timers/promises";

/** Lines that are read one after the other, in constant memory. */
export type LineSource = Awaited<ReturnType<typeof openLineSource>>;

/** Opens a file of lines, or stdin for `-`. @throws UsageError when the file cannot be read */
export async function openLineSource(file: string, io: CommandIo) {
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
export async function* limitRate<T>(source: AsyncIterable<Iterable<T>>, perSecond: number, signal: AbortSignal) {
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
