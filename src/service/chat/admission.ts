import { AnpError } from "../../contract/errors.ts";
import type { Entry } from "../../ledger/entry.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerOperation } from "../../ledger/idempotency.ts";
import type { Posted, Posting } from "../../ledger/posting.ts";
import type { UserState, UserStates } from "../user-state.ts";
import type { PendingAnswer } from "./pending-answers.ts";

// Both steps hold the ledger's lock, so that what is charged is not counted as in flight too. It is not held while
// an answer is created: a user's questions are answered concurrently.

/**
 * Admits a question at `cost` points, or finds the entry that its operation made before.
 *
 * @throws AnpError 1005 when what the user has is too little beside what is in flight
 */
export function admit(
  { ledger, userStates }: { ledger: Ledger; userStates: UserStates },
  user: string,
  { operation, cost, answer }: { operation: LedgerOperation; cost: number; answer: PendingAnswer },
): Promise<UserState | { readonly before: Entry }> {
  return ledger.withLock(user, async (locked) => {
    const state = await userStates.of(user, locked);
    const before = await state.ledger.find(operation);
    if (before !== undefined) return { before };
    if (!answer.reserve(state.funds, cost)) throw new AnpError(1005);
    return state;
  });
}

/**
 * Charges for an answer.
 *
 * @throws AnpError 1005 when another process charged first and left too little
 */
export function charge(ledger: Ledger, user: string, posting: Posting, answer: PendingAnswer): Promise<Posted> {
  return ledger.withLock(user, async (locked) => {
    try {
      return await locked.post(posting);
    } finally {
      answer.release();
    }
  });
}
