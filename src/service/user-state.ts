import type { QuotaRules, QuotaState } from "../accounts/quota-rules.ts";
import type { UserProfile, Users } from "../accounts/users.ts";
import { AnpError } from "../contract/errors.ts";
import type { Ledger, LedgerState } from "../ledger/ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Funds } from "./chat/admission.ts";

/** What a user has right now: profile, account and quota of one reading. */
export interface UserState {
  readonly profile: UserProfile;
  readonly ledgerState: LedgerState;
  /** Free uses a day. */
  readonly quota: number;
  readonly quotaState: QuotaState;
  readonly means: Funds;
}

export interface UserStates {
  /** @throws AnpError 404 for a user who is not known */
  of(user: string): Promise<UserState>;
}

export function createUserStates(deps: {
  users: Users;
  ledger: Ledger;
  quotaRules: QuotaRules;
  clock: Clock;
  /** Free uses a day of a user who has no quota of their own. */
  defaultQuota: number;
}): UserStates {
  const { users, ledger, quotaRules, clock, defaultQuota } = deps;
  return {
    async of(user) {
      const profile = await users.get(user);
      if (profile === undefined) throw new AnpError(404, `User ${user} is not known.`);
      const ledgerState = await ledger.state(user);
      const { balance, free_day, free_used } = ledgerState.account;
      const quota = profile.free_daily_quota ?? defaultQuota;
      const quotaState = quotaRules.stateOf({ day: free_day, used: free_used }, quota, clock.now());
      return {
        profile,
        ledgerState,
        quota,
        quotaState,
        means: { free: quotaState.remaining_free_quota, points: balance },
      };
    },
  };
}
