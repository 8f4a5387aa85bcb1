import { printKey } from "./documents.ts";
import { CorruptionError } from "./storage-errors.ts";
import { EncodedSegment, type Key } from "./storage.ts";

/** How many items share one folder of the files driver. */
export const SEGMENT_SIZE = 1000;

/** On files, a hint of the head is stored each time this many items were appended. */
export const HINT_EVERY = 64;

/** How many numbers after the end are looked at, where an older build, or an import, left no head beside the items. */
export const LOOK_AHEAD = 64;

/** Where a stream keeps the item of that number, from 1. */
export function itemKey(stem: EncodedSegment, version: number): Key {
  return [stem, folderOf(version), String(version)];
}

/** The same key, of an encoded stream, in one line. */
export function encodedItem(stem: string, version: number): string {
  return `${stem}:${folderOf(version)}:${version}`;
}

/** The stream and the number of the item that a key belongs to; undefined for any other key. */
export function streamItem(
  key: readonly EncodedSegment[],
): { readonly stem: EncodedSegment; readonly version: number } | undefined {
  const [folder, number] = key.slice(-2);
  if (key.length < 3 || !/^[1-9]\d{0,15}$/.test(number!.text)) return undefined;
  const version = Number(number!.text);
  if (folder!.text !== folderOf(version)) return undefined;
  const stem = key.slice(0, -2).map(({ text }) => text);
  return { stem: new EncodedSegment(stem.join(":")), version };
}

/** The error for an item of a stream that should be there. */
export function missingItem(stem: EncodedSegment, version: number): CorruptionError {
  return new CorruptionError(
    printKey(itemKey(stem, version)),
    "the item is missing, although it or a later one was stored",
  );
}

function folderOf(version: number): string {
  return String(Math.floor((version - 1) / SEGMENT_SIZE));
}
