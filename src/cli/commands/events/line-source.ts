import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import type { Line } from "../../../events/replay/replay-lines.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { openInput } from "../../terminal/input-lines.ts";

/** A position between two lines of a file. */
export interface LinePlace {
  /** Bytes before it. */
  readonly offset: number;
  /** Lines before it. */
  readonly line: number;
  /** SHA-256 of the bytes before it, in hex: a proof of the content. */
  readonly sha256: string;
}

interface Bytes {
  /** The real path of a file; undefined for a pipe. */
  readonly file: string | undefined;
  /** Size of a file in bytes; undefined for a pipe. */
  readonly size: number | undefined;
  readonly read: (range?: { start?: number; end?: number }) => Readable;
  readonly close?: () => Promise<void>;
}

/** Opens a file of lines, or stdin for `-`.
 * @throws UsageError when the file cannot be read */
export async function openLineSource(file: string, io: CommandIo): Promise<LineSource> {
  if (file === "-") return createLineSource({ file: undefined, size: undefined, read: () => io.stdin });
  const { handle, stats } = await openInput(file, io);
  // A pipe cannot be resumed.
  const isFile = stats.isFile();
  return createLineSource({
    file: isFile ? await realpath(resolve(io.cwd, file)) : undefined,
    size: isFile ? stats.size : undefined,
    read: (range) => handle.createReadStream({ ...(isFile ? { start: 0, ...range } : {}), autoClose: false }),
    close: () => handle.close(),
  });
}

/** Lines that are read one after the other, in constant memory. */
export type LineSource = ReturnType<typeof createLineSource>;

function createLineSource({ file, size, read, close = () => Promise.resolve() }: Bytes) {
  let position = new Position();
  const chunksBefore = (offset: number): AsyncIterable<Buffer> | [] =>
    offset === 0 ? [] : read({ start: 0, end: offset - 1 });
  return {
    file,
    size,
    close,
    /** The place after the last line that was read. Its proof costs time. */
    place(): LinePlace {
      const { offset, line, hash } = position;
      return { offset, line, sha256: hash.copy().digest("hex") };
    },
    /** The lines before a place. */
    linesBefore: ({ offset }: LinePlace) => splitLines(chunksBefore(offset), new Position()),
    /** Goes to the place where an earlier run ended, before any line is read.
     * @returns false when the content before it has changed; the source then stays at its beginning */
    async goTo({ offset, line, sha256 }: LinePlace): Promise<boolean> {
      const hash = createHash("sha256");
      for await (const chunk of chunksBefore(offset)) hash.update(chunk);
      if (hash.copy().digest("hex") !== sha256) return false;
      position = { offset, line, hash };
      return true;
    },
    /** The lines from here on, without their line ends, until the last one or until the signal is aborted. */
    async *lines(signal: AbortSignal): AsyncGenerator<Iterable<Line>> {
      const stream = addAbortSignal(signal, position.offset === 0 ? read() : read({ start: position.offset }));
      try {
        yield* splitLines(stream, position, signal);
      } catch (error) {
        // A stream that is destroyed ends with an error of its own.
        if (!signal.aborted) throw error;
      } finally {
        stream.destroy();
      }
    },
  };
}

class Position {
  offset = 0;
  line = 0;
  /** SHA-256 of the bytes before it. */
  hash: Hash = createHash("sha256");
}

const LINE_END = 10;
const CARRIAGE_RETURN = 13;
/** Bytes of a line that are kept. A longer line is too long for any event. */
const KEPT_BYTES = 1024 * 1024;

/** Splits chunks into lines without their line ends, and moves the position to the end of the last line that was taken. */
async function* splitLines(
  chunks: AsyncIterable<Buffer> | [],
  position: Position,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<Line>> {
  let parts: Buffer[] = [];
  let size = 0;
  /** The hash that includes the line under way: it counts once that line ends. */
  let ahead: Hash | undefined;

  function takeLine(hash: Hash): Line {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const end = bytes.at(-1) === LINE_END ? bytes.length - 1 : bytes.length;
    const text = bytes.subarray(0, bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
    const long = size > KEPT_BYTES;
    position.hash = hash;
    position.offset += size;
    position.line += 1;
    ahead = undefined;
    parts = [];
    size = 0;
    if (long) return { unreadable: `longer than ${KEPT_BYTES} bytes` };
    return isUtf8(text) ? text.toString("utf8") : { unreadable: "not valid UTF-8" };
  }

  function* linesIn(chunk: Buffer): Generator<Line> {
    for (let start = 0; start < chunk.length && signal?.aborted !== true;) {
      const end = chunk.indexOf(LINE_END, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end + 1);
      start += part.length;
      if (size <= KEPT_BYTES) parts.push(part);
      size += part.length;
      if (end === -1) ahead = (ahead ?? position.hash.copy()).update(part);
      else yield takeLine((ahead ?? position.hash).update(part));
    }
  }

  for await (const chunk of chunks) yield linesIn(chunk);
  if (ahead !== undefined && signal?.aborted !== true) yield [takeLine(ahead)];
}
