import { z } from "zod";
import { LIMITS } from "../field-bounds.ts";
import { count, named, positiveInt, text, timestamp, limitSchema } from "./shared-fields.ts";
import TEXTS from "./amount-texts.json" with { type: "json" };

const amount = z.number().gt(0);

const quotaFields = {
  free_daily_quota: count.meta({ description: "Free uses per day" }),
  free_daily_used: count.meta({ description: "Free uses consumed today" }),
  remaining_free_quota: count.meta({ description: "Free uses left today" }),
  next_reset_at: timestamp.meta({ description: "Next reset of the free quota, in the quota's time zone" }),
};

const balance = count.meta({ description: "Points balance" });
export const quotaProfile = named("QuotaProfile", { user_id: z.string(), balance_points: balance, ...quotaFields });

export const pointsAccount = named("PointsAccount", {
  balance,
  total_earned: count.meta({ description: "Cumulative points earned, with what corrections gave; it never falls" }),
  total_spent: count.meta({ description: "Cumulative points spent, with what corrections took; it never falls" }),
  ...quotaFields,
});

export const entryType = z.enum(["chat_cost", "exchange", "trade_reward", "adjust"]);

const ledgerEntry = named("LedgerEntry", {
  id: positiveInt.meta({ description: "Number of the entry in the user's ledger: 1, 2, 3 … without gaps" }),
  delta: z.int().meta({ description: "Signed change in points" }),
  type: entryType,
  description: z.string(),
  ref_id: z.string().meta({ description: "Identifier of the related request" }),
  created_at: timestamp,
});

export const ledgerQuery = z.object({ page: positiveInt.default(1), page_size: limitSchema(100, 20) });

export const ledgerPage = named("LedgerPage", {
  items: z.array(ledgerEntry).meta({ description: "Newest first" }),
  total: count,
  page: positiveInt,
  page_size: z.int().min(1).max(100),
});

export const exchangeBody = z.object({ token_amount: amount.meta({ description: TEXTS.token_amount }) });

export const exchangeResult = named("ExchangeResult", {
  token_amount: z.number().meta({ description: "The amount of the request" }),
  points_earned: positiveInt,
  balance_after: count,
  exchange_rate: positiveInt.meta({ description: "Points per unit of the token" }),
});

export const tradeRewardBody = z.object({
  trade_type: z.enum(["spot", "futures"]),
  volume_usd: amount.meta({ description: TEXTS.volume_usd }),
  ref_id: text(LIMITS.refId).meta({ description: "Deduplication id: a repeated one returns the first result" }),
});

export const tradeReward = named("TradeReward", {
  points_earned: count.meta({ description: "Points of the reward" }),
  ref_id: z.string(),
});

export const subscription = named("Subscription", {
  status: z.enum(["free", "active", "expired"]),
  plan: z.string(),
  started_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  features: z.record(z.string(), z.boolean()).meta({ description: "Whether each feature, by name, is enabled" }),
  is_active: z.boolean(),
});
