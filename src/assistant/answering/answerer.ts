import { AnpError } from "../../contract/errors.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Answer, AnswerRequest } from "../answer.ts";
import type { ModelGateway } from "../model.ts";
import type { Passage } from "../passage.ts";
import { isOfLang, toSourceItem } from "../passage.ts";
import type { Hit, PassageIndex } from "../retrieval/passage-index.ts";
import { hasContent, toQuery } from "../retrieval/query.ts";
import type { Query } from "../retrieval/query.ts";
import { rankSentences } from "../retrieval/sentence-ranking.ts";
import { isElliptical } from "../routing-rules.ts";
import { chooseSentences, composeExtract } from "./extraction.ts";
import type { Extract } from "./extraction.ts";
import { isGrounded } from "./grounding.ts";
import { isOf, listHeadlines, newest } from "./headlines.ts";
import { describeMood, listHotTopics } from "./market-answer.ts";
import { LEADS, REPLIES } from "./replies.ts";

export interface Answerer {
  answer(request: AnswerRequest, index: PassageIndex): Promise<Answer>;
}

const LOCAL = "local-extractive";

type Outcome = Omit<Answer, "routing">;

function reply(text: string, grounded: boolean): Outcome {
  return { text, sources: [], grounded, model_name: LOCAL };
}

function quote({ text, sources }: Extract): Outcome {
  return { text, sources, grounded: true, model_name: LOCAL };
}

/** Kinds of passages a route is answered from, with their prior. */
const PRIORS = {
  help: { help: 1, notice: 0.7, news: 0.4 },
  notice: { help: 0.6, notice: 1, news: 0.4 },
  news: { help: 0.2, notice: 0.5, news: 1 },
  out_of_scope: { help: 1, notice: 1, news: 1 },
} as const;

type Searched = keyof typeof PRIORS;

/** Passages that are looked at, and handed to a model. */
const BREADTH = { narrow: 6, wide: 14 };

/** Answers by route. */
export function createAnswerer({ model, logger }: { model: ModelGateway | undefined; logger: Logger }): Answerer {
  function queryOf(request: AnswerRequest): Query {
    const context: string[] = [];
    const previous = request.history.at(-1)?.question;
    if (previous !== undefined && isElliptical(request.question)) context.push(previous);
    if (request.token_symbol !== undefined) context.push(request.token_symbol);
    return toQuery(request.question, context);
  }

  function search(request: AnswerRequest, index: PassageIndex, query: Query, route: Searched): Hit[] {
    const { lang } = request.routing;
    const breadth = request.wide ? BREADTH.wide : BREADTH.narrow;
    const hits = index.search(query, breadth * 3, (passage) => isOfLang(passage.lang, lang));
    return hits
      .map((hit) => ({ ...hit, score: hit.score * PRIORS[route][hit.passage.kind] }))
      .sort((a, b) => b.score - a.score || a.number - b.number)
      .slice(0, breadth);
  }

  async function answerFromPassages(
    request: AnswerRequest,
    index: PassageIndex,
    route: Searched,
    notFound: () => Outcome,
  ): Promise<Outcome> {
    const query = index.respell(queryOf(request));
    const hits = search(request, index, query, route);
    if (model !== undefined && hits.length > 0 && route !== "out_of_scope") {
      try {
        return await answerByModel(model, request, hits);
      } catch (error) {
        if (model.fallback === "none" || !(error instanceof AnpError)) throw error;
        logger.warn({ model: model.name, cause: String(error.cause) }, "The model failed; answering by extraction");
      }
    }
    const ranked = rankSentences(query, hits, index);
    const best = ranked[0];
    if (best === undefined || !isGrounded(best, request.routing.lang, route === "out_of_scope" ? 0.3 : 0)) {
      return notFound();
    }
    const limits = request.wide ? { sentences: 8, share: 0.5 } : { sentences: 3, share: 0.7 };
    return quote(composeExtract(chooseSentences(ranked, limits), request.routing.lang));
  }

  async function answerByModel(gateway: ModelGateway, request: AnswerRequest, hits: readonly Hit[]): Promise<Outcome> {
    const { question, history, wide, signal, routing } = request;
    const answer = await gateway.generate({
      question,
      lang: routing.lang,
      history,
      passages: hits.map((hit) => hit.passage),
      wide,
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer === null || answer.cited.length === 0) {
      return { ...reply(REPLIES.notFoundHelp[routing.lang], false), model_name: gateway.name };
    }
    const sources = answer.cited.map((passage) => toSourceItem(passage, passage.title));
    return { text: answer.text, sources, grounded: true, model_name: gateway.name };
  }

  function listNewest(
    request: AnswerRequest,
    index: PassageIndex,
    kind: Passage["kind"],
    lead: { readonly zh: string; readonly en: string },
    notFound: string,
  ): Outcome {
    const { lang } = request.routing;
    const items = newest(index, request.now, request.wide ? 10 : 5, isOf(kind, lang));
    return items.length === 0 ? reply(notFound, false) : quote(listHeadlines(items, lead[lang]));
  }

  async function outcomeOf(request: AnswerRequest, index: PassageIndex): Promise<Outcome> {
    const { routing, market, wide } = request;
    const { route, sub_intent, lang } = routing;
    switch (route) {
      case "small_talk": {
        const wording = sub_intent in REPLIES ? REPLIES[sub_intent as "greeting"] : REPLIES.chat;
        return reply(wording[lang], true);
      }
      case "account":
        return reply(REPLIES.account[lang], true);
      case "market":
        if (sub_intent === "price") return reply(REPLIES.noPrices[lang], false);
        if (market === undefined) return reply(REPLIES.noMarketData[lang], false);
        if (sub_intent === "hot_topics") {
          if (market.hot.length === 0) return reply(REPLIES.noMarketData[lang], false);
          return reply(listHotTopics(market, lang, wide ? 10 : 5), true);
        }
        return reply(describeMood(market, lang), true);
      case "news":
        if (sub_intent === "latest" || !hasContent(request.question)) {
          return listNewest(request, index, "news", LEADS.latestNews, REPLIES.notFoundNews[lang]);
        }
        return answerFromPassages(request, index, "news", () => reply(REPLIES.notFoundNews[lang], false));
      case "notice":
        if (sub_intent === "latest") {
          return listNewest(request, index, "notice", LEADS.latestNotices, REPLIES.notFoundNotice[lang]);
        }
        return answerFromPassages(request, index, "notice", () => reply(REPLIES.notFoundNotice[lang], false));
      case "help":
        return answerFromPassages(request, index, "help", () => reply(REPLIES.notFoundHelp[lang], false));
      case "out_of_scope":
        if (sub_intent === "investment_advice") return reply(REPLIES.investmentAdvice[lang], false);
        return answerFromPassages(request, index, "out_of_scope", () => reply(REPLIES.outOfScope[lang], false));
    }
  }

  return {
    async answer(request, index) {
      const outcome = await outcomeOf(request, index);
      const answeredAfterAll = request.routing.route === "out_of_scope" && outcome.sources.length > 0;
      const routing = answeredAfterAll
        ? { ...request.routing, route: "help" as const, sub_intent: "general" }
        : request.routing;
      return { ...outcome, routing };
    },
  };
}
