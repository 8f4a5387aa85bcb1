import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import type { UnreadableLine } from "../../../events/replay/replay-lines.ts";

/** A position between two lines of a file. */
export interface LinePosition {
  /** Bytes before it. */
  readonly offset: number;
  /** Lines before it. */
  readonly line: number;
}

/** A position, and a proof of the content before it. */
export interface LinePlace extends LinePosition {
  /** SHA-256 of the bytes before it, in hex. */
  readonly sha256: string;
}

const LINE_END = 10;
const CARRIAGE_RETURN = 13;
/** Bytes of a line that are kept. A longer line is too long for any event. */
const KEPT_BYTES = 1024 * 1024;

/** Splits chunks into lines, and keeps the position after the last line it yielded. */
export class LineSplitter {
  #hash: Hash;
  #offset: number;
  #line: number;
  /** The hash that includes the line under way: it counts once that line ends. */
  #ahead: Hash | undefined;
  #parts: Buffer[] = [];
  #size = 0;

  /**
   * @param start where the first chunk begins
   * @param hash SHA-256 of what is before it
   */
  constructor(start: LinePosition = { offset: 0, line: 0 }, hash: Hash = createHash("sha256")) {
    ({ offset: this.#offset, line: this.#line } = start);
    this.#hash = hash;
  }

  /** The position after the last yielded line. Costs nothing. */
  position(): LinePosition {
    return { offset: this.#offset, line: this.#line };
  }

  /** The same with its proof. */
  place(): LinePlace {
    return { ...this.position(), sha256: this.#hash.copy().digest("hex") };
  }

  /** Yields the lines that end in this chunk, without their line ends. */
  *push(chunk: Buffer): Generator<string | UnreadableLine> {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(LINE_END, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end + 1);
      start += part.length;
      if (this.#size <= KEPT_BYTES) this.#parts.push(part);
      this.#size += part.length;
      if (end === -1) {
        this.#ahead = (this.#ahead ?? this.#hash.copy()).update(part);
      } else {
        this.#hash = (this.#ahead ?? this.#hash).update(part);
        yield this.#takeLine();
      }
    }
  }

  /** Yields the last line, if it has no line end. */
  *end(): Generator<string | UnreadableLine> {
    if (this.#ahead === undefined) return;
    this.#hash = this.#ahead;
    yield this.#takeLine();
  }

  #takeLine(): string | UnreadableLine {
    const bytes = withoutEnd(this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts));
    const long = this.#size > KEPT_BYTES;
    this.#offset += this.#size;
    this.#line += 1;
    this.#ahead = undefined;
    this.#parts = [];
    this.#size = 0;
    if (long) return { unreadable: `longer than ${KEPT_BYTES} bytes` };
    return isUtf8(bytes) ? bytes.toString("utf8") : { unreadable: "not valid UTF-8" };
  }
}

function withoutEnd(bytes: Buffer): Buffer {
  const end = bytes.at(-1) === LINE_END ? bytes.length - 1 : bytes.length;
  return bytes.subarray(0, bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
}
