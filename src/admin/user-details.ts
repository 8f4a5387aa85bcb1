import type { QuotaState } from "../accounts/quota-rules.ts";
import type { AccountsService } from "../service/accounts-service.ts";

/** A user's settings, points, quota and plan, as operators see them. */
export interface UserDetails extends QuotaState {
  readonly user_id: string;
  readonly lang: string;
  readonly created_at: string;
  readonly balance: number;
  readonly total_earned: number;
  readonly total_spent: number;
  readonly entries: number;
  readonly plan: string;
  readonly subscription: string;
}

/** @throws AnpError 404 for a user who is not known */
export async function userDetails(service: AccountsService, user: string): Promise<UserDetails> {
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
