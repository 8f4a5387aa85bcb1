import type { Made } from "./check-history.ts";
import { createReach, type Placed } from "./check-order.ts";
import { operationName, type Call } from "./history.ts";
import { apply, freeLeft, TERMS, type State } from "./model.ts";

/** What the ledger and the calls showed, to hold the rest against. */
export interface Shown {
  readonly calls: readonly Call[];
  readonly made: ReadonlyMap<string, Made>;
  readonly placed: readonly Placed[];
  /** The state after each entry; the first is the state before any. */
  readonly states: readonly State[];
  /** Free uses a day. */
  readonly quota: number;
}

/** Refusals, and readings of the account, against the states that they may have met. */
export function checkAgainstStates(shown: Shown): string[] {
  const { calls, placed, states } = shown;
  const wrong: string[] = [];
  const reach = createReach(placed);
  for (const call of calls) {
    const { asked, from, to, answer } = call;
    const { kind } = asked.request;
    let fits: (state: State, place: number) => boolean;
    let what: string;
    if (answer?.status === "refused") {
      const { code } = answer;
      if (kind === "points" || kind === "ledger") {
        wrong.push(`${asked.request_id}: a reading was refused with ${code}`);
        continue;
      }
      if (code === 422) continue;
      if (code === 1007 && kind === "chat") continue; // It took too long on a busy machine, whatever the account.
      what = `${code} fits no state`;
      fits = (state, place) => refuses(shown, call, code, state, place);
    } else if (answer?.status === "done" && kind === "points") {
      what = "the account was never as it was shown";
      fits = (state) => shows(answer.data, state);
    } else continue;
    const { earliest, latest } = reach(from, to);
    const met = states.slice(earliest, latest + 1);
    if (!met.some((state, step) => fits(state, earliest + step))) {
      wrong.push(`${asked.request_id}: ${what} between entries ${earliest} and ${Math.min(latest, states.length - 1)}`);
    }
  }
  return wrong;
}

/** Whether the account, as it was shown, is that of the state; the quota may have been shown of a day without a use. */
function shows(data: Readonly<Record<string, unknown>>, state: State): boolean {
  const { balance, total_earned, total_spent, free_daily_used } = data;
  return (
    balance === state.balance &&
    total_earned === state.earned &&
    total_spent === state.spent &&
    (free_daily_used === state.used || free_daily_used === 0)
  );
}

function refuses(shown: Shown, call: Call, code: number, state: State, place: number): boolean {
  const { request } = call.asked;
  return call.clock.some((now) => {
    if (apply(state, request, shown.quota, now) === code) return true;
    if (request.kind !== "chat" || code !== 1005) return false;
    const means = freeLeft(state, shown.quota, now) + state.balance;
    return means < TERMS.chatCost * (1 + inFlight(shown, call, place));
  });
}

/**
 * The other chats that the server may have had in flight, not yet charged at that place: they are admitted first. One
 * that turned out to be a repeat was in flight, too, while another server charged it.
 */
function inFlight({ calls, made }: Shown, call: Call, place: number): number {
  const charged = ({ asked, answer }: Call): boolean =>
    answer?.status === "done" && !answer.replayed && (made.get(operationName(asked)!)?.entry.id ?? Infinity) <= place;
  return calls.filter(
    (other) =>
      other.asked.request.kind === "chat" &&
      other !== call &&
      other.server === call.server &&
      other.from <= call.to &&
      other.to >= call.from &&
      !charged(other),
  ).length;
}
