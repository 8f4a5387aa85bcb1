import { createHash } from "node:crypto";
import { open, realpath } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { UnreadableLine } from "../../../events/replay/replay-lines.ts";
import type { CommandIo } from "../../framework/command-io.ts";
import { UsageError } from "../../framework/exit.ts";
import { LineSplitter, type LinePlace, type LinePosition } from "./line-splitter.ts";

/** How the bytes of a source are read. */
interface Bytes {
  /** The real path of a file; undefined for a pipe. */
  readonly file: string | undefined;
  /** Size of a file in bytes; undefined for a pipe. */
  readonly size: number | undefined;
  readonly read: (range?: { start?: number; end?: number }) => Readable;
  readonly close?: () => Promise<void>;
}

/**
 * Opens a file of lines, or stdin for `-`.
 *
 * @throws UsageError when the file cannot be read
 */
export async function openLineSource(file: string, io: CommandIo): Promise<LineSource> {
  if (file === "-") return new LineSource({ file: undefined, size: undefined, read: () => io.stdin });
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      await handle.close();
      throw new Error("it is a folder");
    }
    // A pipe cannot be resumed.
    const isFile = stats.isFile();
    return new LineSource({
      file: isFile ? await realpath(file) : undefined,
      size: isFile ? stats.size : undefined,
      read: (range) => handle.createReadStream({ ...(isFile ? { start: 0, ...range } : {}), autoClose: false }),
      close: () => handle.close(),
    });
  } catch (error) {
    throw new UsageError(`FILE ${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Lines that are read one after the other, in constant memory. */
export class LineSource {
  readonly file: string | undefined;
  readonly size: number | undefined;
  readonly #bytes: Bytes;
  #splitter = new LineSplitter();

  constructor(bytes: Bytes) {
    this.file = bytes.file;
    this.size = bytes.size;
    this.#bytes = bytes;
  }

  /** The place after the last line that was read. */
  place(): LinePlace {
    return this.#splitter.place();
  }

  /** The same without the proof: it costs nothing. */
  position(): LinePosition {
    return this.#splitter.position();
  }

  /**
   * Goes to the place where an earlier run ended, before any line is read.
   *
   * @returns false when the content before it has changed; the source then stays at its beginning
   */
  async goTo(place: LinePlace): Promise<boolean> {
    const before = createHash("sha256");
    if (place.offset > 0) {
      for await (const chunk of this.#bytes.read({ start: 0, end: place.offset - 1 }) as AsyncIterable<Buffer>) {
        before.update(chunk);
      }
    }
    if (before.copy().digest("hex") !== place.sha256) return false;
    this.#splitter = new LineSplitter(place, before);
    return true;
  }

  /** The lines from here on, without their line ends, until the last one or until the signal is aborted. */
  async *lines(signal: AbortSignal): AsyncGenerator<string | UnreadableLine> {
    const { offset } = this.position();
    const stream = offset === 0 ? this.#bytes.read() : this.#bytes.read({ start: offset });
    const onAbort = (): void => void stream.destroy();
    signal.addEventListener("abort", onAbort);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        for (const line of this.#splitter.push(chunk)) {
          yield line;
          if (signal.aborted) return;
        }
      }
    } catch (error) {
      // A stream that is destroyed ends with an error of its own.
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      stream.destroy();
    }
    if (!signal.aborted) yield* this.#splitter.end();
  }

  async close(): Promise<void> {
    await this.#bytes.close?.();
  }
}
