import type { z } from "zod";
import { collect } from "../runtime/batches.ts";
import { checkDocument, parseDocument, readOrDamage } from "./documents.ts";
import { encodeKey, itemKey, missingItem } from "./keys.ts";
import type { AppendOptions, CreateOutcome, Key, Storage } from "./storage.ts";
import { CorruptionError, EncodedSegment, catchDamage } from "./storage.ts";

const PAGE = { min: 4, max: 256, text: 512 * 1024 } as const; // Items; text in UTF-16 units, as some are batches.

/** Called with the error and the number of each damaged or missing item, which is skipped. */
export type OnSkipped = (error: CorruptionError, version: number) => void;

/** An append-only list of items numbered 1, 2, 3 … without a gap, each written once and never changed.
 * @example
 * const log = new Stream(storage, ["events", "2026-11-20"], batch);
 * const last = await log.head();
 * if ((await log.append(last, item)) === "conflict") retry(); // another writer made item last + 1 */
export class Stream<T> {
  readonly name: Key;
  readonly #storage: Storage;
  readonly #schema: z.ZodType<T>;
  readonly #stem: EncodedSegment; // The name, encoded once: a head is looked for at every request.

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
   * @returns anything but "created" means: read again and decide again. After a "conflict" the item with that number
   * may be the caller's own, if an earlier reply was lost.
   * @throws CorruptionError when the stream has a hole there */
  append(expectedVersion: number, item: T, behind?: AppendOptions): Promise<CreateOutcome> {
    return this.appendText(expectedVersion, JSON.stringify(item), behind);
  }

  /** The same for an item as JSON.
   * @param behind.previous the text of item `expectedVersion`, for an item that depends on the one before: after a
   * failover another item may have its number, and nothing is appended after that one */
  appendText(expectedVersion: number, text: string, behind?: AppendOptions): Promise<CreateOutcome> {
    return this.#storage.append(this.#stem, expectedVersion + 1, text, behind);
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
    return (await collect(this.items(Math.max(1, from) - 1, undefined, to))).map(({ item }) => item);
  }

  /** The number of the last item, 0 when empty. Starts at `known` (a version that is sure to exist) or at the stored
   * head (which may lag on files), and searches on only where that is not the end.
   * @throws CorruptionError that names an item that is missing although it, or a later one, was stored */
  async head(known?: number): Promise<number> {
    const generation = this.#storage.generation();
    const stored = known ?? (await this.storedHead());
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
    // Items are appended in order: one that is absent although a later one was known is missing, not in flight.
    const isMissing = later !== undefined || (!isThere && (await this.storedHead()) > end);
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

  /** The last of the consecutive items from `known` on, by steps that double, then halve: O(log distance) reads. */
  async #searchFrom(known: number): Promise<number> {
    let last = known;
    let step = 1;
    for (; await this.#exists(last + step); step *= 2) last += step;
    while (step > 1) {
      step /= 2;
      if (await this.#exists(last + step)) last += step;
    }
    return last;
  }

  /** Removes the head and the items from `last` down: an interruption leaves a shorter stream. Nobody may append. */
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

  /** The items after a number in order, up to number `to` or the head, in constant memory. One read when there are none.
   * @param onSkipped without it, the first damaged or missing item throws
   * @throws CorruptionError that names the key of such an item */
  async *items(after = 0, onSkipped?: OnSkipped, to?: number): AsyncGenerator<{ version: number; item: T }> {
    const skip: OnSkipped = (error, version) => {
      if (onSkipped === undefined) throw error;
      onSkipped(error, version);
    };
    let read = after;
    let end = to ?? after; // Up to here all items exist, as far as is known; Infinity where one is missing.
    let size: number = to === undefined ? PAGE.min : PAGE.max;
    while (read < (to ?? Infinity)) {
      if (end <= read) end = await catchDamage(this.head(read), () => Infinity);
      if (end <= read) return;
      // Never past the end: a page that is appended to while it is read would seem to have a gap.
      const keys = Array.from({ length: Math.min(size, end - read) }, (_, step) => this.keyOf(read + 1 + step));
      const texts = await readOrDamage(this.#storage, keys);
      const found = texts.slice(0, texts.findLastIndex((text) => text !== undefined) + 1);
      for (const [index, text] of found.entries()) {
        read += 1;
        // An item that was absent may have been appended before the later one was read.
        const again = text ?? (await readOrDamage(this.#storage, [keys[index]!]))[0];
        const item = checkDocument(keys[index]!, again, this.#schema);
        if (item instanceof CorruptionError) skip(item, read);
        else if (item === undefined) skip(this.missing(read), read);
        else yield { version: read, item };
      }
      if (found.length === 0 && end === Infinity) {
        const next = await this.#nextAfter(read);
        do skip(this.missing(++read), read);
        while (next !== undefined && next > read + 1);
        if (next === undefined) return;
      }
      if (found.length < keys.length || end === Infinity) end = read;
      const isLarge = texts.reduce((sum, text) => sum + String(text).length, 0) > PAGE.text;
      size = isLarge ? Math.max(PAGE.min, size / 2) : Math.min(PAGE.max, size * 2);
    }
  }

  async #nextAfter(version: number): Promise<number | undefined> {
    const later = (await this.#storage.laterItem(this.#stem, version)) ?? 0;
    for (let next = version + 1; next <= later; next++) if (await this.#exists(next)) return next;
    return undefined;
  }

  #exists(version: number): Promise<boolean> {
    return this.#storage.has(this.keyOf(version));
  }

  /** The number of an item near the end that exists or has existed; 0 if none is stored, or no valid number. */
  async storedHead(): Promise<number> {
    const [text] = await this.#storage.getMany([[...this.name, "head"]]); // getMany reads small files synchronously.
    const head = Number(text);
    return Number.isSafeInteger(head) && head > 0 ? head : 0;
  }
}
