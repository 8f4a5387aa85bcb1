import { feedbackOf } from "../events/projections/user-feedback.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { chargedQuestions } from "./charged-questions.ts";
import { toLedgerRow } from "./ledger-reader.ts";

const MAX_LISTED = 5;
const ENTRIES_SEARCHED = 50;

/** Reads what support needs to know of a user, each list newest first. @throws AnpError 404 for an unknown user */
export async function userOverview(service: AccountsService, user: string) {
  const { storage, clock } = service;
  const details = await userDetails(service, user);
  const { erased } = await service.userStates.profileOf(user);
  const [{ features }, { entries }, tokens, feedback] = await Promise.all([
    service.subscriptions.get(user),
    service.ledger.open(user).then((ledger) => ledger.page(1, ENTRIES_SEARCHED)),
    service.tokens.list(user),
    feedbackOf(storage, user, { now: clock.now(), days: 7, limit: MAX_LISTED }),
  ]);
  return {
    details: { ...details, erased_at: erased?.at ?? null, is_erased: erased?.complete ?? null },
    features,
    tokens: tokens.reverse(),
    last_questions: await chargedQuestions(storage, entries, MAX_LISTED),
    last_entries: entries.slice(0, MAX_LISTED).map(toLedgerRow),
    feedback,
  };
}

/** A user's settings, points, quota and plan, as operators see them. @throws AnpError 404 for an unknown user */
export async function userDetails(service: AccountsService, user: string) {
  const [{ profile, ledger, quotaState }, { plan, status }] = await Promise.all([
    service.userStates.of(user),
    service.subscriptions.get(user),
  ]);
  const { lang, created_at } = profile;
  const { balance, total_earned, total_spent } = ledger.account;
  const points = { balance, total_earned, total_spent, entries: ledger.version };
  return { user_id: user, lang, created_at, ...points, ...quotaState, plan, subscription: status };
}
