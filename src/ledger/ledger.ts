import { LRUCache } from "lru-cache";
import type { QuotaRules } from "../accounts/quota-rules.ts";
import { AnpError, invalid, type FieldError } from "../contract/errors.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { printKey, readDocument } from "../storage/documents.ts";
import { CorruptionError } from "../storage/storage-errors.ts";
import { encodeKey } from "../storage/keys.ts";
import type { Storage } from "../storage/storage.ts";
import { openStream, serializeItem, type Stream } from "../storage/stream.ts";
import { canonicalJson, sha256 } from "../runtime/canonical-json.ts";
import { decide, type Change, type Command } from "./decide.ts";
import { EMPTY_ACCOUNT, entry, genesisHash, hashEntry, type Account, type Entry } from "./entry.ts";
import { entryKey, ledgerKey, operationKey, operationPointer } from "./ledger-keys.ts";
import { createKeyedMutex } from "../runtime/keyed-mutex.ts";

/** Identifies a change, so that asking for it again gives the first result instead of a second change. */
export interface Operation {
  /** Unique among the user's operations. */
  readonly id: string;
  /** What is asked for, as JSON values: the same id with another request is refused. */
  readonly request: unknown;
  /**
   * Where in a request the id came from; it may come again. Absent for an id the server just made: that is unique and
   * needs no index.
   */
  readonly origin?: Pick<FieldError, "in" | "path">;
}

/** A change as the caller asks for it. */
export interface Posting {
  readonly operation: Operation;
  readonly command: Command;
  readonly ref_id: string;
  /** Words for the entry, once the change is known. */
  describe(change: Change): string;
}

/** What a user's ledger stands at. */
export interface LedgerState {
  /** Number of the last entry, 0 when there is none. */
  readonly version: number;
  readonly account: Account;
}

/** The entry of a posting, and whether it was there before. */
export interface Posted {
  readonly entry: Entry;
  readonly replayed: boolean;
}

/** The ledgers of all users: one append-only stream a user, one entry a change. */
export interface Ledger {
  state(user: string): Promise<LedgerState>;
  /**
   * Decides and appends one entry, or finds the one the operation made before.
   *
   * @throws AnpError 1005, 1009 as the rules refuse; 422 for an operation id used for another request
   * @throws TypeError for an operation id from outside that cannot be part of a storage key
   */
  post(user: string, posting: Posting): Promise<Posted>;
  /**
   * The entry that the operation made, if it did.
   *
   * @throws AnpError 422 when the id was used for another request
   */
  find(user: string, operation: Operation): Promise<Entry | undefined>;
  /** Entries newest first; a page past the end is empty. */
  page(user: string, page: number, pageSize: number): Promise<{ entries: Entry[]; total: number }>;
  /** The entries from number `from` to number `to`, both included, oldest first, as far as they exist. */
  read(user: string, from: number, to: number): Promise<Entry[]>;
  /** All entries, oldest first, in flat memory. */
  entries(user: string): AsyncIterable<Entry>;
}

/** @throws CorruptionError from every method, when an entry is not what was written */
export function createLedger(deps: {
  storage: Storage;
  clock: Clock;
  quotaRules: QuotaRules;
  /** Told each time another writer was first. */
  onConflict?: () => void;
}): Ledger {
  const { storage, clock, quotaRules, onConflict } = deps;
  const heads = new LRUCache<string, Head>({ max: 20_000 });
  const inTurn = createKeyedMutex();

  const streamOf = (user: string): Stream<Entry> =>
    heads.get(user)?.stream ?? openStream(storage, ledgerKey(user), entry);

  /** What the ledger ended with when it was last seen, unless the storage may have lost entries since. */
  function remembered(user: string): Head | undefined {
    const known = heads.get(user);
    return known?.generation === storage.generation() ? known : undefined;
  }

  /** What the ledger ends with now: what is remembered saves the search, and the storage is asked for a newer entry. */
  async function head(user: string): Promise<Head> {
    const generation = storage.generation();
    const known = remembered(user);
    const stream = known?.stream ?? streamOf(user);
    const version = await stream.head(known?.version);
    if (known?.version === version && storage.generation() === generation) return known;
    const stored = version === 0 ? undefined : await stream.stored(version);
    if (stored === undefined && storage.generation() !== generation) return head(user);
    const last = version === 0 ? undefined : checked(stored?.item, user, version);
    const found = { stream, version, last, text: stored?.text, generation };
    heads.set(user, found);
    return found;
  }

  /** The entry that the operation made before, as safe as when it was acknowledged: perhaps it never was. */
  async function lookUp(user: string, operation: Operation, end: Head): Promise<Entry | undefined> {
    const { stream, last, text, generation } = end;
    if (last === undefined || text === undefined) return undefined;
    if (last.operation.id === operation.id) return made(stream, last, text, operation);
    if (operation.origin === undefined) return undefined;
    const pointer = await readDocument(storage, operationKey(user, operation.id), operationPointer);
    if (pointer === undefined) return undefined;
    const stored = await stream.stored(pointer.entry);
    if (stored === undefined && storage.generation() !== generation) return undefined;
    const found = checked(stored?.item, user, pointer.entry);
    if (found.operation.id === operation.id) return made(stream, found, stored!.text, operation);
    // To take it for a new operation would make the change once more.
    if (storage.generation() !== generation) return undefined;
    const name = printKey(operationKey(user, operation.id));
    throw new CorruptionError(name, `it leads to entry ${found.id}, which another operation made`);
  }

  async function made(stream: Stream<Entry>, found: Entry, text: string, operation: Operation): Promise<Entry> {
    sameRequest(found, operation);
    await storage.confirm(stream.keyOf(found.id), text);
    return found;
  }

  /**
   * Makes sure that an operation id that may come again leads to its entry, before any later entry is made. Where a
   * failover lost that entry, nothing may lead to whatever takes its number.
   */
  async function index({ stream, last, text }: Head): Promise<void> {
    if (last?.operation.repeatable !== true) return;
    const key = operationKey(last.user_id, last.operation.id);
    const after = { key: stream.keyOf(last.id), ...(text !== undefined && { value: text }) };
    if ((await storage.createAfter(key, JSON.stringify({ entry: last.id }), after)) === "created") return;
    // Somebody else's, who may have died before it was safe.
    const there = await storage.get(key);
    if (there !== undefined) await storage.confirm(key, there);
  }

  async function post(user: string, posting: Posting): Promise<Posted> {
    const { operation, command, ref_id } = posting;
    // The next writer indexes this id: one that no storage can spell must not get in, or nobody could write after it.
    if (operation.origin !== undefined) encodeKey(operationKey(user, operation.id));
    // The first try builds on what is remembered: the append finds out whether somebody was there since, and what is
    // refused is decided again on the ledger as it is now.
    for (let known = remembered(user); ; known = undefined) {
      const end = known ?? (await head(user));
      const { stream, version, last, text, generation } = end;
      // Every operation up to the entry before `last` is indexed, and `last` is at hand: nothing can be missed.
      const before = await lookUp(user, operation, end);
      if (before !== undefined) return { entry: before, replayed: true };

      const now = clock.now();
      const change = decide(last?.account ?? EMPTY_ACCOUNT, command, now, quotaRules);
      if ("code" in change) {
        if (known !== undefined) continue;
        throw new AnpError(change.code, change.message);
      }
      await index(end);

      const fields: Omit<Entry, "hash"> = {
        id: version + 1,
        user_id: user,
        type: command.type,
        delta: change.delta,
        description: posting.describe(change),
        ref_id,
        created_at: toIso(now),
        operation: {
          id: operation.id,
          request: requestHash(operation),
          repeatable: operation.origin !== undefined,
        },
        details: change.details,
        account: change.account,
        prev: last?.hash ?? genesisHash(user),
      };
      const next: Entry = { ...fields, hash: hashEntry(fields) };
      const spelled = serializeItem(next);
      const outcome = await stream.append(version, next, text, spelled);
      if (outcome === "appended") {
        heads.set(user, { stream, version: version + 1, last: next, text: spelled, generation });
        return { entry: next, replayed: false };
      }
      // A conflict: another writer was first, unless the reply to our own write was lost. Then the operation is ours.
      const stored = outcome === "conflict" ? await stream.stored(version + 1) : undefined;
      if (stored === undefined) {
        // A gap or a failover: the entry that ours was to follow is lost.
        heads.delete(user);
        continue;
      }
      const there = checked(stored.item, user, version + 1);
      if (there.operation.id === operation.id) {
        const entry = await made(stream, there, stored.text, operation);
        return { entry, replayed: operation.origin !== undefined };
      }
      onConflict?.();
    }
  }

  async function read(user: string, from: number, to: number): Promise<Entry[]> {
    const first = Math.max(1, from);
    const entries = await streamOf(user).read(first, to);
    return entries.map((item, index) => checked(item, user, first + index));
  }

  return {
    async state(user) {
      const { version, last } = await head(user);
      return { version, account: last?.account ?? EMPTY_ACCOUNT };
    },
    post: (user, posting) => inTurn(user, () => post(user, posting)),
    async find(user, operation) {
      return lookUp(user, operation, await head(user));
    },
    async page(user, page, pageSize) {
      const total = (await head(user)).version;
      const to = total - (page - 1) * pageSize;
      if (to < 1) return { entries: [], total };
      return { entries: (await read(user, to - pageSize + 1, to)).reverse(), total };
    },
    read,
    async *entries(user) {
      for await (const { version, item } of streamOf(user).items()) yield checked(item, user, version);
    },
  };
}

/** A ledger's stream and its end, as it was seen. */
interface Head {
  readonly stream: Stream<Entry>;
  /** Number of `last`, 0 when there is none. */
  readonly version: number;
  readonly last: Entry | undefined;
  /** `last` as it is stored. */
  readonly text: string | undefined;
  /** The storage's, when it was read. */
  readonly generation: number;
}

function requestHash(operation: Operation): string {
  return sha256(canonicalJson(operation.request));
}

function sameRequest(found: Entry, operation: Operation): Entry {
  if (found.operation.request === requestHash(operation)) return found;
  const origin = operation.origin ?? { in: "header", path: "Idempotency-Key" };
  throw invalid([{ ...origin, message: "was used for another request before" }]);
}

/** An entry that was read, if it is the one that was written. */
function checked(found: Entry | undefined, user: string, version: number): Entry {
  const corrupt = (message: string): CorruptionError => new CorruptionError(printKey(entryKey(user, version)), message);
  if (found === undefined) throw corrupt("the entry is missing");
  const { hash, ...fields } = found;
  if (hash !== hashEntry(fields)) throw corrupt("its hash does not fit its fields");
  if (found.id !== version) throw corrupt(`it says that it is entry ${found.id}`);
  if (found.user_id !== user) throw corrupt(`it says that it belongs to ${found.user_id}`);
  return found;
}
