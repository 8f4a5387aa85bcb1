import type { BoundedLru } from "../runtime/cache/bounded-lru.ts";
import { printKey, readDocument } from "../storage/documents.ts";
import { CorruptionError } from "../storage/storage-errors.ts";
import { encodeKey } from "../storage/keys.ts";
import type { CreateOutcome, Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { invalid, type FieldError } from "../contract/errors.ts";
import { canonicalJson, sha256 } from "../runtime/json/canonical-json.ts";
import { entry, hashEntry, type Entry, entryKey, ledgerKey, operationKey, operationPointer } from "./entry.ts";

/** Identifies a change, so that a repeated request returns the first result instead of changing the ledger again. */
export interface LedgerOperation {
  /** Unique among the user's operations. */
  readonly id: string;
  /** The request, as JSON values: the same id with another request is refused. */
  readonly request: unknown;
  /** Where in a request the id came from: it may be repeated. Absent for one that the server made, which needs no index. */
  readonly origin?: Pick<FieldError, "in" | "path">;
}

/** An entry, and its text as it is stored. */
export interface StoredEntry {
  readonly item: Entry;
  readonly text: string;
}

/** The end of a ledger, as it was read. */
export interface LedgerEnd {
  /** Undefined when there is no entry. */
  readonly last: StoredEntry | undefined;
  /** The storage's, when it was read. */
  readonly generation: number;
}

/** Entries that were read and checked, or written, by the storage's generation, user and number. None ever changes, so they
 * are dropped only where the storage may have lost them. What lies beyond the end of a ledger is not known here: the
 * storage is asked for that. */
export type EntryCache = BoundedLru<Entry>;

/** The ledger of one user as it is stored: its entries, and the index from its operations to the entries that they made,
 * by which a repeated one is recognised. What is read must be what was written, or a CorruptionError names it. */
export class StoredLedger {
  readonly #user: string;
  readonly #storage: Storage;
  readonly #stream: Stream<Entry>;
  readonly #cache: EntryCache;

  constructor(storage: Storage, user: string, cache: EntryCache) {
    this.#user = user;
    this.#storage = storage;
    this.#cache = cache;
    this.#stream = new Stream(storage, ledgerKey(user), entry);
  }

  head(known?: number): Promise<number> {
    return this.#stream.head(known);
  }

  async at(version: number): Promise<StoredEntry | undefined> {
    const generation = this.#storage.generation();
    const stored = await this.#stream.stored(version);
    if (stored === undefined) return undefined;
    this.#check(stored.item, version);
    this.#cache.set(this.#place(version, generation), stored.item);
    return stored;
  }

  /** The entries from number `from` to number `to`, both included, oldest first, or to the end. Those that are remembered
   * are not read again, unless they lie between others. */
  async read(from: number, to: number): Promise<Entry[]> {
    const generation = this.#storage.generation();
    const at = (version: number): Entry | undefined => this.#cache.get(this.#place(version, generation));
    const [before, after]: [Entry[], Entry[]] = [[], []];
    let low = Math.max(1, from);
    let high = to;
    let known: Entry | undefined;
    for (; low <= high && (known = at(low)) !== undefined; low++) before.push(known);
    for (; low < high && (known = at(high)) !== undefined; high--) after.unshift(known);
    if (low > high) return before;
    const entries = await this.#stream.read(low, high);
    for (const [index, item] of entries.entries()) this.#check(item, low + index);
    if (this.#storage.generation() !== generation) return this.read(from, to);
    if (after.length > 0 && entries.length <= high - low) throw this.missing(low + entries.length);
    for (const item of entries) this.#cache.set(this.#place(item.id, generation), item);
    return [...before, ...entries, ...after];
  }

  /** All entries, oldest first, in flat memory. */
  async *all(): AsyncGenerator<Entry> {
    for await (const { version, item } of this.#stream.items()) {
      this.#check(item, version);
      yield item;
    }
  }

  async append(last: StoredEntry | undefined, item: Entry): Promise<{ outcome: CreateOutcome; stored: StoredEntry }> {
    const text = JSON.stringify(item);
    const generation = this.#storage.generation();
    const outcome = await this.#stream.appendText(last?.item.id ?? 0, text, last?.text);
    if (outcome === "created") this.#cache.set(this.#place(item.id, generation), item);
    // A failover lost the entry before, and perhaps more.
    else if (outcome !== "conflict") this.#cache.clear();
    return { outcome, stored: { item, text } };
  }

  missing(version: number): CorruptionError {
    return this.#corrupt(version, "the entry is missing");
  }

  /** @throws TypeError for an id from outside that cannot be part of a storage key: nobody could write after its entry */
  checkOperation({ id, origin }: LedgerOperation): void {
    if (origin !== undefined) encodeKey(operationKey(this.#user, id));
  }

  /** The entry that the operation made before, as safe as when it was acknowledged: perhaps it never was. Every
   * operation up to the entry before the last is indexed, and the last is at hand: nothing can be missed.
   * @throws AnpError 422 when the id was used for another request
   * @throws CorruptionError when the operation is indexed, and its entry is not there or another one's */
  async find(operation: LedgerOperation, { last, generation }: LedgerEnd): Promise<Entry | undefined> {
    if (last === undefined) return undefined;
    if (last.item.operation.id === operation.id) return this.acknowledge(last, operation);
    if (operation.origin === undefined) return undefined;
    const key = operationKey(this.#user, operation.id);
    const pointer = await readDocument(this.#storage, key, operationPointer);
    if (pointer === undefined) return undefined;
    const stored = await this.at(pointer.entry);
    const isOwn = stored?.item.operation.id === operation.id;
    // A failover may have lost the entry, and another one may have its number.
    if (!isOwn && this.#storage.generation() !== generation) return undefined;
    if (stored === undefined) throw this.missing(pointer.entry);
    if (isOwn) return this.acknowledge(stored, operation);
    // To take it for a new operation would make the change once more.
    throw new CorruptionError(printKey(key), `it leads to entry ${stored.item.id}, which another operation made`);
  }

  /** The entry of an operation for another answer to its caller. @throws AnpError 422 for another request */
  async acknowledge(stored: StoredEntry, operation: LedgerOperation): Promise<Entry> {
    if (stored.item.operation.request !== requestHash(operation)) {
      const origin = operation.origin ?? { in: "header", path: "Idempotency-Key" };
      throw invalid([{ ...origin, message: "was used for another request before" }]);
    }
    await this.#storage.confirm(this.#stream.keyOf(stored.item.id), stored.text);
    return stored.item;
  }

  /** Indexes a repeatable operation before any later entry is made; not where a failover lost its entry. */
  async indexOperation(last: StoredEntry | undefined): Promise<void> {
    if (last?.item.operation.repeatable !== true) return;
    const { id, operation } = last.item;
    const key = operationKey(this.#user, operation.id);
    const after = { key: this.#stream.keyOf(id), value: last.text };
    if ((await this.#storage.createAfter(key, JSON.stringify({ entry: id }), after)) !== "conflict") return;
    // Another writer made it, who may have died before it was safe.
    const stored = await this.#storage.get(key);
    if (stored !== undefined) await this.#storage.confirm(key, stored);
  }

  #place(version: number, generation: number): string {
    return `${generation}:${version}:${this.#user}`;
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

/** SHA-256 of the request of an operation, as its entry keeps it. */
export function requestHash(operation: LedgerOperation): string {
  return sha256(canonicalJson(operation.request));
}
