import { AnpError } from "../../contract/errors.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Answer, AnswerRequest } from "../answer.ts";
import { assetsInQuestion } from "../../language/assets.ts";
import type { ModelGateway } from "../model/model-gateway.ts";
import type { Language } from "../../language/detect-language.ts";
import type { Passage } from "../passage.ts";
import type { PassageIndex } from "../retrieval/passage-index.ts";
import { rankSentences } from "../retrieval/sentence-ranking.ts";
import { findEvidence } from "./evidence.ts";
import type { Evidence, SearchedRoute } from "./evidence.ts";
import { extractAnswer, extractSections } from "./extraction.ts";
import type { Extract } from "./extraction.ts";
import { isGrounded } from "./grounding.ts";
import type { Trust } from "./grounding.ts";
import { isAbout, isAboutAsset, isOf, listHeadlines, listOpenings, newest } from "./headlines.ts";
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
} as const satisfies Record<SearchedRoute, Readonly<Record<Language, string>>>;

/** A router this sure of `help` is trusted that the question is one for the help center. */
const SURE = 0.8;
/** So sure must the router be of "the latest" to list it when the question has words that no item holds. */
const SURE_OF_LIST = 0.9;
/** Headlines of a list; notices of one kind, quoted by their first sentence. */
const HEADLINES = { narrow: 5, wide: 10 };
const OPENINGS = { narrow: 3, wide: 6 };

type Outcome = Omit<Answer, "routing">;

function reply(text: string, grounded: boolean): Outcome {
  return { text, sources: [], grounded, model_name: LOCAL };
}

function quote({ text, sources }: Extract): Outcome {
  return { text, sources, grounded: true, model_name: LOCAL };
}

function trustIn(route: SearchedRoute, { routing }: AnswerRequest): Trust {
  if (route === "out_of_scope") return "doubt";
  return route === "help" && routing.confidence >= SURE ? "sure" : "usual";
}

/** The assets a question is about: those it names, else the one the user looks at. */
function assetsOf({ question, token_symbol }: AnswerRequest): ReadonlySet<string> {
  const named = assetsInQuestion(question);
  return named.size > 0 || token_symbol === undefined ? named : new Set([token_symbol.toUpperCase()]);
}

/** An answer of sentences from the evidence; undefined when none supports one. */
function extractFrom(
  { query, hits }: Evidence,
  { routing, wide }: AnswerRequest,
  trust: Trust,
  index: PassageIndex,
): Outcome | undefined {
  const ranked = rankSentences(query, hits, index);
  const [best] = ranked;
  if (best === undefined || !isGrounded(best, routing.lang, trust)) return undefined;
  return quote(wide ? extractSections(ranked, routing.lang) : extractAnswer(ranked, routing.lang));
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
    const evidence = findEvidence(request, index, route);
    if (route !== "out_of_scope") {
      const passages = evidence.hits.map((hit) => hit.passage);
      const worded = await tryModel(request, passages, index, route);
      if (worded !== undefined) return worded;
    }
    return extractFrom(evidence, request, trustIn(route, request), index) ?? reply(NOT_FOUND[route][lang], false);
  }

  /** A list of the newest of a kind; with a model, its summary of them. */
  async function listNewest(kind: "news" | "notice", request: AnswerRequest, index: PassageIndex): Promise<Outcome> {
    const { routing, wide, now } = request;
    const { lang, sub_intent } = routing;
    const assets = assetsOf(request);
    const related = assets.size > 0 ? isAboutAsset(assets) : isAbout(sub_intent);
    const narrowed = assets.size > 0 || (kind === "notice" && sub_intent !== "latest");
    const ofKind = isOf(kind, lang);
    const limits = narrowed && kind === "notice" ? OPENINGS : HEADLINES;
    const limit = wide ? limits.wide : limits.narrow;
    const items = newest(index, now, limit, (passage) => ofKind(passage) && (!narrowed || related(passage)));
    if (items.length === 0) return reply(NOT_FOUND[kind][lang], false);
    const worded = await tryModel(request, items, index, kind);
    if (worded !== undefined) return worded;
    if (narrowed && kind === "notice") return quote(listOpenings(items));
    const lead = kind === "notice" ? LEADS.latestNotices : narrowed ? LEADS.relatedNews : LEADS.latestNews;
    return quote(listHeadlines(items, lead[lang]));
  }

  /** A question with a subject of its own is answered by sentences about it; any other by what is newest. */
  async function answerTimely(kind: "news" | "notice", request: AnswerRequest, index: PassageIndex): Promise<Outcome> {
    const { sub_intent, confidence } = request.routing;
    const evidence = findEvidence(request, index, kind);
    if (!evidence.distinctive) return listNewest(kind, request, index);
    if (model !== undefined) return answerFrom(kind, request, index);
    const found = extractFrom(evidence, request, "usual", index);
    if (found !== undefined) return found;
    const listable = assetsOf(request).size > 0 || (sub_intent !== "topic" && confidence >= SURE_OF_LIST);
    if (listable) return listNewest(kind, request, index);
    return reply(NOT_FOUND[kind][request.routing.lang], false);
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
        return answerTimely(route, request, index);
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
