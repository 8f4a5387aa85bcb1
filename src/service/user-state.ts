import type { QuotaRules } from "../accounts/quota-rules.ts";
import type { UserProfile, Users } from "../accounts/users.ts";
import { UnknownUserError } from "../contract/errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenLedger } from "../ledger/user-ledger.ts";
import type { Clock } from "../runtime/clock.ts";

/** What a user can still pay with: free uses, then points. */
export type Funds = { readonly free: number; readonly points: number };
/** A user's current state: profile, ledger and quota (free uses per day), read together. */
export type UserState = Awaited<ReturnType<UserStates["of"]>>;
export type UserStates = ReturnType<typeof createUserStates>;

type UserStateDeps = { users: Users; ledger: Ledger; quotaRules: QuotaRules; clock: Clock; defaultQuota: number };

/** @param deps.defaultQuota free uses per day of a user without their own quota */
export function createUserStates(deps: UserStateDeps) {
  const { users, quotaRules, clock, defaultQuota } = deps;

  /** @throws AnpError 404 for a user who is not known */
  async function profileOf(user: string): Promise<UserProfile> {
    const profile = await users.get(user);
    if (profile === undefined) throw new UnknownUserError(user);
    return profile;
  }

  /** By opened ledger, which is the same object while nothing is appended. */
  const states = new WeakMap<OpenLedger, ReturnType<typeof stateOf> & { readonly day: string }>();

  function stateOf(profile: UserProfile, ledger: OpenLedger, now: number) {
    const { balance, free_day, free_used } = ledger.account;
    const quota = profile.free_daily_quota ?? defaultQuota;
    const quotaState = quotaRules.stateOf({ day: free_day, used: free_used }, quota, now);
    return { profile, ledger, quota, quotaState, funds: { free: quotaState.remaining_free_quota, points: balance } };
  }

  return {
    profileOf,
    /** The same object while profile, ledger and quota day are the same.
     * @param locked opens the user's ledger, for a caller who holds its lock
     * @throws AnpError 404 for a user who is not known */
    async of(user: string, locked?: { open(): Promise<OpenLedger> }) {
      const profile = users.known(user) ?? (await profileOf(user));
      const ledger = await (locked?.open() ?? deps.ledger.open(user));
      const now = clock.now();
      const day = quotaRules.dayOf(now, ledger.account.free_day);
      let state = states.get(ledger);
      if (state?.profile !== profile || state.day !== day) {
        state = { ...stateOf(profile, ledger, now), day };
        states.set(ledger, state);
      }
      return state;
    },
  };
}
