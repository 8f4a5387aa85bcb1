import type { z } from "zod";
import { encodeKey } from "./keys.ts";
import { EncodedSegment, type Key, type CreateRefusal, type Storage } from "./storage.ts";
import { parseDocument, printKey } from "./documents.ts";
import { CorruptionError } from "./storage-errors.ts";
import { HINT_EVERY, itemKey, SEGMENT_SIZE } from "./stream-keys.ts";

/** The result of an append; a {@link CreateRefusal} changes nothing. */
export type AppendOutcome = "appended" | CreateRefusal;

/** An item as a stream stores it. */
export function serializeItem(item: unknown): string {
  return JSON.stringify(item);
}

const PAGE_SIZE = 256;

/** An append-only list of items numbered 1, 2, 3 … without a gap, each written once and never changed. */
export class Stream<T> {
  readonly name: Key;
  readonly #storage: Storage;
  readonly #schema: z.ZodType<T>;
  readonly #hintKey: Key;
  /** The name, encoded once: a head is looked for at every request. */
  readonly #stem: EncodedSegment;

  constructor(storage: Storage, name: Key, schema: z.ZodType<T>) {
    this.name = name;
    this.#storage = storage;
    this.#schema = schema;
    this.#hintKey = [...name, "head"];
    this.#stem = new EncodedSegment(encodeKey(name));
  }

  /** Where the item of that number is stored. */
  keyOf(version: number): Key {
    return itemKey(this.#stem, version);
  }

  /**
   * Appends `item` as number `expectedVersion + 1`.
   *
   * @param previous the text of item `expectedVersion`, for an item that depends on the one before: after a failover
   * another item may have its number, and nothing is appended after that one
   * @param text what {@link serializeItem} makes of the item, for a caller that has it already
   * @returns anything but "appended" means: read again and decide again. After a "conflict" the item with that number
   * may be the caller's own, if an earlier reply was lost.
   */
  async append(
    expectedVersion: number,
    item: T,
    previous?: string,
    text = serializeItem(item),
  ): Promise<AppendOutcome> {
    // Written before the item, so that a failure here leaves nothing behind; the version it names exists already.
    if (expectedVersion > 0 && expectedVersion % HINT_EVERY === 0) {
      await this.#storage.put(this.#hintKey, String(expectedVersion));
    }
    if (expectedVersion > 0 && expectedVersion % SEGMENT_SIZE === 0) await this.#confirmLast(expectedVersion);
    const key = this.keyOf(expectedVersion + 1);
    if (expectedVersion === 0) return (await this.#storage.create(key, text)) ? "appended" : "conflict";
    const predecessor = { key: this.keyOf(expectedVersion), ...(previous !== undefined && { value: previous }) };
    const outcome = await this.#storage.createAfter(key, text, predecessor);
    return outcome === "created" ? "appended" : outcome;
  }

  /** The item of that number. */
  async get(version: number): Promise<T | undefined> {
    return (await this.stored(version))?.item;
  }

  /** The item of that number and the text that is stored. */
  async stored(version: number): Promise<{ readonly item: T; readonly text: string } | undefined> {
    const key = this.keyOf(version);
    const text = await this.#storage.get(key);
    const item = parseDocument(key, text, this.#schema);
    return text === undefined || item === undefined ? undefined : { item, text };
  }

  /** The items from number `from` to number `to`, both included, as far as they exist. */
  async read(from: number, to: number): Promise<T[]> {
    const keys: Key[] = [];
    for (let version = Math.max(1, from); version <= to; version++) keys.push(this.keyOf(version));
    const texts = await this.#storage.getMany(keys);
    const items: T[] = [];
    for (const [index, text] of texts.entries()) {
      const key = keys[index]!;
      const item = parseDocument(key, text, this.#schema) ?? (await this.#readAgain(key, texts.slice(index)));
      if (item === undefined) break;
      items.push(item);
    }
    return items;
  }

  /**
   * The number of the last item, 0 when empty. Starts at `known` (a version that is sure to exist) or at a stored hint
   * (which may lag) and probes forward in steps that double, then halve: O(log distance) reads.
   */
  async head(known?: number): Promise<number> {
    let low = known ?? (await this.#storedHint());
    if (!(await this.#exists(low + 1))) return low;
    low += 1;
    let step = 1;
    while (await this.#exists(low + step)) {
      low += step;
      step *= 2;
    }
    let high = low + step;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await this.#exists(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  /**
   * The number of the last item after an append behind `expectedVersion` was refused: a greater one when another
   * writer was first, a smaller one when a failover lost items.
   */
  async headAfterRefusal(expectedVersion: number): Promise<number> {
    const now = await this.head(expectedVersion);
    return now > expectedVersion ? now : this.head();
  }

  /** All items in order, in pages, in flat memory. */
  async *items(from = 1): AsyncGenerator<{ version: number; item: T }> {
    for (let start = from; ; start += PAGE_SIZE) {
      const page = await this.read(start, start + PAGE_SIZE - 1);
      for (const [index, item] of page.entries()) yield { version: start + index, item };
      if (page.length < PAGE_SIZE) return;
    }
  }

  #exists(version: number): Promise<boolean> {
    return this.#storage.has(this.keyOf(version));
  }

  /** A hint is never trusted: one that is damaged or points past the end only costs the search its head start. */
  async #storedHint(): Promise<number> {
    const text = await this.#storage.get(this.#hintKey);
    if (text === undefined) return 0;
    const hint = Number(text);
    return Number.isSafeInteger(hint) && hint > 0 && (await this.#exists(hint)) ? hint : 0;
  }

  /** An item that was absent when its page was read: the end, one that was appended meanwhile, or a gap. */
  async #readAgain(key: Key, following: readonly (string | undefined)[]): Promise<T | undefined> {
    if (following.every((later) => later === undefined)) return undefined;
    // Items are appended in order, so if a later one was seen, this one can be read by now.
    const item = parseDocument(key, await this.#storage.get(key), this.#schema);
    if (item === undefined) throw new CorruptionError(printKey(key), "the item is missing while a later one exists");
    return item;
  }

  /**
   * Makes sure of the last item of a folder before the next folder is begun: its writer may have died before its name
   * was safe. Within a folder, syncing the next item's name makes the earlier ones safe.
   */
  async #confirmLast(version: number): Promise<void> {
    const text = await this.#storage.get(this.keyOf(version));
    if (text !== undefined) await this.#storage.confirm(this.keyOf(version), text);
  }
}

/**
 * Opens the stream under `name`.
 *
 * @param schema what every item must match when it is read; a mismatch is a {@link CorruptionError}
 * @example
 * const log = openStream(storage, ["events", "2026-11-20"], batch);
 * const last = await log.head();
 * if ((await log.append(last, item)) === "conflict") retry(); // another writer made item last + 1
 */
export function openStream<T>(storage: Storage, name: Key, schema: z.ZodType<T>): Stream<T> {
  return new Stream(storage, name, schema);
}
