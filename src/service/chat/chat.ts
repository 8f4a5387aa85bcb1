import type { Subscriptions } from "../../accounts/subscriptions.ts";
import type { Answer } from "../../assistant/assistant.ts";
import type { Message } from "../../assistant/sessions/messages.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Ids } from "../../runtime/ids.ts";
import { ledgerOperationOf, userOf, type OperationHandler } from "../operation.ts";
import type { UserStates } from "../user-state.ts";
import { admit, charge } from "./admission.ts";
import { answerQuestion, type AnswerDeps } from "./answer-question.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { deliver, deliverAgain, type DeliveryDeps } from "./delivery.ts";
import { chargeFor } from "./price.ts";
import { readQuestion, type Question } from "./question.ts";

/** The dependencies of the chat. */
export interface ChatDeps extends AnswerDeps, DeliveryDeps {
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly userStates: UserStates;
  readonly subscriptions: Subscriptions;
}

/** Where a question meets the ledger: read, admit, answer, store, charge once, then deliver. */
export function createChat(deps: ChatDeps): OperationHandler<"sendChat"> {
  const { clock, ids, ledger, messages } = deps;
  const inFlight = new PendingAnswers();

  /** To be stored before the charge, so that a charge never lacks its answer. */
  function draftOf({ user, body, research }: Question, reply: Answer, started: number) {
    return {
      user_id: user,
      question: body.question,
      answer: reply.text,
      route: research ?? reply.routing.route,
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
      const admitted = await admit(deps, user, { operation, cost: question.price, answer });
      if ("before" in admitted) return await deliverAgain(messages, admitted.before);
      const reply = await answerQuestion(deps, question, admitted, call.signal);
      const message = await messages.create(draftOf(question, reply, started), body.session_id);
      const posting = {
        operation,
        command: {
          type: "chat_cost",
          cost: chargeFor(question.price, reply),
          quota: admitted.quota,
          ...detailsOf(message),
        } as const,
        ref_id: call.request_id,
        lang: question.routing.lang,
      };
      const { entry, replayed } = await charge(ledger, user, posting, answer);
      return await (replayed ? deliverAgain(messages, entry) : deliver(deps, message, entry, reply.routing));
    } finally {
      answer.end();
    }
  };
}

function detailsOf({ message_id, session_id, route, sub_intent }: Message) {
  return { message_id, session_id, route, sub_intent };
}
