import { BoundedLru } from "../runtime/bounded-lru.ts";
import { createKeyedMutex } from "../runtime/keyed-mutex.ts";
import { type Posting, UserLedger, type LedgerDeps } from "./user-ledger.ts";

/** The ledgers of all users: one append-only stream a user, one entry a change. */
export type Ledger = ReturnType<typeof createLedger>;

/** Users whose ledger's end is remembered. */
const REMEMBERED = 20_000;

/**
 * @throws CorruptionError from every method, when an entry is not what was written
 * @example
 * const ledger = createLedger({ storage, clock: systemClock, quotaRules: createQuotaRules("+08:00") });
 * const { entry } = await ledger.post("alice", {
 *   operation: { id: "key:1", request: { delta: 5 }, origin: { in: "header", path: "Idempotency-Key" } },
 *   command: { type: "adjust", delta: 5, reason: "welcome", actor: "ops" },
 *   ref_id: "req-1",
 *   lang: "en",
 * });
 * entry.account.balance; // 5, also when it is posted again
 */
export function createLedger(deps: LedgerDeps) {
  const ledgers = new BoundedLru<UserLedger>(REMEMBERED, { memoMethod: (user) => new UserLedger(user, deps) });
  const ledgerOf = (user: string): UserLedger => ledgers.memo(user);
  const inTurn = createKeyedMutex();

  /**
   * Runs steps that belong together: no posting and no other such steps of this process work on the user's ledger
   * meanwhile. It spares the writers of one process conflicts with each other; what keeps ledgers right is the storage.
   */
  function withLock<T>(user: string, steps: (ledger: Pick<UserLedger, "open" | "post">) => Promise<T>): Promise<T> {
    return inTurn(user, () => steps(ledgerOf(user)));
  }

  return {
    /** The user's ledger as it is now. */
    open: (user: string) => ledgerOf(user).open(),
    /**
     * Decides and appends one entry, or finds the one the operation made before.
     *
     * @throws AnpError 1005, 1009 as the rules refuse; 422 for an operation id used for another request
     * @throws TypeError for an operation id from outside that cannot be part of a storage key
     */
    post: (user: string, posting: Posting) => withLock(user, (ledger) => ledger.post(posting)),
    withLock,
    /** The entries from number `from` to number `to`, both included, oldest first, as far as they exist. */
    read: (user: string, from: number, to: number) => ledgerOf(user).read(from, to),
    /** All entries, oldest first, in flat memory. */
    entries: (user: string) => ledgerOf(user).entries(),
  };
}
