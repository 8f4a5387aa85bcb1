import type { BoundedLru } from "../runtime/cache/bounded-lru.ts";
import { printKey } from "../storage/documents.ts";
import { CorruptionError, type NewValue, type Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { entry, hashEntry, type Entry, entryKey, ledgerKey } from "./entry.ts";

/** An entry, and its text as it is stored. */
export type StoredEntry = { readonly item: Entry; readonly text: string };

/** The end of a ledger, as it was read. */
export interface LedgerEnd {
  readonly last: StoredEntry | undefined; // Undefined when there is no entry.
  readonly generation: number; // Of the storage, at the time of the read.
}

/** A cache of entries that were read and checked, or written, by storage generation, number and user. Entries are
 * immutable: they are dropped only when the storage may have lost some. The head of a ledger is not taken from it. */
export type EntryCache = BoundedLru<Entry>;

/** The stored entries of one user's ledger. Each read checks hash, number and user, and throws a CorruptionError. */
export class EntryStore {
  readonly user: string;
  readonly storage: Storage;
  readonly #stream: Stream<Entry>;
  readonly #cache: EntryCache;
  readonly forget = (): void => this.#cache.clear(); // For when the storage lost entries.

  constructor(storage: Storage, user: string, cache: EntryCache) {
    this.user = user;
    this.storage = storage;
    this.#cache = cache;
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

  /** The entries `from` to `to` (or the last one), oldest first. Cached ones at either end are not read again.
   * @param cached false for a walk that would replace the whole cache */
  async read(from: number, to: number, cached = true): Promise<Entry[]> {
    const generation = this.storage.generation();
    const at = (version: number) => (cached ? this.#cache.get(this.#place(version, generation)) : undefined);
    const [before, after]: [Entry[], Entry[]] = [[], []];
    let low = Math.max(1, from);
    let high = to;
    let known: Entry | undefined;
    for (; low <= high && (known = at(low)) !== undefined; low++) before.push(known);
    for (; low < high && (known = at(high)) !== undefined; high--) after.unshift(known);
    if (low > high) return before;
    const entries = await this.#stream.read(low, high);
    for (const [index, item] of entries.entries()) this.#check(item, low + index);
    if (this.storage.generation() !== generation) return this.read(from, to, cached);
    if (after.length > 0 && entries.length <= high - low) throw this.missing(low + entries.length);
    if (cached) for (const item of entries) this.#cache.set(this.#place(item.id, generation), item);
    return [...before, ...entries, ...after];
  }

  /** All entries, oldest first, in constant memory. */
  async *all(): AsyncGenerator<Entry> {
    for await (const { version, item } of this.#stream.items()) {
      this.#check(item, version);
      yield item;
    }
  }

  /** @param first a value that is made durable before the entry becomes visible */
  async append(last: StoredEntry | undefined, item: Entry, first?: NewValue) {
    const text = JSON.stringify(item);
    const generation = this.storage.generation();
    const outcome = await this.#stream.appendText(last?.item.id ?? 0, text, { previous: last?.text, first });
    if (outcome === "created") this.#cache.set(this.#place(item.id, generation), item);
    return { outcome, stored: { item, text } };
  }

  missing(version: number): CorruptionError {
    return this.#corrupt(version, "the entry is missing");
  }

  #place(version: number, generation: number): string {
    return `${generation}:${version}:${this.user}`;
  }

  #check({ hash, ...fields }: Entry, version: number): void {
    const { id, user_id } = fields;
    if (hash !== hashEntry(fields)) throw this.#corrupt(version, "its hash does not fit its fields");
    if (id !== version) throw this.#corrupt(version, `it says that it is entry ${id}`);
    if (user_id !== this.user) throw this.#corrupt(version, `it says that it belongs to ${user_id}`);
  }

  #corrupt(version: number, reason: string): CorruptionError {
    return new CorruptionError(printKey(entryKey(this.user, version)), reason);
  }
}
