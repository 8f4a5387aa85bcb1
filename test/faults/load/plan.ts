import type { Asked, Request } from "./history.ts";
import { seeded, type Seeded } from "./seeded.ts";

/** How often each kind of request comes, relative to the others. */
export type Mix = Readonly<Partial<Record<Request["kind"], number>>>;

/** Everything, with as many repeats and refusals as successes. */
export const MIXED: Mix = { chat: 8, exchange: 2, trade_reward: 1, adjust: 2, points: 1, ledger: 1 };

/** What a run of requests is made from. */
export interface PlanOptions {
  readonly seed: number;
  /** Tells this run from others of the same users and seed; keys are shared by the clients of one run. */
  readonly run: string;
  readonly client: number;
  readonly users: readonly string[];
  readonly mix: Mix;
  /** A question that costs one use. */
  readonly question: string;
}

/** Clients near the same step draw from as many keys. */
const KEYS_AT_HAND = 6;
/** Steps that share their keys. */
const STEPS_A_POOL = 8;

/**
 * The endless requests of one client. Half come with a key from a small pool that all clients share, so the same
 * operation arrives at several servers at once, and again later; a key now and then comes with another request.
 */
export function* planOf(options: PlanOptions): Generator<Asked, never> {
  const { seed, run, client, users, mix, question } = options;
  const choice = seeded(seed, run, "client", client);
  const kinds = Object.entries(mix).flatMap(([kind, times]) => Array<Request["kind"]>(times).fill(kind as never));
  for (let step = 0; ; step++) {
    const user = choice.pick(users);
    const request_id = `${run}-${client}-${step}`;
    const shared = `${run}.${Math.floor(step / STEPS_A_POOL) * KEYS_AT_HAND + choice.below(KEYS_AT_HAND)}`;
    const kind = choice.pick(kinds);
    if (kind === "points" || kind === "ledger") {
      yield { user, request_id, request: { kind } };
    } else if (kind === "trade_reward" || choice.chance(0.5)) {
      // What a key asks for follows from the key, unless it is misused.
      const source = choice.chance(0.03) ? choice : seeded(seed, user, kind, shared);
      const request = requestOf(kind, source, question, shared);
      yield { user, request_id, request, ...(kind === "trade_reward" ? {} : { key: `${kind}.${shared}` }) };
    } else {
      yield { user, request_id, request: requestOf(kind, choice, question, shared) };
    }
  }
}

function requestOf(
  kind: Exclude<Request["kind"], "points" | "ledger">,
  source: Seeded,
  question: string,
  ref: string,
): Request {
  switch (kind) {
    case "chat":
      return { kind, question, ...(source.chance(0.5) ? { session_id: 1 + source.below(3) } : {}) };
    case "exchange":
      // 0.05 of a token is half a point: refused.
      return { kind, token_amount: source.pick([0.05, 0.1, 0.15, 0.29]) };
    case "trade_reward":
      return { kind, trade_type: source.pick(["spot", "futures"]), volume_usd: 1 + source.below(300), ref_id: ref };
    case "adjust":
      return { kind, delta: source.pick([-5, -3, -2, 1, 2]), reason: `correction ${source.below(3)}` };
  }
}
