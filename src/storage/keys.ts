import { createHash } from "node:crypto";
import { EncodedSegment, type Key, CorruptionError } from "./storage.ts";
import { printKey } from "./documents.ts";

const PLAIN = /^[a-z0-9_-]{1,64}$/;
const MAX_HEX_BYTES = 64;

/** A segment in a form that is safe on any disk or server: `[a-z0-9_-]{1,64}` is kept; all else becomes `~` and
 * the hex of its UTF-8 bytes, or `~~` and its SHA-256 when that would be longer than 128 digits. `~` is not a plain
 * character, so no two texts have the same form, even on a disk that folds case.
 * @throws TypeError for an empty segment or one with NUL */
export function encodeSegment(segment: string): string {
  if (PLAIN.test(segment)) return segment;
  if (segment === "") throw new TypeError("A storage key has an empty segment.");
  if (segment.includes("\0")) throw new TypeError("A storage key must not contain NUL.");
  // Lone surrogates all become U+FFFD in UTF-8 and would collide.
  if (!segment.isWellFormed()) throw new TypeError("A storage key must be well-formed Unicode.");
  const bytes = Buffer.from(segment, "utf8");
  if (bytes.length > MAX_HEX_BYTES) return `~~${createHash("sha256").update(bytes).digest("hex")}`;
  return `~${bytes.toString("hex")}`;
}

/** The text of an encoded segment; undefined where only its SHA-256 is left. */
export function decodeSegment({ text }: EncodedSegment): string | undefined {
  if (!text.startsWith("~")) return text;
  return text.startsWith("~~") ? undefined : Buffer.from(text.slice(1), "hex").toString("utf8");
}

/** A key as one string: its segments encoded and joined by `:`, as unstorage writes keys. */
export const encodeKey = (key: Key): string =>
  key.map((segment) => (segment instanceof EncodedSegment ? segment.text : encodeSegment(segment))).join(":");

const MAX_SEGMENTS = 8; // No key has more than 6; 8 of the longest make a path that every file system takes.
/** Whether a key has few segments, each a result of {@link encodeSegment}: such a key is safe anywhere. */
export const isEncodedKey = (key: string): boolean =>
  key.split(":").length <= MAX_SEGMENTS && key.split(":").every(isEncodedSegment);

export function isEncodedSegment(text: string): boolean {
  if (!text.startsWith("~")) return PLAIN.test(text);
  const decoded = decodeSegment(new EncodedSegment(text));
  if (decoded === undefined) return /^~~[0-9a-f]{64}$/.test(text);
  return decoded !== "" && !decoded.includes("\0") && encodeSegment(decoded) === text;
}

/** Has a value while a storage is being restored, or was restored in part: the storage must not be used. */
export const UNFINISHED_IMPORT: Key = ["import", "unfinished"];
/** How many items share one folder of the files driver. */
export const SEGMENT_SIZE = 1000;
/** On files, a hint of the head is stored each time this many items were appended. */
export const HINT_INTERVAL = 64;
/** How many numbers after the end are checked if an older build or an import stored no head beside the items. */
export const LOOK_AHEAD = 64;
/** The key of an item of a stream, by its number from 1. */
export const itemKey = (stem: EncodedSegment, version: number): Key => [stem, folderOf(version), String(version)];
/** The same key as one string, of an encoded stream. */
export const encodedItem = (stem: string, version: number): string => `${stem}:${folderOf(version)}:${version}`;

/** The stream and the number of the item that a key belongs to; undefined for any other key. */
export function streamItem(key: readonly EncodedSegment[]) {
  const [folder, number] = key.slice(-2);
  if (key.length < 3 || !/^[1-9]\d{0,15}$/.test(number!.text)) return undefined;
  const version = Number(number!.text);
  if (folder!.text !== folderOf(version)) return undefined;
  const stem = key.slice(0, -2).map(({ text }) => text);
  return { stem: new EncodedSegment(stem.join(":")), version };
}

/** The error for an item of a stream that should be there. */
export const missingItem = (stem: EncodedSegment, version: number): CorruptionError =>
  new CorruptionError(printKey(itemKey(stem, version)), "the item is missing, although it or a later one was stored");

const folderOf = (version: number): string => String(Math.floor((version - 1) / SEGMENT_SIZE));
