import type { z } from "zod";
import { encodeKey } from "./keys.ts";
import { EncodedSegment, type Key, type Refusal, type Storage } from "./storage.ts";
import { parseDocument, printKey } from "./documents.ts";
import { CorruptionError } from "./storage-errors.ts";
import { HINT_EVERY, itemKey, SEGMENT_SIZE } from "./stream-keys.ts";

/** An append-only list of items numbered 1, 2, 3 … without a gap, each written once and never changed. */
export interface Stream<T> {
  readonly name: Key;
  /** Where the item of that number is stored. */
  keyOf(version: number): Key;
  /**
   * Appends `item` as number `expectedVersion + 1`.
   *
   * @param previous the text of item `expectedVersion`, for an item that depends on the one before: after a failover
   * another item may have its number, and nothing is appended after that one
   * @param text what {@link serializeItem} makes of the item, for a caller that has it already
   * @returns what to do next if not "appended": read again and decide again. After a "conflict" the item with that
   * number may be the caller's own, if an earlier reply was lost.
   */
  append(expectedVersion: number, item: T, previous?: string, text?: string): Promise<AppendOutcome>;
  /** The items from number `from` to number `to`, both included, as far as they exist. */
  read(from: number, to: number): Promise<T[]>;
  /** The item of that number. */
  get(version: number): Promise<T | undefined>;
  /** The item of that number and the text that is stored. */
  stored(version: number): Promise<{ readonly item: T; readonly text: string } | undefined>;
  /**
   * The number of the last item, 0 when empty. Starts at `known` (a version that is sure to exist) or at a stored hint
   * (which may lag) and probes forward in steps that double, then halve: O(log distance) reads.
   */
  head(known?: number): Promise<number>;
  /**
   * The number of the last item after an append behind `expectedVersion` was refused: a greater one when somebody was
   * first, a smaller one when a server that failed over lost what stood there.
   */
  headAfterRefusal(expectedVersion: number): Promise<number>;
  /** All items in order, in pages, in flat memory. */
  items(from?: number): AsyncIterable<{ version: number; item: T }>;
}

/** The result of an append; a {@link Refusal} changes nothing. */
export type AppendOutcome = "appended" | Refusal;

/** An item as a stream stores it. */
export function serializeItem(item: unknown): string {
  return JSON.stringify(item);
}

/**
 * Opens the stream under `name`.
 *
 * @param schema what every item must match when it is read; a mismatch is a {@link CorruptionError}
 */
export function openStream<T>(storage: Storage, name: Key, schema: z.ZodType<T>): Stream<T> {
  // Encoded once: a head is looked for at every request.
  const stem = new EncodedSegment(encodeKey(name));
  const keyOf = (version: number): Key => itemKey(stem, version);
  const hintKey: Key = [...name, "head"];

  const exists = (version: number): Promise<boolean> => storage.has(keyOf(version));

  /** An item that was not there when a page was read: the end, or one that was appended meanwhile, or a gap. */
  async function missing(key: Key, following: readonly (string | undefined)[]): Promise<T | undefined> {
    if (following.every((later) => later === undefined)) return undefined;
    // Items are appended in order, so if a later one was seen, this one can be read by now.
    const item = parseDocument(key, await storage.get(key), schema);
    if (item === undefined) throw new CorruptionError(printKey(key), "the item is missing while a later one exists");
    return item;
  }

  async function storedHint(): Promise<number> {
    const text = await storage.get(hintKey);
    if (text === undefined) return 0;
    const hint = Number(text);
    // A hint is never trusted: one that is damaged or points past the end only costs the search its head start.
    return Number.isSafeInteger(hint) && hint > 0 && (await exists(hint)) ? hint : 0;
  }

  /**
   * Makes sure of the last item of a folder before the next folder is begun: whoever wrote it may have died before its
   * name was safe. Within a folder the next item's name makes the ones before safe.
   */
  async function confirmLast(version: number): Promise<void> {
    const text = await storage.get(keyOf(version));
    if (text !== undefined) await storage.confirm(keyOf(version), text);
  }

  const stream: Stream<T> = {
    name,
    keyOf,
    async append(expectedVersion, item, previous, text = serializeItem(item)) {
      const version = expectedVersion + 1;
      // Written before the item, so that a failure here leaves nothing behind; the version it names exists already.
      if (expectedVersion > 0 && expectedVersion % HINT_EVERY === 0) {
        await storage.put(hintKey, String(expectedVersion));
      }
      if (expectedVersion > 0 && expectedVersion % SEGMENT_SIZE === 0) await confirmLast(expectedVersion);
      if (expectedVersion === 0) return (await storage.create(keyOf(version), text)) ? "appended" : "conflict";
      const predecessor = { key: keyOf(expectedVersion), ...(previous !== undefined && { value: previous }) };
      const outcome = await storage.createAfter(keyOf(version), text, predecessor);
      return outcome === "created" ? "appended" : outcome;
    },
    get: async (version) => (await stream.stored(version))?.item,
    async stored(version) {
      const key = keyOf(version);
      const text = await storage.get(key);
      const item = parseDocument(key, text, schema);
      return text === undefined || item === undefined ? undefined : { item, text };
    },
    async read(from, to) {
      const keys: Key[] = [];
      for (let version = Math.max(1, from); version <= to; version++) keys.push(keyOf(version));
      const texts = await storage.getMany(keys);
      const items: T[] = [];
      for (const [index, text] of texts.entries()) {
        const item = parseDocument(keys[index]!, text, schema) ?? (await missing(keys[index]!, texts.slice(index)));
        if (item === undefined) break;
        items.push(item);
      }
      return items;
    },
    async head(known) {
      let low = known ?? (await storedHint());
      if (!(await exists(low + 1))) return low;
      low += 1;
      let step = 1;
      while (await exists(low + step)) {
        low += step;
        step *= 2;
      }
      let high = low + step;
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (await exists(middle)) low = middle;
        else high = middle;
      }
      return low;
    },
    async headAfterRefusal(expectedVersion) {
      const now = await stream.head(expectedVersion);
      return now > expectedVersion ? now : stream.head();
    },
    async *items(from = 1) {
      const size = 256;
      for (let start = from; ; start += size) {
        const page = await stream.read(start, start + size - 1);
        for (const [index, item] of page.entries()) yield { version: start + index, item };
        if (page.length < size) return;
      }
    },
  };
  return stream;
}
