import { refuseErased } from "../accounts/users.ts";
import type { Subscriptions } from "../accounts/subscriptions.ts";
import type { OperationInput } from "../contract/endpoints.ts";
import { AnpError } from "../contract/errors.ts";
import type { LedgerCommand } from "../ledger/points-rules.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerOperation } from "../ledger/ledger-idempotency.ts";
import type { PostResult } from "../ledger/user-ledger.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Config } from "../config/config-schema.ts";
import { ledgerOperationOf, userOf, type Call, type OperationHandler } from "./operation.ts";
import type { UserState, UserStates } from "./user-state.ts";

/** An operator's change of a user's points. */
type Adjusting = Pick<Call, "request_id"> & Readonly<Record<"user" | "reason" | "actor", string>>;
type Adjustment = Adjusting & Pick<Call, "idempotency_key"> & { readonly delta: number };
type Reversal = Adjusting & { readonly entry: number; readonly partial: boolean };

/** The operation that reverses an entry: its id makes it happen once, whichever operators ask. */
export function reversalOf(entry: number): LedgerOperation {
  return { id: `reversal:${entry}`, request: { type: "reversal", entry }, origin: { in: "path", path: "entry" } };
}

type AccountReadId = "getMe" | "getPoints" | "getLedger" | "getSubscription";
export type AccountOperationId = AccountReadId | "exchangePoints" | "postTradeReward";

type PointsDeps = { config: Config; ids: Ids; ledger: Ledger; userStates: UserStates; subscriptions: Subscriptions };

export function createPoints(deps: PointsDeps) {
  const { ids, ledger, userStates, subscriptions } = deps;
  const me = answerOf(({ profile, ledger: { account }, quotaState }) => {
    return { user_id: profile.user_id, balance_points: account.balance, ...quotaState };
  });
  const points = answerOf(({ ledger: { account }, quotaState }) => {
    const { balance, total_earned, total_spent } = account;
    return { balance, total_earned, total_spent, ...quotaState };
  });
  const operations: { readonly [K in AccountOperationId]: OperationHandler<K> } = {
    getMe: async (call) => me(await userStates.of(userOf(call))),
    getPoints: async (call) => points(await userStates.of(userOf(call))),
    async getLedger(call, { query: { page, page_size } }) {
      const { entries, total } = await (await ledger.open(userOf(call))).page(page, page_size);
      const items = entries.map(({ id, delta, type, description, ref_id, created_at }) => {
        return { id, delta, type, description, ref_id, created_at };
      });
      return { data: { items, total, page, page_size } };
    },
    exchangePoints: (call, { body }) => exchange(deps, call, body),
    postTradeReward: (call, { body }) => reward(deps, call, body),
    getSubscription: async (call) => ({ data: await subscriptions.get(userOf(call)) }),
  };
  return {
    operations,
    /** @param adjustment.delta points, not 0
     * @throws AnpError 404 unknown user, 1005 too few points */
    adjust({ user, delta, reason, actor, ...call }: Adjustment): Promise<PostResult> {
      const operation = ledgerOperationOf(call, ids, { type: "adjust", delta, reason });
      const command = { type: "adjust", delta, reason, actor } as const;
      return post(deps, user, { operation, command, ref_id: call.request_id });
    },
    /** Reverses an entry at most once, by an entry that names it; a repeat returns the first result.
     * @param reversal.partial whether to take only the balance when it is less than what the entry gave
     * @throws AnpError 404 unknown user or entry, 1005 too few points, 1009 when it moved none or is a reversal */
    async reverse({ user, entry: reverses, reason, actor, partial, request_id }: Reversal): Promise<PostResult> {
      await userStates.profileOf(user);
      const [entry] = await ledger.read(user, reverses, reverses);
      if (entry === undefined) throw new AnpError(404, `${user} has no entry ${reverses}.`);
      const { delta, details } = entry;
      if (delta === 0) throw new AnpError(1009, `Entry ${reverses} moved no points.`);
      if (details.type === "adjust" && details.reverses !== undefined)
        throw new AnpError(1009, `Entry ${reverses} is a reversal of entry ${details.reverses} itself.`);
      const command = { type: "adjust", delta: -delta, reason, actor, reverses, partial } as const;
      return post(deps, user, { operation: reversalOf(reverses), command, ref_id: request_id });
    },
  };
}

/** Caches the answer by state object; it is frozen, so that it is serialized once. */
function answerOf<T extends object>(make: (state: UserState) => T): (state: UserState) => { readonly data: T } {
  const answers = new WeakMap<UserState, { readonly data: T }>();
  return (state) => {
    const answer = answers.get(state) ?? { data: Object.freeze(make(state)) };
    answers.set(state, answer);
    return answer;
  };
}

type Body<K extends AccountOperationId> = OperationInput<K>["body"];

async function exchange(deps: PointsDeps, call: Call, { token_amount }: Body<"exchangePoints">) {
  const { rate, max_amount } = deps.config.exchange;
  const operation = ledgerOperationOf(call, deps.ids, { type: "exchange", token_amount });
  const command: LedgerCommand = { type: "exchange", token_amount, rate, max_amount };
  const { entry, replayed } = await post(deps, userOf(call), { operation, command, ref_id: call.request_id });
  const { delta: points_earned, account, details } = entry;
  const exchange_rate = details.type === "exchange" ? details.exchange_rate : rate;
  return { data: { token_amount, points_earned, balance_after: account.balance, exchange_rate }, replayed };
}

async function reward(deps: PointsDeps, call: Call, { ref_id, trade_type, volume_usd }: Body<"postTradeReward">) {
  const request = { type: "trade_reward", trade_type, volume_usd };
  const operation: LedgerOperation = { id: `reward:${ref_id}`, request, origin: { in: "body", path: "ref_id" } };
  const { max_volume_usd, [trade_type]: rate } = deps.config.trade_reward;
  const command: LedgerCommand = { type: "trade_reward", trade_type, volume_usd, rate, max_volume_usd };
  const { entry, replayed } = await post(deps, userOf(call), { operation, command, ref_id });
  return { data: { points_earned: entry.delta, ref_id }, replayed };
}

type Posting = Omit<Parameters<Ledger["post"]>[1], "lang">; // Its description is in the user's language.

async function post({ ledger, userStates }: PointsDeps, user: string, posting: Posting): Promise<PostResult> {
  const profile = await userStates.profileOf(user);
  if (posting.command.type !== "adjust") refuseErased(profile);
  return ledger.post(user, { ...posting, lang: profile.lang });
}
