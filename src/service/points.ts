import type { Subscriptions } from "../accounts/subscriptions.ts";
import { AnpError } from "../contract/errors.ts";
import type { Entry } from "../ledger/entry.ts";
import type { Command } from "../ledger/decide.ts";
import type { Ledger, Operation, Posted } from "../ledger/ledger.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Config } from "../config/config-schema.ts";
import { describeEntry } from "../ledger/describe-entry.ts";
import { operationOf, userOf, type OperationHandler } from "./operation.ts";
import type { UserStates } from "./user-state.ts";

/** An operator's correction of a user's points. */
export interface Adjustment {
  readonly user: string;
  /** Points, not 0. */
  readonly delta: number;
  readonly reason: string;
  /** Who did it. */
  readonly actor: string;
  readonly request_id: string;
  readonly idempotency_key?: string;
}

/** The operations on a user's points. */
export interface Points {
  readonly getMe: OperationHandler<"getMe">;
  readonly getPoints: OperationHandler<"getPoints">;
  readonly getLedger: OperationHandler<"getLedger">;
  readonly exchangePoints: OperationHandler<"exchangePoints">;
  readonly postTradeReward: OperationHandler<"postTradeReward">;
  readonly getSubscription: OperationHandler<"getSubscription">;
  /** @throws AnpError 404 unknown user, 1005 when it would take more than there is */
  readonly adjust: (adjustment: Adjustment) => Promise<Posted>;
}

export function createPoints(deps: {
  config: Config;
  ids: Ids;
  ledger: Ledger;
  userStates: UserStates;
  subscriptions: Subscriptions;
}): Points {
  const { config, ids, ledger, userStates, subscriptions } = deps;

  async function post(user: string, operation: Operation, command: Command, ref_id: string): Promise<Posted> {
    const { profile } = await userStates.of(user);
    return ledger.post(user, {
      operation,
      command,
      ref_id,
      describe: (change) => describeEntry(change, profile.lang),
    });
  }

  return {
    async getMe(call) {
      const user = userOf(call);
      const { ledgerState, quotaState } = await userStates.of(user);
      return { data: { user_id: user, balance_points: ledgerState.account.balance, ...quotaState } };
    },
    async getPoints(call) {
      const { ledgerState, quotaState } = await userStates.of(userOf(call));
      const { balance, total_earned, total_spent } = ledgerState.account;
      return { data: { balance, total_earned, total_spent, ...quotaState } };
    },
    async getLedger(call, { query: { page, page_size } }) {
      const { entries, total } = await ledger.page(userOf(call), page, page_size);
      return { data: { items: entries.map(toItem), total, page, page_size } };
    },
    async exchangePoints(call, { body: { token_amount } }) {
      const { rate, max_amount } = config.exchange;
      const { entry, replayed } = await post(
        userOf(call),
        operationOf(call, ids, { type: "exchange", token_amount }),
        { type: "exchange", token_amount, rate, max_amount },
        call.request_id,
      );
      const exchange_rate = entry.details.type === "exchange" ? entry.details.exchange_rate : rate;
      return {
        data: { token_amount, points_earned: entry.delta, balance_after: entry.account.balance, exchange_rate },
        replayed,
      };
    },
    async postTradeReward(call, { body }) {
      const { ref_id, trade_type, volume_usd } = body;
      const operation: Operation = {
        id: `reward:${ref_id}`,
        request: { type: "trade_reward", trade_type, volume_usd },
        origin: { in: "body", path: "ref_id" },
      };
      const rate = config.trade_reward[trade_type];
      const { entry, replayed } = await post(
        userOf(call),
        operation,
        { type: "trade_reward", trade_type, volume_usd, rate },
        ref_id,
      ).catch((error: unknown) => {
        // The interface knows no business refusal here: what is no fault of the input is a 500.
        throw error instanceof AnpError && error.code === 1009
          ? new AnpError(500, error.message, { cause: error })
          : error;
      });
      return { data: { points_earned: entry.delta, ref_id }, replayed };
    },
    async getSubscription(call) {
      return { data: await subscriptions.get(userOf(call)) };
    },
    adjust({ user, delta, reason, actor, request_id, idempotency_key }) {
      const call = { request_id, ...(idempotency_key === undefined ? {} : { idempotency_key }) };
      const operation = operationOf(call, ids, { type: "adjust", delta, reason });
      return post(user, operation, { type: "adjust", delta, reason, actor }, request_id);
    },
  };
}

/** An entry as the interface shows it. */
export function toItem({ id, delta, type, description, ref_id, created_at }: Entry) {
  return { id, delta, type, description, ref_id, created_at };
}
