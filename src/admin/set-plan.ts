import type { AccountsService } from "../service/accounts-service.ts";

/** Sets a user's plan and when it expires. An active subscription to the same plan keeps its start.
 * @param expires_at ms since the epoch; when left out the plan does not expire */
export async function setPlan(
  { subscriptions, clock }: Pick<AccountsService, "subscriptions" | "clock">,
  user: string,
  plan: string,
  expires_at: number | undefined,
): Promise<void> {
  const before = await subscriptions.get(user);
  const start = before.plan === plan && before.is_active ? before.started_at : null;
  const started_at = start === null ? clock.now() : Date.parse(start);
  await subscriptions.set(user, plan, { started_at, expires_at });
}
