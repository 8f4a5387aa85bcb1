import type { z } from "zod";
import { encodeKey, itemKey, missingItem } from "./keys.ts";
import { EncodedSegment, type Key, type CreateRefusal, type Storage } from "./storage.ts";
import { parseDocument } from "./documents.ts";
import type { CorruptionError } from "./storage-errors.ts";

/** The result of an append; a {@link CreateRefusal} changes nothing. */
export type AppendOutcome = "appended" | CreateRefusal;

/** An item as a stream stores it. */
export function serializeItem(item: unknown): string {
  return JSON.stringify(item);
}

const PAGE_SIZE = 256;

/** An append-only list of items numbered 1, 2, 3 … without a gap, each written once and never changed.
 * @example
 * const log = new Stream(storage, ["events", "2026-11-20"], batch);
 * const last = await log.head();
 * if ((await log.append(last, item)) === "conflict") retry(); // another writer made item last + 1
 */
export class Stream<T> {
  readonly name: Key;
  readonly #storage: Storage;
  readonly #schema: z.ZodType<T>;
  /** The name, encoded once: a head is looked for at every request. */
  readonly #stem: EncodedSegment;

  /** @param schema what every item must match when it is read; a mismatch is a CorruptionError */
  constructor(storage: Storage, name: Key, schema: z.ZodType<T>) {
    this.name = name;
    this.#storage = storage;
    this.#schema = schema;
    this.#stem = new EncodedSegment(encodeKey(name));
  }

  /** Where the item of that number is stored. */
  keyOf(version: number): Key {
    return itemKey(this.#stem, version);
  }

  /** Appends `item` as number `expectedVersion + 1`.
   * @returns anything but "appended" means: read again and decide again. After a "conflict" the item with that number
   * may be the caller's own, if an earlier reply was lost.
   * @throws CorruptionError when the stream has a hole there */
  append(expectedVersion: number, item: T): Promise<AppendOutcome> {
    return this.appendText(expectedVersion, serializeItem(item));
  }

  /** The same for what {@link serializeItem} makes of an item.
   * @param previous the text of item `expectedVersion`, for an item that depends on the one before: after a failover
   * another item may have its number, and nothing is appended after that one */
  async appendText(expectedVersion: number, text: string, previous?: string): Promise<AppendOutcome> {
    const outcome = await this.#storage.append(this.#stem, expectedVersion + 1, text, previous);
    return outcome === "created" ? "appended" : outcome;
  }

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

  /** The items from number `from` to number `to`, both included, or to the end.
   * @throws CorruptionError that names the first item that is damaged or missing */
  async read(from: number, to: number): Promise<T[]> {
    const keys: Key[] = [];
    for (let version = Math.max(1, from); version <= to; version++) keys.push(this.keyOf(version));
    const texts = await this.#storage.getMany(keys);
    const items: T[] = [];
    for (const [index, text] of texts.entries()) {
      const key = keys[index]!;
      const item = parseDocument(key, text, this.#schema) ?? (await this.#readAgain(Math.max(1, from) + index));
      if (item === undefined) break;
      items.push(item);
    }
    return items;
  }

  /** The number of the last item, 0 when empty. Starts at `known` (a version that is sure to exist) or at the stored
   * head (which may lag on files), and searches on only where that is not the end.
   * @throws CorruptionError that names an item that is missing although it, or a later one, was stored */
  async head(known?: number): Promise<number> {
    const generation = this.#storage.generation();
    const stored = known ?? (await this.#storedHead());
    const [next, isThere] = await Promise.all([
      this.#storage.laterItem(this.#stem, stored),
      known !== undefined || stored === 0 || this.#exists(stored),
    ]);
    if (isThere && next === undefined) return stored;
    let end = isThere ? stored : 0;
    let later: number | undefined;
    while ((later = await this.#storage.laterItem(this.#stem, end)) !== undefined) {
      if (!(await this.#exists(end + 1))) break;
      end = await this.#searchFrom(end + 1);
    }
    // Items are appended in order: one that is absent now, while a later one was known before, is not on its way.
    const isMissing = later !== undefined || (!isThere && (await this.#storedHead()) > end);
    if (!isMissing) return end;
    // A failover may have lost what was known, noticed or not.
    const isLost = later !== undefined && (await this.#storage.laterItem(this.#stem, end)) === undefined;
    if (isLost || this.#storage.generation() !== generation) return this.head();
    // A known item may itself be the missing one.
    throw missingItem(this.#stem, end > 0 && !(await this.#exists(end)) ? end : end + 1);
  }

  missing(version: number): CorruptionError {
    return missingItem(this.#stem, version);
  }

  /** The first item after a number, missing ones passed over; undefined when none is left. */
  async readNext(after: number): Promise<{ version: number; item: T } | undefined> {
    const later = (await this.#storage.laterItem(this.#stem, after)) ?? 0;
    for (let version = after + 1; version <= later; version++) {
      const item = await this.get(version);
      if (item !== undefined) return { version, item };
    }
    return undefined;
  }

  /** The last of the items that follow an existing one, in steps that double, then halve: O(log distance) reads. */
  async #searchFrom(known: number): Promise<number> {
    let low = known;
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

  /** Removes the items from number `last` down, and what is known of them: wherever it is interrupted, a shorter stream
   * is left. Nobody may append meanwhile. */
  async removeAll(last: number): Promise<void> {
    await this.#storage.remove([...this.name, "head"]);
    for (let version = last; version > 0; version--) await this.#storage.discard(this.keyOf(version));
  }

  /** The number of the last item after an append behind `expectedVersion` was refused: a greater one when another
   * writer was first, a smaller one when a failover lost items. */
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

  /** A number that an existing item has or had; 0 where there is none, or no number. */
  async #storedHead(): Promise<number> {
    const head = Number(await this.#storage.get([...this.name, "head"]));
    return Number.isSafeInteger(head) && head > 0 ? head : 0;
  }

  /** An item that was absent when its page was read: after the end, appended meanwhile, or missing. */
  async #readAgain(version: number): Promise<T | undefined> {
    const generation = this.#storage.generation();
    const end = await this.head();
    const item = await this.get(version);
    if (item === undefined && version <= end && this.#storage.generation() === generation) {
      throw missingItem(this.#stem, version);
    }
    return item;
  }
}
