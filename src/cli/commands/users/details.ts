import type { Service } from "../../../service/service.ts";

/** What an operator sees of a user. */
export async function detailsOf(service: Service, user: string): Promise<object> {
  const [{ profile, standing, quotaState }, subscription] = await Promise.all([
    service.standings.of(user),
    service.subscriptions.get(user),
  ]);
  const { balance, total_earned, total_spent } = standing.account;
  return {
    user_id: user,
    lang: profile.lang,
    created_at: profile.created_at,
    balance,
    total_earned,
    total_spent,
    entries: standing.version,
    ...quotaState,
    plan: subscription.plan,
    subscription: subscription.status,
  };
}
