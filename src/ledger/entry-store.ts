import type { BoundedLru } from "../runtime/cache/bounded-lru.ts";
import { printKey } from "../storage/documents.ts";
import { encodeSegment } from "../storage/keys.ts";
import { CorruptionError, ifDamaged, type NewValue, type Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { entryError } from "./chain.ts";
import { entry, type Entry, entryKey, ledgerKey } from "./entry.ts";
import { type LedgerThreads, MANY } from "./ledger-threads.ts";

const LONG = 128; // Entries of one reading that are not remembered.

/** An entry, and its text as it is stored. */
export type StoredEntry = { readonly item: Entry; readonly text: string };

/** The end of a ledger, as it was read. */
export interface LedgerEnd {
  readonly last: StoredEntry | undefined; // Undefined when there is no entry.
  readonly generation: number; // The storage's, when it was read.
}

/** Entries that were read and checked, or written, by the storage's generation, user and number. None ever changes:
 * they are dropped only where the storage may have lost them. The storage is asked for the end of a ledger. */
export type EntryCache = BoundedLru<Entry>;
/** What the entries of all users share. */
export type EntryReaders = { readonly cache: EntryCache; readonly threads: LedgerThreads };

/** The entries of one user's ledger as stored. What is read must be what was written, or a CorruptionError names it. */
export class EntryStore {
  readonly user: string;
  readonly storage: Storage;
  readonly #stream: Stream<Entry>;
  readonly #cache: EntryCache;
  readonly #threads: LedgerThreads;

  constructor(storage: Storage, user: string, { cache, threads }: EntryReaders) {
    this.user = user;
    this.storage = storage;
    this.#cache = cache;
    this.#threads = threads;
    this.#stream = new Stream(storage, ledgerKey(user), entry);
  }

  head(known?: number): Promise<number> {
    return this.#stream.head(known);
  }

  async at(version: number): Promise<StoredEntry | undefined> {
    const generation = this.storage.generation();
    const stored = await this.#stream.stored(version);
    if (stored === undefined) return undefined;
    this.#check(stored.item, version);
    this.#cache.set(this.#place(version, generation), stored.item);
    return stored;
  }

  /** The entries from number `from` to number `to`, both included, oldest first, or to the end. Those that are remembered
   * are not read again, unless they lie between others. */
  async read(from: number, to: number): Promise<Entry[]> {
    const generation = this.storage.generation();
    const at = (version: number): Entry | undefined => this.#cache.get(this.#place(version, generation));
    const [before, after]: [Entry[], Entry[]] = [[], []];
    let low = Math.max(1, from);
    let high = to;
    let known: Entry | undefined;
    for (; low <= high && (known = at(low)) !== undefined; low++) before.push(known);
    for (; low < high && (known = at(high)) !== undefined; high--) after.unshift(known);
    if (low > high) return before;
    const isLong = high >= MANY && high - low >= LONG;
    const checked = isLong ? await this.#readOnThread(low, high) : undefined;
    const entries = checked ?? (await this.#stream.read(low, high));
    if (checked === undefined) for (const [index, item] of entries.entries()) this.#check(item, low + index);
    if (this.storage.generation() !== generation) return this.read(from, to);
    if (after.length > 0 && entries.length <= high - low) throw this.missing(low + entries.length);
    if (!isLong) for (const item of entries) this.#cache.set(this.#place(item.id, generation), item);
    return [...before, ...entries, ...after];
  }

  /** Undefined where not all of them are there and right. */
  async #readOnThread(first: number, last: number): Promise<Entry[] | undefined> {
    const user = encodeSegment(this.user);
    const keys = Array.from({ length: last - first + 1 }, (_, step) => this.#stream.keyOf(first + step));
    const found = await ifDamaged(this.storage.getMany(keys), () => []);
    const texts = found.flatMap((text) => text ?? []);
    const isWhole =
      texts.length === keys.length && (await this.#threads("checkEntries", { user, first, texts })) === undefined;
    return isWhole ? texts.map((text) => JSON.parse(text) as Entry) : undefined;
  }

  /** All entries, oldest first, in flat memory. */
  async *all(): AsyncGenerator<Entry> {
    for await (const { version, item } of this.#stream.items()) {
      this.#check(item, version);
      yield item;
    }
  }

  /** @param first is stored before the entry can be seen */
  async append(last: StoredEntry | undefined, item: Entry, first?: NewValue) {
    const text = JSON.stringify(item);
    const generation = this.storage.generation();
    const outcome = await this.#stream.appendText(last?.item.id ?? 0, text, { previous: last?.text, first });
    if (outcome === "created") this.#cache.set(this.#place(item.id, generation), item);
    else if (outcome === "gap" || outcome === "failover") this.#cache.clear(); // Lost: the entry before, and perhaps more.
    return { outcome, stored: { item, text } };
  }

  missing(version: number): CorruptionError {
    return this.#corrupt(version, "the entry is missing");
  }

  #place(version: number, generation: number): string {
    return `${generation}:${version}:${this.user}`;
  }

  #check(item: Entry, version: number): void {
    const error = entryError(item, version, this.user);
    if (error !== undefined) throw this.#corrupt(version, error);
  }

  #corrupt(version: number, reason: string): CorruptionError {
    return new CorruptionError(printKey(entryKey(this.user, version)), reason);
  }
}
