import { feedbackOf } from "../events/projections/user-feedback.ts";
import type { Entry } from "../ledger/entry.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { readMessages } from "../assistant/sessions/messages.ts";
import { isFreeUse, toLedgerRow } from "./ledger-reader.ts";
import { toTokenRow } from "./token-state.ts";

/** Most questions, entries and feedback events in an overview. */
const MOST_LISTED = 5;
/** How many of the last entries are searched for charged questions. */
const ENTRIES_SEARCHED = 50;
const FEEDBACK_DAYS = 7;

/** What support needs to know of a user. */
export type UserOverview = Awaited<ReturnType<typeof userOverview>>;

/** A question that a user paid for, with points or with a free use; `entry` is the number of the entry that charged it. */
export type ChargedQuestion = UserOverview["last_questions"][number];

/**
 * Reads what support needs to know of a user, each list newest first.
 *
 * @throws AnpError 404 for a user who is not known
 * @example
 * const { details, last_questions } = await userOverview(service, "alice");
 */
export async function userOverview(service: AccountsService, user: string) {
  const { storage, clock } = service;
  const now = clock.now();
  const details = await userDetails(service, user);
  const [{ features }, { entries }, tokens, feedback] = await Promise.all([
    service.subscriptions.get(user),
    service.ledger.open(user).then((ledger) => ledger.page(1, ENTRIES_SEARCHED)),
    service.tokens.list(user),
    feedbackOf(storage, user, { now, days: FEEDBACK_DAYS, most: MOST_LISTED }),
  ]);
  return {
    details,
    features,
    tokens: tokens.map((token) => toTokenRow(token, now)).reverse(),
    last_questions: await chargedQuestions(service, entries),
    last_entries: entries.slice(0, MOST_LISTED).map(toLedgerRow),
    feedback,
  };
}

/**
 * A user's settings, points, quota and plan, as operators see them.
 *
 * @throws AnpError 404 for a user who is not known
 */
export async function userDetails(service: AccountsService, user: string) {
  const [{ profile, ledger, quotaState }, subscription] = await Promise.all([
    service.userStates.of(user),
    service.subscriptions.get(user),
  ]);
  const { lang, created_at } = profile;
  const { balance, total_earned, total_spent } = ledger.account;
  const points = { balance, total_earned, total_spent, entries: ledger.version };
  const { plan, status } = subscription;
  return { user_id: user, lang, created_at, ...points, ...quotaState, plan, subscription: status };
}

async function chargedQuestions({ storage }: AccountsService, entries: readonly Entry[]) {
  const charges = new Map<number, Entry>();
  for (const entry of entries) {
    if (entry.details.type === "chat_cost" && charges.size < MOST_LISTED) charges.set(entry.details.message_id, entry);
  }
  const messages = await readMessages(storage, [...charges.keys()]);
  return messages.map(({ message_id, created_at, question, route, sub_intent }) => {
    const entry = charges.get(message_id)!;
    const { id, delta, ref_id } = entry;
    const charge = { entry: id, points_cost: -delta || 0, free_use: isFreeUse(entry), ref_id };
    return { message_id, created_at, question, route, sub_intent, ...charge };
  });
}
