import type { Request } from "./history.ts";

const DAY_MS = 86_400_000;
const OFFSET_MS = 8 * 3_600_000;

/** The terms that the servers under test work on. Points, and points a unit of the token. */
export const TERMS = { chatCost: 1, exchangeRate: 10, spotDivisor: 100, futuresDivisor: 200 };

/** What a user has, by the rules of the interface alone. */
export interface State {
  readonly balance: number;
  readonly earned: number;
  readonly spent: number;
  /** Day number of the last free use at +08:00, -1 before the first. */
  readonly day: number;
  readonly used: number;
}

export const NOTHING: State = { balance: 0, earned: 0, spent: 0, day: -1, used: 0 };

/** A change that the rules allow. */
export interface Allowed {
  readonly state: State;
  readonly delta: number;
  readonly free: boolean;
}

/** The quota day of an instant: the day at +08:00, but none before one already begun. */
function dayOf(now: number, last: number): number {
  return Math.max(last, Math.floor((now + OFFSET_MS) / DAY_MS));
}

/** Free uses left. @param quota free uses a day @param now ms since the epoch */
export function freeLeft(state: State, quota: number, now: number): number {
  return Math.max(0, quota - (dayOf(now, state.day) === state.day ? state.used : 0));
}

/**
 * The rules once more, written apart from the product's: what the request does to the state, or the code of its
 * refusal. Amounts are whole cents, so integers are exact.
 */
export function apply(state: State, request: Request, quota: number, now: number): Allowed | number {
  const move = (delta: number): Allowed | number => {
    if (delta < 0 && -delta > state.balance) return 1005;
    const earned = state.earned + Math.max(0, delta);
    const spent = state.spent + Math.max(0, -delta);
    return { state: { ...state, balance: state.balance + delta, earned, spent }, delta, free: false };
  };
  switch (request.kind) {
    case "chat": {
      if (freeLeft(state, quota, now) === 0) return move(-TERMS.chatCost);
      const day = dayOf(now, state.day);
      const used = day === state.day ? state.used + 1 : 1;
      return { state: { ...state, day, used }, delta: 0, free: true };
    }
    case "exchange": {
      const points = Math.floor((Math.round(request.token_amount * 100) * TERMS.exchangeRate) / 100);
      return points < 1 ? 1009 : move(points);
    }
    case "trade_reward": {
      const divisor = request.trade_type === "spot" ? TERMS.spotDivisor : TERMS.futuresDivisor;
      return move(Math.floor(request.volume_usd / divisor));
    }
    case "adjust":
      return move(request.delta);
    case "points":
    case "ledger":
      throw new Error(`${request.kind} changes nothing`);
  }
}
