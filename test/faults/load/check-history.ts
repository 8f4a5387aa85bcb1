import type { Entry } from "../../../src/ledger/entry.ts";
import { checkOrder, type Placed } from "./check-order.ts";
import { checkAgainstStates } from "./check-states.ts";
import { operationName, type Call, type Request } from "./history.ts";
import { apply, NOTHING, TERMS, type State } from "./model.ts";

/** An entry, the calls of its operation, and when it can have been made. */
export interface Made {
  readonly entry: Entry;
  readonly request: Request;
  readonly from: number;
  readonly to: number;
}

/**
 * Holds the calls of one user, by any number of clients on any number of servers, against the ledger they left:
 *
 * - every entry is what one operation that was asked for gives by the rules, at that place of the ledger;
 * - every operation that was answered has exactly one entry, every other at most one; each answer says what its entry
 *   says, and only one of an operation's answers is not a replay; once its entry was told, it is not refused any more;
 * - what was answered before something else was asked comes before it, in entries and in readings of the ledger;
 * - every refusal, and every reading of the account, fits some state between its question and its answer.
 *
 * @param quota free uses a day
 * @returns what is wrong, in words; empty when all is right
 */
export function checkHistory(entries: readonly Entry[], calls: readonly Call[], quota: number): string[] {
  const wrong: string[] = [];
  const named = new Map<string, Call[]>();
  for (const call of calls) {
    const name = operationName(call.asked);
    if (name !== undefined) named.set(name, [...(named.get(name) ?? []), call]);
  }

  const states: State[] = [NOTHING];
  const made = new Map<string, Made>();
  for (const [index, entry] of entries.entries()) {
    const before = states[index]!;
    const name = nameOf(entry);
    const say = (problem: string): void => void wrong.push(`entry ${entry.id} (${name}): ${problem}`);
    states.push({ ...before });
    if (entry.id !== index + 1) say(`is number ${index + 1}`);
    const asking = (named.get(name) ?? []).filter(({ asked }) => fits(asked.request, entry));
    if (asking.length === 0) {
      say("nobody asked for it");
      continue;
    }
    const earlier = made.get(name);
    if (earlier !== undefined) say(`doubles entry ${earlier.entry.id}`);
    const request = asking[0]!.asked.request;
    const expected = apply(before, request, quota, Date.parse(entry.created_at));
    if (typeof expected === "number") {
      say(`had to be refused with ${expected}`);
      continue;
    }
    states[index + 1] = expected.state;
    const { balance, total_earned, total_spent, free_used } = entry.account;
    const { state } = expected;
    const free = entry.details.type === "chat_cost" && entry.details.free;
    const found = [entry.delta, free, balance, total_earned, total_spent, free_used].join();
    const right = [expected.delta, expected.free, state.balance, state.earned, state.spent, state.used].join();
    if (found !== right) say(`holds ${found} instead of ${right}`);
    const at = Date.parse(entry.created_at);
    if (!asking.some(({ clock }) => clock[0] <= at && at <= clock[1]))
      say(`says that it was made at ${entry.created_at}`);
    if (earlier !== undefined) continue;
    // Both a result and "used for another request" say that the entry was there.
    const told = named.get(name)!.filter(({ answer }) => answer?.status === "done" || isRefusal(answer, 422));
    made.set(name, {
      entry,
      request,
      from: Math.min(...asking.map(({ from }) => from)),
      to: Math.min(...told.map(({ to }) => to)),
    });
  }

  const placed: Placed[] = [...made].map(([name, { entry, from, to }]) => ({ what: name, place: entry.id, from, to }));
  for (const [name, asked] of named) wrong.push(...checkAnswers(name, asked, made.get(name)));
  for (const call of calls) {
    if (call.asked.request.kind !== "ledger" || call.answer?.status !== "done") continue;
    const { total, items } = call.answer.data as { total: number; items: { id: number; delta: number }[] };
    const shown = items.map(({ id, delta }) => `${id}:${delta}`).join();
    const right = entries.slice(Math.max(0, total - items.length), total).reverse();
    if (total > entries.length || shown !== right.map(({ id, delta }) => `${id}:${delta}`).join()) {
      wrong.push(`${call.asked.request_id}: the ledger was shown as ${total} entries, ending with ${shown}`);
    }
    placed.push({ what: call.asked.request_id, place: total + 0.5, from: call.from, to: call.to });
  }
  wrong.push(...checkOrder(placed));
  wrong.push(...checkAgainstStates({ calls, made, placed, states, quota }));
  return wrong;
}

function nameOf(entry: Entry): string {
  return entry.operation.id.startsWith("call:") ? `call:${entry.ref_id}` : entry.operation.id;
}

/** Whether the entry is what the request asks for. */
function fits(request: Request, { details, delta }: Entry): boolean {
  switch (request.kind) {
    case "chat":
      // A session that is not named is a new one, called after its first message.
      return details.type === "chat_cost" && details.session_id === (request.session_id ?? details.message_id);
    case "exchange":
      return details.type === "exchange" && details.token_amount === request.token_amount;
    case "trade_reward":
      return (
        details.type === "trade_reward" &&
        details.trade_type === request.trade_type &&
        details.volume_usd === request.volume_usd
      );
    case "adjust":
      return details.type === "adjust" && delta === request.delta && details.reason === request.reason;
    case "points":
    case "ledger":
      return false;
  }
}

function isRefusal(answer: Call["answer"], code: number): boolean {
  return answer?.status === "refused" && answer.code === code;
}

/** The answers of one operation against its entry. */
function checkAnswers(name: string, calls: readonly Call[], made: Made | undefined): string[] {
  const wrong: string[] = [];
  const firsts = calls.filter(({ answer }) => answer?.status === "done" && !answer.replayed);
  if (firsts.length > 1) wrong.push(`${name}: ${firsts.length} answers say that they are the first`);
  for (const { asked, from, to, answer } of calls) {
    const say = (problem: string): void => void wrong.push(`${name} (${asked.request_id}): ${problem}`);
    if (answer?.status === "done") {
      if (made === undefined) say("was answered but has no entry");
      else if (!fits(asked.request, made.entry)) say(`was answered with entry ${made.entry.id} of another request`);
      else if (!tells(answer.data, made)) say(`its answer is not what entry ${made.entry.id} says`);
    } else if (isRefusal(answer, 422)) {
      if (made === undefined || fits(asked.request, made.entry)) say("was refused for an earlier request of its key");
      else if (made.from > to) say("was refused for a request that came later");
    } else if (answer?.status === "refused" && made !== undefined && made.to < from) {
      say(`was refused with ${answer.code} although entry ${made.entry.id} was there`);
    }
  }
  return wrong;
}

/** Whether an answer says what its entry says. */
function tells(data: Readonly<Record<string, unknown>>, { entry, request }: Made): boolean {
  const { account, delta, details } = entry;
  const right: Record<string, unknown> = (() => {
    switch (request.kind) {
      case "chat": {
        const { message_id, session_id } = details as Extract<Entry["details"], { type: "chat_cost" }>;
        return { message_id, session_id, points_cost: Math.max(0, -delta), credits_remaining: account.balance };
      }
      case "exchange":
        return {
          token_amount: request.token_amount,
          points_earned: delta,
          balance_after: account.balance,
          exchange_rate: TERMS.exchangeRate,
        };
      case "trade_reward":
        return { points_earned: delta, ref_id: request.ref_id };
      case "adjust":
        return { entry: entry.id, delta, balance: account.balance };
      case "points":
      case "ledger":
        return {};
    }
  })();
  return Object.entries(right).every(([field, value]) => data[field] === value);
}
