import { printKey } from "../storage/documents.ts";
import { CorruptionError } from "../storage/storage-errors.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { type AppendOutcome, serializeItem, Stream } from "../storage/stream.ts";
import { entry, hashEntry, type Entry } from "./entry.ts";
import { entryKey, ledgerKey } from "./ledger-keys.ts";

/** An entry, and its text as it is stored. */
export interface StoredEntry {
  readonly item: Entry;
  readonly text: string;
}

/** The entries of one user as they are stored: whatever is read must be what was written, or a CorruptionError names it. */
export class StoredEntries {
  readonly #user: string;
  readonly #storage: Storage;
  readonly #stream: Stream<Entry>;

  constructor(storage: Storage, user: string) {
    this.#user = user;
    this.#storage = storage;
    this.#stream = new Stream(storage, ledgerKey(user), entry);
  }

  keyOf(version: number): Key {
    return this.#stream.keyOf(version);
  }

  /** As `Stream.head`. */
  head(known?: number): Promise<number> {
    return this.#stream.head(known);
  }

  async find(version: number): Promise<StoredEntry | undefined> {
    const stored = await this.#stream.stored(version);
    if (stored !== undefined) this.#check(stored.item, version);
    return stored;
  }

  /** The entries from number `from` to number `to`, both included, oldest first, or to the end. */
  async read(from: number, to: number): Promise<Entry[]> {
    const first = Math.max(1, from);
    const entries = await this.#stream.read(first, to);
    for (const [index, item] of entries.entries()) this.#check(item, first + index);
    return entries;
  }

  /** All entries, oldest first, in flat memory. */
  async *all(): AsyncGenerator<Entry> {
    for await (const { version, item } of this.#stream.items()) {
      this.#check(item, version);
      yield item;
    }
  }

  /** Appends the entry after the last one. */
  async append(last: StoredEntry | undefined, item: Entry): Promise<{ outcome: AppendOutcome; stored: StoredEntry }> {
    const text = serializeItem(item);
    const outcome = await this.#stream.append(last?.item.id ?? 0, item, last?.text, text);
    return { outcome, stored: { item, text } };
  }

  /** Makes an entry that was read as safe as one that was acknowledged. */
  async confirm({ item, text }: StoredEntry): Promise<void> {
    await this.#storage.confirm(this.keyOf(item.id), text);
  }

  missing(version: number): CorruptionError {
    return this.#corrupt(version, "the entry is missing");
  }

  #check({ hash, ...fields }: Entry, version: number): void {
    const { id, user_id } = fields;
    if (hash !== hashEntry(fields)) throw this.#corrupt(version, "its hash does not fit its fields");
    if (id !== version) throw this.#corrupt(version, `it says that it is entry ${id}`);
    if (user_id !== this.#user) throw this.#corrupt(version, `it says that it belongs to ${user_id}`);
  }

  #corrupt(version: number, reason: string): CorruptionError {
    return new CorruptionError(printKey(entryKey(this.#user, version)), reason);
  }
}
