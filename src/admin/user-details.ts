import type { AccountsService } from "../service/accounts-service.ts";

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
  const { balance, total_earned, total_spent } = ledger.account;
  return {
    user_id: user,
    lang: profile.lang,
    created_at: profile.created_at,
    balance,
    total_earned,
    total_spent,
    entries: ledger.version,
    ...quotaState,
    plan: subscription.plan,
    subscription: subscription.status,
  };
}
