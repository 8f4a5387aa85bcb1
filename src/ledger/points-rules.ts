import { Decimal as DecimalJs } from "decimal.js";
import type { QuotaRules } from "../accounts/quota-rules.ts";
import { LIMITS } from "../contract/field-bounds.ts";
import type { Account, EntryDetails } from "./entry.ts";

// 17 digits of a double times 16 of a rate: 60 are more than any product needs, so nothing is rounded before floor.
const Decimal = DecimalJs.clone({ precision: 60 });

type DetailsOf<T extends EntryDetails["type"]> = Extract<EntryDetails, { type: T }>;

/** A requested change of a user's points: the details of its entry, and its rates and limits. Amounts are points unless
 * stated otherwise: `token_amount` is units of the platform token, `volume_usd` the traded volume in USD. */
export type LedgerCommand =
  | (Omit<DetailsOf<"chat_cost">, "free"> & {
      readonly cost: number; // Points to charge when no free use is left; 0 charges neither points nor a free use.
      readonly quota: number; // Free uses per day.
    })
  | (Omit<DetailsOf<"exchange">, "exchange_rate"> & {
      readonly rate: number; // Points per unit of the token.
      readonly max_amount: number; // Most units of the token in one exchange.
    })
  | (DetailsOf<"trade_reward"> & {
      readonly rate: number; // Points per USD.
      readonly max_volume_usd: number; // Largest rewarded volume in USD.
    })
  | (DetailsOf<"adjust"> & {
      readonly delta: number;
      readonly partial?: boolean; // Whether to take only the balance when that is less than `-delta`.
    });

/** A change that the rules allow: the account after it, and the details of its entry. */
export type Change = { readonly delta: number; readonly account: Account; readonly details: EntryDetails };

/** Why a command is refused: 1005 too few points, 1009 a bad business request, 422 a field over its bound. */
export type LedgerRefusal =
  | { readonly code: 1005 | 1009; readonly message: string }
  | { readonly code: 422; readonly field: string; readonly message: string };

type Decision = Change | LedgerRefusal;

/** floor(amount × rate), exact: both numbers are read in their shortest decimal form, so 0.29 × 100 is 29. */
export const pointsFor = (amount: number, rate: number): number => new Decimal(amount).mul(rate).floor().toNumber();

/** The rules of the ledger, as one pure function of the account, the command and the instant.
 * @param now milliseconds since the Unix epoch */
export function decideChange(account: Account, command: LedgerCommand, now: number, quotaRules: QuotaRules): Decision {
  switch (command.type) {
    case "chat_cost":
      return chargeChat(account, command, now, quotaRules);
    case "exchange": {
      const { token_amount, rate, max_amount } = command;
      if (token_amount > max_amount)
        return { code: 1009, message: `token_amount ${token_amount} is over the largest exchange of ${max_amount}.` };
      const earned = pointsFor(token_amount, rate);
      if (earned < 1)
        return { code: 1009, message: `token_amount ${token_amount} earns less than 1 point at rate ${rate}.` };
      return earn(account, earned, { type: "exchange", token_amount, exchange_rate: rate });
    }
    case "trade_reward": {
      const { trade_type, volume_usd, max_volume_usd, rate } = command;
      if (volume_usd > max_volume_usd)
        return { code: 422, field: "volume_usd", message: `must be at most ${max_volume_usd}` };
      const change = earn(account, pointsFor(volume_usd, rate), { type: "trade_reward", trade_type, volume_usd });
      return "code" in change ? { ...change, code: 422, field: "volume_usd" } : change; // A reward has no 1009.
    }
    case "adjust": {
      const { delta, reason, actor, reverses, partial = false } = command;
      const details: EntryDetails = { type: "adjust", reason, actor, ...(reverses !== undefined && { reverses }) };
      if (delta >= 0) return earn(account, delta, details);
      return spend(account, partial && account.balance > 0 ? Math.min(-delta, account.balance) : -delta, details);
    }
  }
}

type ChatCost = Extract<LedgerCommand, { type: "chat_cost" }>;

function chargeChat(account: Account, command: ChatCost, now: number, quotaRules: QuotaRules): Decision {
  const { cost, quota, message_id, session_id, route, sub_intent } = command;
  const details = { type: "chat_cost" as const, message_id, session_id, route, sub_intent, free: false };
  if (cost === 0) return { delta: 0, account, details };
  const use = { day: account.free_day, used: account.free_used };
  const { free_daily_used, remaining_free_quota } = quotaRules.stateOf(use, quota, now);
  if (remaining_free_quota > 0) {
    const free_day = quotaRules.dayOf(now, account.free_day);
    const free = { ...account, free_day, free_used: free_daily_used + 1 };
    return { delta: 0, account: free, details: { ...details, free: true } };
  }
  return spend(account, cost, details);
}

function earn(account: Account, points: number, details: EntryDetails): Decision {
  const total_earned = account.total_earned + points;
  // The balance never exceeds the total earned, so one bound limits both.
  if (!(total_earned <= LIMITS.integer))
    return { code: 1009, message: `${points} more points would pass the largest total of ${LIMITS.integer}.` };
  return { delta: points, account: { ...account, balance: account.balance + points, total_earned }, details };
}

function spend(account: Account, points: number, details: EntryDetails): Decision {
  if (points > account.balance)
    return { code: 1005, message: `Insufficient points: ${points} needed, ${account.balance} left.` };
  const after = { ...account, balance: account.balance - points, total_spent: account.total_spent + points };
  return { delta: -points, account: after, details };
}
