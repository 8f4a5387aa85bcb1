import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { addAbortSignal, Readable } from "node:stream";
import type { Line } from "../../../events/replay/replay-lines.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { openInput } from "../../terminal/input-lines.ts";
import { setTimeout as delay } from "node:timers/promises";

/** A position between two lines of a file: the bytes and the lines before it. */
export type LinePosition = Readonly<Position>;
/** Lines that are read one after the other, in constant memory. */
export type LineSource = Awaited<ReturnType<typeof openLineSource>>;

/** Opens a file of lines, or stdin for `-`. @throws UsageError when the file cannot be read */
export async function openLineSource(file: string, io: CommandIo) {
  const input = file === "-" ? undefined : await openInput(file, io);
  const stats = input?.stats.isFile() === true ? input.stats : undefined;
  // An interrupt destroys the stream, which closes its handle: a second read needs a handle of its own.
  const again = stats && (await openInput(file, io)).handle;
  let position = { offset: 0, line: 0 };
  // A pipe that has a path has no positions.
  const read = (): Readable =>
    input?.handle.createReadStream({ ...(stats && { start: position.offset }), autoClose: false }) ?? io.stdin;
  const readBefore = ({ offset }: LinePosition): Readable =>
    offset === 0 ? Readable.from([]) : again!.createReadStream({ start: 0, end: offset - 1, autoClose: false });
  return {
    file: stats && (await realpath(resolve(io.cwd, file))), // Undefined for a pipe, which cannot be resumed.
    size: stats?.size, // Size of a file in bytes.
    async close(): Promise<void> {
      await input?.handle.close();
      await again?.close();
    },
    place: (): LinePosition => ({ ...position }), // The place after the last line that was read.
    /** Begins at a place of an earlier run, before any line is read. */
    goTo: (place: LinePosition): void => void (position = { ...place }),
    /** SHA-256 of a file's bytes before a place, in hex: a proof of the content. */
    async digestBefore(place: LinePosition): Promise<string> {
      const digest = createHash("sha256");
      for await (const chunk of readBefore(place)) digest.update(chunk as Buffer);
      return digest.digest("hex");
    },
    linesBefore: (place: LinePosition) => splitLines(readBefore(place), { offset: 0, line: 0 }),
    /** The lines from here on, without their line ends, until the last one or until the signal is aborted. */
    async *lines(signal: AbortSignal): LineGroups {
      const stream = addAbortSignal(signal, read());
      try {
        yield* splitLines(stream, position, signal);
      } catch (error) {
        if (!signal.aborted) throw error; // A destroyed stream throws, too.
      } finally {
        stream.destroy();
      }
    },
  };
}

type Position = { offset: number; line: number };
type LineGroups = AsyncGenerator<Iterable<Line>>;

const LINE_END = 10;
const KEPT_BYTES = 1024 * 1024; // Bytes of a line that are kept. A longer line is too long for any event.

/** Splits chunks into lines, and moves the position to the end of the last line that was taken. */
async function* splitLines(chunks: AsyncIterable<Buffer>, position: Position, signal?: AbortSignal): LineGroups {
  let parts: Buffer[] = [];
  let size = 0;

  function takeLine(): Line {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const isLong = size > KEPT_BYTES;
    position.offset += size;
    position.line += 1;
    parts = [];
    size = 0;
    if (isLong) return { unreadable: `longer than ${KEPT_BYTES} bytes` };
    return isUtf8(bytes) ? bytes.toString("utf8").replace(/\r?\n?$/, "") : { unreadable: "not valid UTF-8" };
  }

  function* linesIn(chunk: Buffer): Generator<Line> {
    for (let start = 0; start < chunk.length && signal?.aborted !== true;) {
      const end = chunk.indexOf(LINE_END, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end + 1);
      start += part.length;
      if (size <= KEPT_BYTES) parts.push(part);
      size += part.length;
      if (end !== -1) yield takeLine();
    }
  }

  for await (const chunk of chunks) yield linesIn(chunk);
  if (size > 0 && signal?.aborted !== true) yield [takeLine()];
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
