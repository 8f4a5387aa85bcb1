import type { Subscriptions } from "../../accounts/subscriptions.ts";
import type { Answer, QuestionKind } from "../../assistant/assistant.ts";
import { AnpError } from "../../contract/errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Ids } from "../../runtime/ids.ts";
import { createWindowCounter } from "../../runtime/window-counter.ts";
import { ledgerOperationOf, userOf, type OperationHandler } from "../operation.ts";
import type { UserStates } from "../user-state.ts";
import { admit, charge, type Prices } from "./admission.ts";
import { answerQuestion, type AnswerDeps } from "./answer-question.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { deliver, deliverAgain, type DeliveryDeps } from "./delivery.ts";
import { readQuestion, RESEARCH, type Question } from "./question.ts";

/** The dependencies of the chat. */
export interface ChatDeps extends AnswerDeps, DeliveryDeps {
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly userStates: UserStates;
  readonly subscriptions: Subscriptions;
}

/**
 * Questions of a user who cannot pay, in a window: whether one is free is known only once it was computed. Beyond them it is
 * refused without that.
 */
const MOST_UNPAID = 20;
const UNPAID_WINDOW_MS = 60_000;

/** Where a question meets the ledger: read, admit, answer, store, charge once, then deliver. */
export function createChat(deps: ChatDeps): OperationHandler<"sendChat"> {
  const { assistant, clock, ids, knowledge, ledger, messages } = deps;
  const { account, small_talk, advanced_research, default: other } = deps.config.costs;
  const prices: Prices = { account, small_talk, advanced_research, other };
  const wait_ms = deps.config.limits.wait_ms || Infinity;
  const unpaid = createWindowCounter(UNPAID_WINDOW_MS);
  const inFlight = new PendingAnswers();

  /** To be stored before the charge, so that a charge never lacks its answer. */
  function draftOf({ user, body }: Question, kind: QuestionKind, reply: Answer, started: number) {
    return {
      user_id: user,
      question: body.question,
      answer: reply.text,
      route: kind === RESEARCH ? kind : reply.routing.route,
      sub_intent: reply.routing.sub_intent,
      source_items: reply.sources,
      model_name: reply.model_name,
      latency_ms: Math.max(0, clock.now() - started),
    };
  }

  return async (call, { body }) => {
    const user = userOf(call);
    const operation = ledgerOperationOf(call, ids, { type: "chat", ...body });
    const answer = await inFlight.begin(user, operation.id);
    try {
      const started = clock.now();
      const question = await readQuestion(deps, user, body);
      const admitted = await admit(deps, user, { operation, prices, answer });
      if ("before" in admitted) return await deliverAgain(messages, admitted.before);
      const { state, refused } = admitted;
      if (refused.includes("other") && unpaid(user).times > MOST_UNPAID) throw new AnpError(1005);
      await knowledge.ready();
      const prepared = await assistant.prepare(
        { ...question.asked, refused },
        { caller: user, wait_ms, ...(call.signal && { signal: call.signal }) },
      );
      const { kind, routing } = prepared;
      if (refused.includes(kind) || !answer.reserve(state.funds, prices[kind])) throw new AnpError(1005);
      const reply = await answerQuestion(deps, question, prepared, state, call.signal);
      const message = await messages.create(draftOf(question, kind, reply, started), body.session_id);
      const { message_id, session_id, route, sub_intent } = message;
      const details = { message_id, session_id, route, sub_intent };
      const posting = {
        operation,
        command: {
          type: "chat_cost",
          // Nothing unless we are sure of it, and no free use either.
          cost: reply.outcome === "answered" ? prices[kind] : 0,
          quota: state.quota,
          ...details,
        } as const,
        ref_id: call.request_id,
        lang: routing.lang,
      };
      const { entry, replayed } = await charge(ledger, user, posting, answer);
      return await (replayed ? deliverAgain(messages, entry) : deliver(deps, message, entry, reply));
    } finally {
      answer.end();
    }
  };
}
