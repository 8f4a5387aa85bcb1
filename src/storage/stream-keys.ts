import { EncodedSegment, type Key } from "./storage.ts";

/** How many items share one folder of the files driver. */
export const SEGMENT_SIZE = 1000;

/** A hint of the head is stored each time this many items were appended. */
export const HINT_EVERY = 64;

/** The hint that a stream of so many items has at least; 0 for none. */
export function headHint(items: number): number {
  return Math.floor(Math.max(0, items - 1) / HINT_EVERY) * HINT_EVERY;
}

/** Where a stream keeps the item of that number, from 1. */
export function itemKey(stem: EncodedSegment, version: number): Key {
  return [stem, folderOf(version), String(version)];
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

function folderOf(version: number): string {
  return String(Math.floor((version - 1) / SEGMENT_SIZE));
}
