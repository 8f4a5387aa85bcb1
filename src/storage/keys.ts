import { createHash } from "node:crypto";
import { EncodedSegment, type Key } from "./storage.ts";

const PLAIN = /^[a-z0-9_-]{1,64}$/;
const LONGEST_HEX_BYTES = 64;

/**
 * A segment in a form that is safe on any disk or server: `[a-z0-9_-]{1,64}` is kept; all else becomes `~` and
 * the hex of its UTF-8 bytes, or `~~` and its SHA-256 when that would be longer than 128 digits. `~` is not a plain
 * character, so no two texts have the same form, even on a disk that folds case.
 *
 * @throws TypeError for an empty segment or one with NUL
 */
export function encodeSegment(segment: string): string {
  if (PLAIN.test(segment)) return segment;
  if (segment === "") throw new TypeError("A storage key has an empty segment.");
  if (segment.includes("\0")) throw new TypeError("A storage key must not contain NUL.");
  // Lone surrogates all become U+FFFD in UTF-8 and would collide.
  if (!segment.isWellFormed()) throw new TypeError("A storage key must be well-formed Unicode.");
  const bytes = Buffer.from(segment, "utf8");
  if (bytes.length > LONGEST_HEX_BYTES) return `~~${createHash("sha256").update(bytes).digest("hex")}`;
  return `~${bytes.toString("hex")}`;
}

/** The text of an encoded segment; undefined where only its SHA-256 is left. */
export function decodeSegment({ text }: EncodedSegment): string | undefined {
  if (!text.startsWith("~")) return text;
  return text.startsWith("~~") ? undefined : Buffer.from(text.slice(1), "hex").toString("utf8");
}

/** A key in one line: its segments encoded and joined by `:`, as unstorage writes keys. */
export function encodeKey(key: Key): string {
  return key.map((segment) => (segment instanceof EncodedSegment ? segment.text : encodeSegment(segment))).join(":");
}

/** Whether each segment of a key in one line is one that {@link encodeSegment} makes: such a key is safe anywhere. */
export function isEncodedKey(key: string): boolean {
  return key.split(":").every(isEncodedSegment);
}

function isEncodedSegment(text: string): boolean {
  if (!text.startsWith("~")) return PLAIN.test(text);
  const decoded = decodeSegment(new EncodedSegment(text));
  if (decoded === undefined) return /^~~[0-9a-f]{64}$/.test(text);
  return decoded !== "" && !decoded.includes("\0") && encodeSegment(decoded) === text;
}
