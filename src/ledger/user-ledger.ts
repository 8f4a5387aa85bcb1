import { setImmediate } from "node:timers/promises";
import type { QuotaRules } from "../accounts/quota-rules.ts";
import { AnpError, invalid } from "../contract/errors.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";
import { type Clock, toIso } from "../runtime/clock.ts";
import type { NewValue, Storage } from "../storage/storage.ts";
import { describeEntry } from "./describe-entry.ts";
import { EMPTY_ACCOUNT, type Entry, entryKey, genesisHash, hashEntry } from "./entry.ts";
import { type EntryCache, EntryStore, type LedgerEnd, type StoredEntry } from "./entry-store.ts";
import { acknowledge, checkOperation, findOperation, indexOperation, requestHash } from "./ledger-idempotency.ts";
import type { LedgerOperation } from "./ledger-idempotency.ts";
import { decideChange, type Change, type LedgerCommand } from "./points-rules.ts";

/** Receives ledger events, for metrics. Its methods are cheap and never throw. */
export interface LedgerObserver {
  posted(entry: Entry): void;
  conflicted(): void; // Another writer appended first, and the change was decided again.
}

export interface LedgerDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly quotaRules: QuotaRules;
  readonly observer?: LedgerObserver;
  readonly monotonic: () => number; // A monotonic clock in ms.
}

/** How long a posting is retried, ms: a process that appends without pause always wins against one that must read. */
const MAX_POST_MS = 30_000;
const CONTENDED = "Other processes change this user's ledger without a pause. Nothing was done.";
/** A user's ledger up to the entry that was the last one when it was opened. */
export type OpenLedger = ReturnType<typeof openAt>;

function openAt(end: LedgerEnd, entries: EntryStore) {
  const total = versionOf(end);
  return {
    end,
    version: total, // Number of the last entry, 0 when there is none.
    account: end.last?.item.account ?? EMPTY_ACCOUNT,
    last: end.last?.item,
    /** The entry that the operation appended, if any. @throws AnpError 422 when the id was used for another request */
    find: (operation: LedgerOperation) => findOperation(entries, operation, end),
    /** Entries newest first; a page past the end is empty. */
    page: async (page: number, pageSize: number) => {
      const to = total - (page - 1) * pageSize;
      return { entries: to < 1 ? [] : (await entries.read(to - pageSize + 1, to)).reverse(), total };
    },
  };
}

const versionOf = ({ last }: LedgerEnd): number => last?.item.id ?? 0;

/** The ledger of one user. It caches the head, so that a posting does not have to look it up. */
export class UserLedger {
  readonly #deps: LedgerDeps;
  readonly entries: EntryStore;
  #end: LedgerEnd | undefined;
  #indexed: StoredEntry | undefined; // The last entry whose operation this process has seen in the index.
  #shared: Promise<OpenLedger> | undefined; // A read of the head that is scheduled and has not started.
  #opened: OpenLedger | undefined;

  constructor(user: string, deps: LedgerDeps, cache: EntryCache) {
    this.#deps = deps;
    this.entries = new EntryStore(deps.storage, user, cache);
  }

  /** As `open`, but all calls before the read starts share it. A storage in memory is read at once. */
  openShared(): Promise<OpenLedger> {
    if (!this.#deps.storage.durable) return this.open();
    return (this.#shared ??= setImmediate().then(() => {
      this.#shared = undefined;
      return this.open();
    }));
  }

  /** Reads the head once, for all calls on the result: the same object while the head is unchanged. */
  async open(): Promise<OpenLedger> {
    const end = await this.#readEnd();
    if (this.#opened?.end !== end) this.#opened = openAt(end, this.entries);
    return this.#opened;
  }

  /** Must be called with the user's lock held.
   * @param first a value that is stored before the entry becomes visible, and only if one is appended
   * @param since when the caller began to wait for the lock, by the monotonic clock
   * @returns undefined, with nothing written, when the key of `first` has another value */
  async post(posting: Posting, first?: NewValue, since = this.#deps.monotonic()): Promise<PostResult | undefined> {
    const { clock, quotaRules, observer } = this.#deps;
    const { operation, command } = posting;
    checkOperation(this.entries, operation);
    // First on the cached head: the append detects a newer entry, and a refusal is decided again on the current head.
    for (let known = this.#remembered(); ; known = undefined) {
      const end = known ?? (await this.#readEnd());
      const before = await findOperation(this.entries, operation, end);
      if (before !== undefined) return { entry: before, replayed: true };

      const now = clock.now();
      const last = end.last?.item;
      const change = decideChange(last?.account ?? EMPTY_ACCOUNT, command, now, quotaRules);
      if ("code" in change) {
        if (known !== undefined) continue;
        if (change.code === 422) throw invalid([{ in: "body", path: change.field, message: change.message }]);
        throw new AnpError(change.code, change.message);
      }
      const next = entryAfter(last, this.entries.user, posting, change, now);
      const posted = (await this.index(end.last)) ? await this.#append(end, next, operation, first) : this.#dropCache();
      if (posted === "taken") return undefined;
      if (posted === undefined && this.#deps.monotonic() - since > MAX_POST_MS) throw new AnpError(503, CONTENDED);
      if (posted === undefined) continue;
      if (!posted.replayed) observer?.posted(posted.entry);
      return posted;
    }
  }

  isIndexed(): boolean {
    const last = this.#remembered()?.last;
    return last === this.#indexed || last?.item.operation.repeatable !== true;
  }

  /** Makes sure that the operation of the last entry is indexed: see {@link indexOperation}. */
  async index(last: StoredEntry | undefined = this.#remembered()?.last): Promise<boolean> {
    if (last !== undefined && last === this.#indexed) return true;
    const isIndexed = await indexOperation(this.entries, last);
    if (isIndexed) this.#indexed = last;
    return isIndexed;
  }

  #remembered(): LedgerEnd | undefined {
    return this.#end?.generation === this.#deps.storage.generation() ? this.#end : undefined;
  }

  /** Reads the current head. The cached one is where the search starts: the storage is asked for a newer entry. */
  async #readEnd(): Promise<LedgerEnd> {
    const { storage } = this.#deps;
    const generation = storage.generation();
    const known = this.#remembered();
    const version = await this.entries.head(known && versionOf(known));
    if (known !== undefined && versionOf(known) === version && storage.generation() === generation) return known;
    if (version === 0) await storage.verify(entryKey(this.entries.user, 1)); // An emptied storage has no ledger at all.
    const last = version === 0 ? undefined : await this.entries.at(version);
    if (last === undefined && storage.generation() !== generation) return this.#readEnd();
    if (last === undefined && version > 0) throw this.entries.missing(version);
    this.#end = { last, generation };
    return this.#end;
  }

  /** Drops the cached head and entries: the entry that ours should have followed is lost. */
  #dropCache(): PostResult | undefined {
    this.entries.forget();
    return (this.#end = undefined);
  }

  /** Appends an entry after the end; undefined when the change must be decided again on the current head. */
  async #append(end: LedgerEnd, next: Entry, operation: LedgerOperation, first: NewValue | undefined) {
    const { outcome, stored: own } = await this.entries.append(end.last, next, first);
    if (outcome === "taken") return outcome;
    if (outcome === "created") {
      this.#end = { last: own, generation: end.generation };
      return { entry: next, replayed: false };
    }
    // A conflict: another writer was first, unless the reply to our own write was lost. Then the operation is ours.
    const stored = outcome === "conflict" ? await this.entries.at(next.id) : undefined;
    if (stored === undefined) return this.#dropCache(); // A gap or a failover.
    if (stored.item.operation.id === operation.id)
      return { entry: await acknowledge(this.entries, stored, operation), replayed: operation.origin !== undefined };
    this.#deps.observer?.conflicted();
    return undefined;
  }
}

/** A change to post: its operation and command, and further fields of its entry. */
export type Posting = Readonly<{ operation: LedgerOperation; command: LedgerCommand; ref_id: string; lang: Language }>;
/** The entry of a posting, and whether an earlier request made it. */
export type PostResult = { readonly entry: Entry; readonly replayed: boolean };

function entryAfter(last: Entry | undefined, user: string, posting: Posting, change: Change, now: number): Entry {
  const { operation, command, ref_id, lang } = posting;
  const fields: Omit<Entry, "hash"> = {
    id: (last?.id ?? 0) + 1,
    user_id: user,
    type: command.type,
    delta: change.delta,
    description: describeEntry(change, lang),
    ref_id,
    created_at: toIso(now),
    operation: { id: operation.id, request: requestHash(operation), repeatable: operation.origin !== undefined },
    details: change.details,
    account: change.account,
    prev: last?.hash ?? genesisHash(user),
  };
  return { ...fields, hash: hashEntry(fields) };
}
