import { AnpError } from "../../contract/errors.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Answer, AnswerRequest } from "../answer.ts";
import type { ModelGateway } from "../model.ts";
import type { Lang, Passage } from "../passage.ts";
import type { PassageIndex } from "../retrieval/passage-index.ts";
import { rankSentences } from "../retrieval/sentence-ranking.ts";
import { findEvidence } from "./evidence.ts";
import type { SearchedRoute } from "./evidence.ts";
import { chooseSentences, composeExtract } from "./extraction.ts";
import type { Extract } from "./extraction.ts";
import { isGrounded } from "./grounding.ts";
import { isOf, listHeadlines, newest } from "./headlines.ts";
import { answerMarket } from "./market-answer.ts";
import { wordAnswer } from "./model-answer.ts";
import { LEADS, REPLIES, smallTalk } from "./replies.ts";

/** Answers questions from an index. */
export interface Answerer {
  answer(request: AnswerRequest, index: PassageIndex): Promise<Answer>;
}

/** The name of answers that no model worded. */
const LOCAL = "local-extractive";

const NOT_FOUND = {
  help: REPLIES.notFoundHelp,
  notice: REPLIES.notFoundNotice,
  news: REPLIES.notFoundNews,
  out_of_scope: REPLIES.outOfScope,
} as const satisfies Record<SearchedRoute, Readonly<Record<Lang, string>>>;

/** Support that an answer needs beyond the usual when the question seemed out of scope. */
const DOUBT = 0.3;
/** Headlines of a list. */
const HEADLINES = { narrow: 5, wide: 10 };

type Outcome = Omit<Answer, "routing">;

function reply(text: string, grounded: boolean): Outcome {
  return { text, sources: [], grounded, model_name: LOCAL };
}

function quote({ text, sources }: Extract): Outcome {
  return { text, sources, grounded: true, model_name: LOCAL };
}

/**
 * Answers by route. `grounded` is true when the question was answered: from sources, from the market's figures, or by
 * small talk that needs none.
 */
export function createAnswerer({ model, logger }: { model: ModelGateway | undefined; logger: Logger }): Answerer {
  /** The model's outcome; undefined when there is no model, or it failed and extraction is to take over. */
  async function tryModel(
    request: AnswerRequest,
    passages: readonly Passage[],
    index: PassageIndex,
    route: SearchedRoute,
  ): Promise<Outcome | undefined> {
    if (model === undefined || passages.length === 0) return undefined;
    try {
      const worded = await wordAnswer(model, request, passages, index);
      const outcome = worded === null ? reply(NOT_FOUND[route][request.routing.lang], false) : quote(worded);
      return { ...outcome, model_name: model.name };
    } catch (error) {
      if (model.fallback === "none" || !(error instanceof AnpError)) throw error;
      logger.warn({ model: model.name, cause: String(error.cause) }, "The model failed; answering by extraction");
      return undefined;
    }
  }

  async function answerFrom(route: SearchedRoute, request: AnswerRequest, index: PassageIndex): Promise<Outcome> {
    const { lang } = request.routing;
    const { query, hits } = findEvidence(request, index, route);
    if (route !== "out_of_scope") {
      const passages = hits.map((hit) => hit.passage);
      const worded = await tryModel(request, passages, index, route);
      if (worded !== undefined) return worded;
    }
    const ranked = rankSentences(query, hits, index);
    const [best] = ranked;
    if (best === undefined || !isGrounded(best, lang, route === "out_of_scope" ? DOUBT : 0)) {
      return reply(NOT_FOUND[route][lang], false);
    }
    return quote(composeExtract(chooseSentences(ranked, request.wide), lang));
  }

  async function listNewest(kind: "news" | "notice", request: AnswerRequest, index: PassageIndex): Promise<Outcome> {
    const { lang } = request.routing;
    const limit = request.wide ? HEADLINES.wide : HEADLINES.narrow;
    const items = newest(index, request.now, limit, isOf(kind, lang));
    if (items.length === 0) return reply(NOT_FOUND[kind][lang], false);
    const lead = kind === "news" ? LEADS.latestNews : LEADS.latestNotices;
    return (await tryModel(request, items, index, kind)) ?? quote(listHeadlines(items, lead[lang]));
  }

  function outcomeOf(request: AnswerRequest, index: PassageIndex): Promise<Outcome> | Outcome {
    const { route, sub_intent, lang } = request.routing;
    switch (route) {
      case "small_talk":
        return reply(smallTalk(sub_intent, lang), true);
      case "account":
        return reply(REPLIES.account[lang], true);
      case "market": {
        const { text, known } = answerMarket(sub_intent, request.market, lang, request.wide);
        return reply(text, known);
      }
      case "news":
      case "notice":
        return sub_intent === "latest" ? listNewest(route, request, index) : answerFrom(route, request, index);
      case "help":
        return answerFrom(route, request, index);
      case "out_of_scope":
        if (sub_intent === "investment_advice") return reply(REPLIES.investmentAdvice[lang], false);
        return answerFrom(route, request, index);
    }
  }

  return {
    async answer(request, index) {
      const outcome = await outcomeOf(request, index);
      // The passages know better than the classifier what is in scope.
      const inScope = request.routing.route === "out_of_scope" && outcome.sources.length > 0;
      const routing = inScope ? { ...request.routing, route: "help" as const, sub_intent: "general" } : request.routing;
      return { ...outcome, routing };
    },
  };
}
