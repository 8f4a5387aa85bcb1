import type { QuestionKind } from "../../assistant/assistant.ts";
import type { Entry } from "../../ledger/entry.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerOperation } from "../../ledger/idempotency.ts";
import type { Posted, Posting } from "../../ledger/posting.ts";
import type { UserState, UserStates } from "../user-state.ts";
import type { PendingAnswer } from "./pending-answers.ts";

// Both steps hold the ledger's lock, so that what is charged is not counted as in flight too. It is not held while
// an answer is created: a user's questions are answered concurrently.

/** Points that a sure answer costs by kind. A free use pays first: see `decideChange` of the ledger. */
export type Prices = Readonly<Record<QuestionKind, number>>;

/** A question that may be answered. */
export interface Admitted {
  readonly state: UserState;
  /** The kinds of question that the user cannot pay for beside what is in flight. */
  readonly refused: readonly QuestionKind[];
}

/** Admits a question before it is known what it is, or finds the entry that its operation made before. */
export function admit(
  { ledger, userStates }: { ledger: Ledger; userStates: UserStates },
  user: string,
  { operation, prices, answer }: { operation: LedgerOperation; prices: Prices; answer: PendingAnswer },
): Promise<Admitted | { readonly before: Entry }> {
  return ledger.withLock(user, async (locked) => {
    const state = await userStates.of(user, locked);
    const before = await state.ledger.find(operation);
    if (before !== undefined) return { before };
    const kinds = Object.keys(prices) as QuestionKind[];
    const refused = kinds.filter((kind) => !answer.reserve(state.funds, prices[kind]));
    // Most questions are of this kind: the others in flight are not computed on the same points.
    answer.reserve(state.funds, prices.other);
    return { state, refused };
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
