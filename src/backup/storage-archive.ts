import { z } from "zod";
import { printKey } from "../storage/documents.ts";
import { encodeKey, isEncodedKey } from "../storage/keys.ts";
import type { EncodedSegment, Key, Storage } from "../storage/storage.ts";
import { itemKey, streamItem } from "../storage/stream-keys.ts";

/** One value of a storage: its encoded key, and the text as it is stored. */
export const storedValue = z.strictObject({
  key: z.string().refine(isEncodedKey, { error: ({ input }) => `${JSON.stringify(input)} is no key that anp writes` }),
  value: z.string(),
});

export type StoredValue = z.infer<typeof storedValue>;

/** What a storage keeps about itself: it does not go along. */
const OWN: ReadonlySet<string> = new Set(["ready", "import"]);
const BATCH = 256;

/**
 * All values of a storage, in flat memory, in three passes over its keys: first what points to entries of ledgers, then
 * the streams, each from its first item to its last, then all else, to which entries point. So also while daemons write
 * to it, what comes out is sound: a ledger without a gap, no operation that leads to an entry which is not there, no
 * entry without its answer. It is a moment of each ledger, not one moment of all.
 *
 * @param onFault is told of a stream that lacks an item in its midst, while what comes after the gap is given too, and of
 *   a key that no storage of anp has, which is left out
 */
export async function* storedValues(
  storage: Storage,
  onFault: (fault: string) => void = () => undefined,
): AsyncGenerator<StoredValue> {
  const pointing = (key: readonly EncodedSegment[]): boolean =>
    key[2]?.text === "operations" || key[2]?.text === "sessions" || key.at(-1)!.text === "head";
  yield* values(storage, (key) => pointing(key) && streamItem(key) === undefined, onFault);
  yield* streams(storage, pointing, onFault);
  yield* streams(storage, (key) => !pointing(key), onFault);
  yield* values(storage, (key) => !pointing(key) && streamItem(key) === undefined, onFault);
}

/** The values of keys that are no items of streams. */
async function* values(
  storage: Storage,
  wanted: (key: readonly EncodedSegment[]) => boolean,
  onFault: (fault: string) => void,
): AsyncGenerator<StoredValue> {
  for await (const keys of batchesOf(keysOf(storage, wanted, onFault))) yield* valuesOf(storage, keys);
}

/** The items of streams: each run of them from the item that has none before it. */
async function* streams(
  storage: Storage,
  wanted: (key: readonly EncodedSegment[]) => boolean,
  onFault: (fault: string) => void,
): AsyncGenerator<StoredValue> {
  const items = keysOf(storage, (key) => wanted(key) && streamItem(key) !== undefined, onFault);
  for await (const keys of batchesOf(items)) {
    const places = keys.map((key) => streamItem(key)!);
    const follows = await Promise.all(
      places.map(async ({ stem, version }) => version > 1 && (await storage.has(itemKey(stem, version - 1)))),
    );
    for (const [index, { stem, version }] of places.entries()) {
      if (follows[index] === true) continue;
      if (version > 1) onFault(`${printKey(itemKey(stem, version - 1))} is missing while a later item is there.`);
      yield* itemsFrom(storage, stem, version);
    }
  }
}

async function* itemsFrom(storage: Storage, stem: EncodedSegment, from: number): AsyncGenerator<StoredValue> {
  for (let next = from; ;) {
    const keys = Array.from({ length: BATCH }, (_, step) => itemKey(stem, next + step));
    let count = 0;
    for await (const item of valuesOf(storage, keys, true)) {
      count += 1;
      yield item;
    }
    if (count < keys.length) return;
    next += count;
  }
}

/** The values in the order of the keys; an absent one is left out, or ends them. */
async function* valuesOf(storage: Storage, keys: readonly Key[], untilAbsent = false): AsyncGenerator<StoredValue> {
  const texts = await storage.getMany(keys);
  for (const [index, value] of texts.entries()) {
    if (value !== undefined) yield { key: encodeKey(keys[index]!), value };
    else if (untilAbsent) return;
  }
}

async function* keysOf(
  storage: Storage,
  wanted: (key: readonly EncodedSegment[]) => boolean,
  onFault: (fault: string) => void,
): AsyncGenerator<EncodedSegment[]> {
  for await (const key of storage.keys([])) {
    if (OWN.has(key[0]!.text) || !wanted(key)) continue;
    if (isEncodedKey(encodeKey(key))) yield key;
    else onFault(`${JSON.stringify(encodeKey(key))} is no key that anp writes.`);
  }
}

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
