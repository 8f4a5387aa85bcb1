import { setImmediate } from "node:timers/promises";
import { BoundedLru } from "../runtime/cache/bounded-lru.ts";
import { createKeyedMutex } from "../runtime/keyed-mutex.ts";
import type { EntryCache } from "./entry-store.ts";
import { type LedgerDeps, type PostResult, type Posting, UserLedger } from "./user-ledger.ts";

/** The ledgers of all users: one append-only stream per user, one entry per change. */
export type Ledger = ReturnType<typeof createLedger>;

const REMEMBERED = 20_000; // Users whose ledger head is cached.
const REMEMBERED_ENTRIES = 10_000; // Cached entries of all users: some 10 MB.

/** @throws CorruptionError from every method, when an entry is damaged
 * @example
 * const ledger = createLedger({ storage, clock: systemClock, quotaRules: createQuotaRules("+08:00") });
 * const { entry } = await ledger.post("alice", {
 *   operation: { id: "key:1", request: { delta: 5 }, origin: { in: "header", path: "Idempotency-Key" } },
 *   command: { type: "adjust", delta: 5, reason: "welcome", actor: "ops" },
 *   ref_id: "req-1",
 *   lang: "en",
 * });
 * entry.account.balance; // 5, also when it is posted again */
export function createLedger(given: Omit<LedgerDeps, "monotonic"> & Partial<Pick<LedgerDeps, "monotonic">>) {
  const deps: LedgerDeps = { monotonic: () => performance.now(), ...given };
  const cache: EntryCache = new BoundedLru(REMEMBERED_ENTRIES);
  const ledgers = new BoundedLru<UserLedger>(REMEMBERED, { memoMethod: (user) => new UserLedger(user, deps, cache) });
  const ledgerOf = (user: string): UserLedger => ledgers.memo(user);
  const mutex = createKeyedMutex();
  const indexing = new Map<string, Promise<void>>();

  /** Runs steps under a mutex per user in this process. It only avoids conflicts: the storage's append is atomic. */
  async function withLock<T>(user: string, steps: (ledger: UserLedger) => Promise<T>): Promise<T> {
    try {
      return await mutex(user, () => steps(ledgerOf(user)));
    } finally {
      indexLater(user);
    }
  }

  /** Indexes the last operation after its caller has been answered, so that the next change does not have to. */
  function indexLater(user: string): void {
    if (indexing.has(user) || ledgerOf(user).isIndexed()) return;
    const index = (): Promise<boolean> => mutex(user, () => ledgerOf(user).index());
    const done = (): void => void indexing.delete(user); // If it failed, the next change retries and reports it.
    indexing.set(user, setImmediate().then(index).then(done, done));
  }

  return {
    /** The ledger with every entry that was acknowledged before the call, by any process. Calls in one turn of the
     * event loop share one read of the head, which starts after the turn. */
    open: (user: string) => ledgerOf(user).openShared(),
    /** Decides and appends one entry, or returns the one that an earlier attempt of the operation appended.
     * @throws AnpError 1005, 1009 or 422 when the rules refuse; 422 for an operation id that was used for another
     * request; 503, with nothing written, when other processes keep appending first
     * @throws TypeError for a client's operation id that cannot be part of a storage key */
    async post(user: string, posting: Posting): Promise<PostResult> {
      const since = deps.monotonic();
      return (await withLock(user, (ledger) => ledger.post(posting, undefined, since)))!;
    },
    withLock,
    /** Waits for the index writes that follow answered changes. */
    settled: async (): Promise<void> => void (await Promise.all(indexing.values())),
    /** The entries from number `from` to number `to`, both included, oldest first, as far as they exist. */
    read: (user: string, from: number, to: number, cached?: boolean) => ledgerOf(user).entries.read(from, to, cached),
    entries: (user: string) => ledgerOf(user).entries.all(), // All entries, oldest first, in flat memory.
  };
}
