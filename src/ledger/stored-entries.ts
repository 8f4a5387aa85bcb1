import { printKey, readDocument } from "../storage/documents.ts";
import { CorruptionError } from "../storage/storage-errors.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { type AppendOutcome, serializeItem, Stream } from "../storage/stream.ts";
import { entry, hashEntry, type Entry, entryKey, ledgerKey, operationKey, operationPointer } from "./entry.ts";
import { invalid, type FieldError } from "../contract/errors.ts";
import { canonicalJson, sha256 } from "../runtime/canonical-json.ts";
import { encodeKey } from "../storage/keys.ts";

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

/** Identifies a change, so that a repeated request returns the first result instead of changing the ledger again. */
export interface LedgerOperation {
  /** Unique among the user's operations. */
  readonly id: string;
  /** The request, as JSON values: the same id with another request is refused. */
  readonly request: unknown;
  /** Where in a request the id came from: it may be repeated. Absent for one that the server made, which needs no index. */
  readonly origin?: Pick<FieldError, "in" | "path">;
}

/** The end of a ledger, as it was read. */
export interface LedgerEnd {
  /** Undefined when there is no entry. */
  readonly last: StoredEntry | undefined;
  /** The storage's, when it was read. */
  readonly generation: number;
}

/** Where a repeated operation is recognised: the index from the operations of a user to the entries that they made. */
export class OperationIndex {
  readonly #storage: Storage;
  readonly #user: string;
  readonly #entries: StoredEntries;

  constructor(storage: Storage, user: string, entries: StoredEntries) {
    this.#storage = storage;
    this.#user = user;
    this.#entries = entries;
  }

  /** @throws TypeError for an id from outside that cannot be part of a storage key: nobody could write after its entry */
  check({ id, origin }: LedgerOperation): void {
    if (origin !== undefined) encodeKey(this.#keyOf(id));
  }

  /**
   * The entry that the operation made before, as safe as when it was acknowledged: perhaps it never was. Every operation
   * up to the entry before the last is indexed, and the last is at hand: nothing can be missed.
   *
   * @throws AnpError 422 when the id was used for another request
   * @throws CorruptionError when the operation is indexed, and its entry is not there or another one's
   */
  async find(operation: LedgerOperation, { last, generation }: LedgerEnd): Promise<Entry | undefined> {
    if (last === undefined) return undefined;
    if (last.item.operation.id === operation.id) return this.acknowledge(last, operation);
    if (operation.origin === undefined) return undefined;
    const key = this.#keyOf(operation.id);
    const pointer = await readDocument(this.#storage, key, operationPointer);
    if (pointer === undefined) return undefined;
    const stored = await this.#entries.find(pointer.entry);
    const isOwn = stored?.item.operation.id === operation.id;
    // A failover may have lost the entry, and another one may have its number.
    if (!isOwn && this.#storage.generation() !== generation) return undefined;
    if (stored === undefined) throw this.#entries.missing(pointer.entry);
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
    await this.#entries.confirm(stored);
    return stored.item;
  }

  /** Indexes a repeatable operation before any later entry is made; not where a failover lost its entry. */
  async add(last: StoredEntry | undefined): Promise<void> {
    if (last?.item.operation.repeatable !== true) return;
    const { id, operation } = last.item;
    const key = this.#keyOf(operation.id);
    const after = { key: this.#entries.keyOf(id), value: last.text };
    if ((await this.#storage.createAfter(key, JSON.stringify({ entry: id }), after)) !== "conflict") return;
    // Another writer made it, who may have died before it was safe.
    const stored = await this.#storage.get(key);
    if (stored !== undefined) await this.#storage.confirm(key, stored);
  }

  #keyOf(operation: string): Key {
    return operationKey(this.#user, operation);
  }
}

/** SHA-256 of the request of an operation, as its entry keeps it. */
export function requestHash(operation: LedgerOperation): string {
  return sha256(canonicalJson(operation.request));
}
