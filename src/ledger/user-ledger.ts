import type { QuotaRules } from "../accounts/quota-rules.ts";
import { AnpError } from "../contract/errors.ts";
import type { Clock } from "../runtime/clock.ts";
import { printKey, readDocument } from "../storage/documents.ts";
import { encodeKey } from "../storage/keys.ts";
import { CorruptionError } from "../storage/storage-errors.ts";
import type { Storage } from "../storage/storage.ts";
import { openStream, serializeItem, type Stream } from "../storage/stream.ts";
import { decideChange } from "./decide.ts";
import { EMPTY_ACCOUNT, entry, hashEntry, type Account, type Entry } from "./entry.ts";
import { entryKey, ledgerKey, operationKey, operationPointer } from "./ledger-keys.ts";
import { checkSameRequest, type LedgerOperation } from "./idempotency.ts";
import { entryAfter, type Posted, type Posting } from "./posting.ts";

/** Learns what happens to ledgers, for metrics. Every call is cheap and never throws. */
export interface LedgerObserver {
  /** A new entry was appended. */
  posted(entry: Entry): void;
  /** Another writer appended first, and the change was decided again. */
  conflicted(): void;
}

/** The dependencies of ledgers. */
export interface LedgerDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly quotaRules: QuotaRules;
  readonly observer?: LedgerObserver;
}

/** A user's ledger up to the entry that was its last when it was opened. */
export interface OpenLedger {
  /** Number of the last entry, 0 when there is none. */
  readonly version: number;
  readonly account: Account;
  /**
   * The entry that the operation made, if it did.
   *
   * @throws AnpError 422 when the id was used for another request
   */
  find(operation: LedgerOperation): Promise<Entry | undefined>;
  /** Entries newest first; a page past the end is empty. */
  page(page: number, pageSize: number): Promise<{ entries: Entry[]; total: number }>;
}

/** The end of a ledger, as it was read. */
interface End {
  /** The last entry, and its text as it is stored; undefined when there is none. */
  readonly last: { readonly item: Entry; readonly text: string } | undefined;
  /** The storage's, when it was read. */
  readonly generation: number;
}

const versionOf = ({ last }: End): number => last?.item.id ?? 0;

/** The ledger of one user. It remembers its end, so that a posting need not look for it. */
export class UserLedger {
  readonly #user: string;
  readonly #deps: LedgerDeps;
  readonly #stream: Stream<Entry>;
  #end: End | undefined;

  constructor(user: string, deps: LedgerDeps) {
    this.#user = user;
    this.#deps = deps;
    this.#stream = openStream(deps.storage, ledgerKey(user), entry);
  }

  /** Reads the end, once for all that the caller does with it. */
  async open(): Promise<OpenLedger> {
    const end = await this.#readEnd();
    const total = versionOf(end);
    return {
      version: total,
      account: end.last?.item.account ?? EMPTY_ACCOUNT,
      find: (operation) => this.#find(operation, end),
      page: async (page, pageSize) => {
        const to = total - (page - 1) * pageSize;
        return { entries: to < 1 ? [] : (await this.read(to - pageSize + 1, to)).reverse(), total };
      },
    };
  }

  /**
   * Decides and appends one entry, or finds the one the operation made before. To be called under the ledger's lock.
   *
   * @throws as `Ledger.post`
   */
  async post(posting: Posting): Promise<Posted> {
    const { clock, quotaRules, observer } = this.#deps;
    const { operation, command } = posting;
    // The next writer indexes this id. One that cannot be part of a key must not get in: nobody could write after it.
    if (operation.origin !== undefined) encodeKey(operationKey(this.#user, operation.id));
    // The first try builds on the remembered end: the append finds out whether somebody was there since, and what is
    // refused is decided again on the ledger as it is now.
    for (let known = this.#remembered(); ; known = undefined) {
      const end = known ?? (await this.#readEnd());
      // Every operation up to the entry before `last` is indexed, and `last` is at hand: nothing can be missed.
      const before = await this.#find(operation, end);
      if (before !== undefined) return { entry: before, replayed: true };

      const now = clock.now();
      const last = end.last?.item;
      const change = decideChange(last?.account ?? EMPTY_ACCOUNT, command, now, quotaRules);
      if ("code" in change) {
        if (known !== undefined) continue;
        throw new AnpError(change.code, change.message);
      }
      await this.#index(end);
      const posted = await this.#append(end, entryAfter(last, { user: this.#user, posting, change, now }), operation);
      if (posted === undefined) continue;
      if (!posted.replayed) observer?.posted(posted.entry);
      return posted;
    }
  }

  /** The entries from number `from` to number `to`, both included, oldest first, as far as they exist. */
  async read(from: number, to: number): Promise<Entry[]> {
    const first = Math.max(1, from);
    const entries = await this.#stream.read(first, to);
    return entries.map((item, index) => this.#checked(item, first + index));
  }

  /** All entries, oldest first, in flat memory. */
  async *entries(): AsyncGenerator<Entry> {
    for await (const { version, item } of this.#stream.items()) yield this.#checked(item, version);
  }

  /** The end as it was last seen, unless the storage may have lost entries since. */
  #remembered(): End | undefined {
    return this.#end?.generation === this.#deps.storage.generation() ? this.#end : undefined;
  }

  /** The end as it is now: the remembered one saves the search, and the storage is asked for a newer entry. */
  async #readEnd(): Promise<End> {
    const { storage } = this.#deps;
    const generation = storage.generation();
    const known = this.#remembered();
    const version = await this.#stream.head(known && versionOf(known));
    if (known !== undefined && versionOf(known) === version && storage.generation() === generation) return known;
    const last = version === 0 ? undefined : await this.#stream.stored(version);
    if (last === undefined && storage.generation() !== generation) return this.#readEnd();
    if (version > 0) this.#checked(last?.item, version);
    this.#end = { last, generation };
    return this.#end;
  }

  /** The entry that the operation made before, as safe as when it was acknowledged: perhaps it never was. */
  async #find(operation: LedgerOperation, { last, generation }: End): Promise<Entry | undefined> {
    const { storage } = this.#deps;
    if (last === undefined) return undefined;
    if (last.item.operation.id === operation.id) return this.#confirmed(last, operation);
    if (operation.origin === undefined) return undefined;
    const key = operationKey(this.#user, operation.id);
    const pointer = await readDocument(storage, key, operationPointer);
    if (pointer === undefined) return undefined;
    const stored = await this.#stream.stored(pointer.entry);
    if (stored === undefined && storage.generation() !== generation) return undefined;
    const found = this.#checked(stored?.item, pointer.entry);
    if (found.operation.id === operation.id) return this.#confirmed(stored!, operation);
    if (storage.generation() !== generation) return undefined;
    // To take it for a new operation would make the change once more.
    throw new CorruptionError(printKey(key), `it leads to entry ${found.id}, which another operation made`);
  }

  async #confirmed({ item, text }: { item: Entry; text: string }, operation: LedgerOperation): Promise<Entry> {
    checkSameRequest(item, operation);
    await this.#deps.storage.confirm(this.#stream.keyOf(item.id), text);
    return item;
  }

  /**
   * Makes sure that an operation id that may be repeated leads to its entry, before any later entry is made. Where a
   * failover lost that entry, nothing may lead to whatever takes its number.
   */
  async #index({ last }: End): Promise<void> {
    if (last?.item.operation.repeatable !== true) return;
    const { storage } = this.#deps;
    const { id, operation } = last.item;
    const key = operationKey(this.#user, operation.id);
    const after = { key: this.#stream.keyOf(id), value: last.text };
    if ((await storage.createAfter(key, JSON.stringify({ entry: id }), after)) !== "conflict") return;
    // Another writer made it, who may have died before it was safe.
    const stored = await storage.get(key);
    if (stored !== undefined) await storage.confirm(key, stored);
  }

  /** Appends an entry after the end; undefined when the change must be decided again on the ledger as it is now. */
  async #append(end: End, next: Entry, operation: LedgerOperation): Promise<Posted | undefined> {
    const text = serializeItem(next);
    const outcome = await this.#stream.append(versionOf(end), next, end.last?.text, text);
    if (outcome === "appended") {
      this.#end = { last: { item: next, text }, generation: end.generation };
      return { entry: next, replayed: false };
    }
    // A conflict: another writer was first, unless the reply to our own write was lost. Then the operation is ours.
    const stored = outcome === "conflict" ? await this.#stream.stored(next.id) : undefined;
    if (stored === undefined) {
      // A gap or a failover: the entry that ours was to follow is lost.
      this.#end = undefined;
      return undefined;
    }
    if (this.#checked(stored.item, next.id).operation.id === operation.id) {
      return { entry: await this.#confirmed(stored, operation), replayed: operation.origin !== undefined };
    }
    this.#deps.observer?.conflicted();
    return undefined;
  }

  /** An entry that was read, if it is the one that was written. */
  #checked(found: Entry | undefined, version: number): Entry {
    const corrupt = (reason: string): CorruptionError =>
      new CorruptionError(printKey(entryKey(this.#user, version)), reason);
    if (found === undefined) throw corrupt("the entry is missing");
    const { hash, ...fields } = found;
    if (hash !== hashEntry(fields)) throw corrupt("its hash does not fit its fields");
    if (found.id !== version) throw corrupt(`it says that it is entry ${found.id}`);
    if (found.user_id !== this.#user) throw corrupt(`it says that it belongs to ${found.user_id}`);
    return found;
  }
}
