import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { open, realpath } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { UnreadableLine } from "../../../events/replay/replay-lines.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { UsageError } from "../../framework/exit.ts";

/** A place between two lines of a file, and a proof of what stands before it. */
export interface LinePlace {
  /** Bytes before it. */
  readonly offset: number;
  /** Lines before it. */
  readonly line: number;
  /** SHA-256 of those bytes, in hex. */
  readonly sha256: string;
}

/** Lines that are read one after the other, in flat memory. */
export interface LineSource {
  /** The file's own path; undefined for stdin. */
  readonly file: string | undefined;
  /** Size in bytes; undefined for stdin. */
  readonly size: number | undefined;
  /** The place after the last line that was given out. */
  readonly place: () => LinePlace;
  /** The same without the proof: it costs nothing. */
  readonly progress: () => Omit<LinePlace, "sha256">;
  /**
   * Goes to a place of an earlier run, before any line is read.
   *
   * @returns false when what stands before it is not what stood there then; the source stays at its beginning
   */
  readonly goTo: (place: LinePlace) => Promise<boolean>;
  /** The lines from here on, without their ends, until they or the signal end them. */
  readonly lines: (signal: AbortSignal) => AsyncGenerator<string | UnreadableLine>;
  readonly close: () => Promise<void>;
}

const LINE_END = 10;
const CARRIAGE_RETURN = 13;
/** What is kept of a line. More is too long for any event. */
const KEPT_BYTES = 1024 * 1024;

/**
 * Opens a file of lines, or stdin for `-`.
 *
 * @throws UsageError when the file cannot be read
 */
export async function openLineSource(file: string, io: CommandIo): Promise<LineSource> {
  if (file === "-") return sourceOf({ file: undefined, size: undefined, read: () => io.stdin });
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      await handle.close();
      throw new Error("it is a folder");
    }
    // A pipe has no places to go back to.
    const kept = stats.isFile();
    return sourceOf({
      file: kept ? await realpath(file) : undefined,
      size: kept ? stats.size : undefined,
      read: (range) => handle.createReadStream({ ...(kept ? { start: 0, ...range } : {}), autoClose: false }),
      close: () => handle.close(),
    });
  } catch (error) {
    throw new UsageError(`FILE ${file} cannot be read: ${(error as Error).message}.`);
  }
}

function sourceOf(source: {
  readonly file: string | undefined;
  readonly size: number | undefined;
  readonly read: (range?: { start?: number; end?: number }) => Readable;
  readonly close?: () => Promise<void>;
}): LineSource {
  let hash = createHash("sha256");
  let offset = 0;
  let line = 0;

  async function* lines(signal: AbortSignal): AsyncGenerator<string | UnreadableLine> {
    const stream = offset === 0 ? source.read() : source.read({ start: offset });
    const onAbort = (): void => void stream.destroy();
    signal.addEventListener("abort", onAbort);
    const pending = createPendingLine();
    // A line that goes over several chunks is not given out yet: its bytes are counted apart.
    let ahead: Hash | undefined;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        for (let start = 0; start < chunk.length;) {
          const end = chunk.indexOf(LINE_END, start);
          const part = chunk.subarray(start, end === -1 ? undefined : end + 1);
          start += part.length;
          pending.add(part);
          if (end === -1) {
            ahead = (ahead ?? hash.copy()).update(part);
            continue;
          }
          if (signal.aborted) return;
          hash = (ahead ?? hash).update(part);
          ahead = undefined;
          offset += pending.size();
          line += 1;
          yield pending.take();
        }
      }
    } catch (error) {
      // A stream that is destroyed ends with an error of its own.
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      stream.destroy();
    }
    if (signal.aborted || ahead === undefined) return;
    hash = ahead;
    offset += pending.size();
    line += 1;
    yield pending.take();
  }

  return {
    file: source.file,
    size: source.size,
    place: () => ({ offset, line, sha256: hash.copy().digest("hex") }),
    progress: () => ({ offset, line }),
    async goTo(place) {
      const before = createHash("sha256");
      if (place.offset > 0) {
        for await (const chunk of source.read({ start: 0, end: place.offset - 1 }) as AsyncIterable<Buffer>) {
          before.update(chunk);
        }
      }
      if (before.copy().digest("hex") !== place.sha256) return false;
      hash = before;
      ({ offset, line } = place);
      return true;
    },
    lines,
    close: () => source.close?.() ?? Promise.resolve(),
  };
}

/** The bytes of one line as they come. */
function createPendingLine(): { add(part: Buffer): void; size(): number; take(): string | UnreadableLine } {
  let parts: Buffer[] = [];
  let size = 0;
  return {
    add(part) {
      if (size <= KEPT_BYTES) parts.push(part);
      size += part.length;
    },
    size: () => size,
    take() {
      const bytes = withoutEnd(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
      const long = size > KEPT_BYTES;
      parts = [];
      size = 0;
      if (long) return { unreadable: `longer than ${KEPT_BYTES} bytes` };
      return isUtf8(bytes) ? bytes.toString("utf8") : { unreadable: "no UTF-8" };
    },
  };
}

function withoutEnd(bytes: Buffer): Buffer {
  const end = bytes.at(-1) === LINE_END ? bytes.length - 1 : bytes.length;
  return bytes.subarray(0, bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
}
