import { setImmediate } from "node:timers/promises";
import { BoundedLru } from "../runtime/cache/bounded-lru.ts";
import { createKeyedMutex } from "../runtime/keyed-mutex.ts";
import type { EntryCache } from "./entry-store.ts";
import { type LedgerDeps, type Posted, type Posting, UserLedger } from "./user-ledger.ts";

/** The ledgers of all users: one append-only stream a user, one entry a change. */
export type Ledger = ReturnType<typeof createLedger>;

const REMEMBERED = 20_000; // Users whose ledger's end is remembered.
const REMEMBERED_ENTRIES = 10_000; // Entries that are remembered, of all users: some 10 MB.

/** @throws CorruptionError from every method, when an entry is not what was written
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
  const inTurn = createKeyedMutex();
  const indexing = new Map<string, Promise<void>>();

  /** Runs steps that no other posting of this process interrupts: fewer conflicts; what keeps ledgers right is storage. */
  async function withLock<T>(user: string, steps: (ledger: UserLedger) => Promise<T>): Promise<T> {
    try {
      return await inTurn(user, () => steps(ledgerOf(user)));
    } finally {
      indexLater(user);
    }
  }

  /** Indexes the last operation when its caller has been answered, so that the next change need not. */
  function indexLater(user: string): void {
    if (indexing.has(user) || ledgerOf(user).isIndexed()) return;
    const index = (): Promise<boolean> => inTurn(user, () => ledgerOf(user).index());
    const done = (): void => void indexing.delete(user); // Where it failed, the next change does it and reports that.
    indexing.set(user, setImmediate().then(index).then(done, done));
  }

  return {
    /** With every entry that was answered before the call, whichever process made it. Callers of one turn of the event
     * loop share a look at the end, which begins when all of them have asked. */
    open: (user: string) => ledgerOf(user).openShared(),
    /** Decides and appends one entry, or finds the one the operation made before.
     * @throws AnpError 1005, 1009 as the rules refuse; 422 for an operation id used for another request; 503, with
     * nothing done, where other processes always append first
     * @throws TypeError for an operation id from outside that cannot be part of a storage key */
    async post(user: string, posting: Posting): Promise<Posted> {
      const since = deps.monotonic();
      return (await withLock(user, (ledger) => ledger.post(posting, undefined, since)))!;
    },
    withLock,
    /** Waits for what follows the answers to changes. */
    settled: async (): Promise<void> => void (await Promise.all(indexing.values())),
    /** The entries from number `from` to number `to`, both included, oldest first, as far as they exist. */
    read: (user: string, from: number, to: number) => ledgerOf(user).entries.read(from, to),
    /** All entries, oldest first, in flat memory. */
    entries: (user: string) => ledgerOf(user).entries.all(),
  };
}
