import type { Logger } from "../../runtime/logger.ts";
import type { Answer, AnswerRequest } from "../answer.ts";
import type { ModelGateway } from "../model/model-gateway.ts";
import type { PassageIndex } from "../retrieval/passage-index.ts";
import { answerLatest } from "./latest-answer.ts";
import { answerMarket } from "./market-answer.ts";
import { answerFromPassages, reply } from "./passage-answer.ts";
import type { AnswerTask, Outcome } from "./passage-answer.ts";
import { REPLIES, smallTalk } from "./replies.ts";
import { scopeByEvidence } from "../routing/scope.ts";

/** Answers questions from an index. */
export interface Answerer {
  answer(request: AnswerRequest, index: PassageIndex): Promise<Answer>;
}

/**
 * Answers by route. `grounded` is true when the question was answered: from sources, from the market's figures, or by
 * small talk that needs none.
 */
export function createAnswerer({ model, logger }: { model: ModelGateway | undefined; logger: Logger }): Answerer {
  return {
    async answer(request, index) {
      const outcome = await answerByRoute({ request, index, model, logger });
      return { ...outcome, routing: scopeByEvidence(request.routing, outcome.sources) };
    },
  };
}

function answerByRoute(task: AnswerTask): Promise<Outcome> | Outcome {
  const { routing, market, wide } = task.request;
  const { route, sub_intent, lang } = routing;
  switch (route) {
    case "small_talk":
      return reply(smallTalk(sub_intent, lang), true);
    case "account":
      return reply(REPLIES.account[lang], true);
    case "market": {
      const { text, known } = answerMarket(sub_intent, market, lang, wide);
      return reply(text, known);
    }
    case "news":
    case "notice":
      return answerLatest(route, task);
    case "help":
      return answerFromPassages(route, task);
    case "out_of_scope":
      if (sub_intent === "investment_advice") return reply(REPLIES.investmentAdvice[lang], false);
      return answerFromPassages(route, task);
  }
}
