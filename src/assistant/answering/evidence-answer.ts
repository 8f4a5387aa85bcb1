import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Answer, AnswerRequest, Quotation } from "../answer.ts";
import { toSourceItem, type Passage, type SourceItem } from "../passage.ts";
import type { AnswerIndex, Findings } from "../retrieval/answer-index.ts";
import type { Evidence } from "../retrieval/evidence-features.ts";
import { isElliptical, withoutResearch } from "../routing/router.ts";
import { decideOutcome } from "./decide-outcome.ts";
import { toExcerpt } from "./model-answer.ts";
import { asUnsure, FOREIGN_SOURCE, OFFER, REPLIES } from "./replies.ts";

/** An answer without the routing it is reported under. */
export type Outcome = Omit<Answer, "routing">;

/** An answer of quotations, and what a model would write it from. */
export interface PreparedOutcome {
  readonly outcome: Outcome;
  /** Absent where no model is asked. */
  readonly forModel?: {
    readonly excerpts: readonly Passage[];
    /** The answer when the model says that they do not answer. */
    readonly otherwise: Outcome;
  };
}

const LOCAL_MODEL_NAME = "local-extractive";
/** Titles that are offered; articles that an unsure answer quotes, sections of a wide one, and passages for a model. */
const MOST = { titles: 3, unsure: 2, sections: 5, passages: { narrow: 6, wide: 14 } };

/** A text without sources. */
export function reply(text: string, outcome: "answered" | "declined"): Outcome {
  return { text, sources: [], outcome, model_name: LOCAL_MODEL_NAME };
}

/** An answer with its sources. */
export function quote(quotation: Quotation): Outcome {
  return { ...quotation, outcome: "answered", model_name: LOCAL_MODEL_NAME };
}

/** Searches for a question; for a follow-up, also for the question before. */
export function searchFor(request: AnswerRequest, index: AnswerIndex): Findings {
  const { question, routing, history, now, wide, token_symbol: symbol } = request;
  const previous = isElliptical(question) ? history.at(-1)?.question : undefined;
  return index.search({ question: withoutResearch(question), lang: routing.lang, now, wide, previous, symbol });
}

/** Answers by what was found: quotations, titles to choose from, or a reply that nothing was found; a model by the same. */
export function answerFromEvidence(findings: Findings, request: AnswerRequest): PreparedOutcome {
  const { question, routing, history } = request;
  const isFollowUp = isElliptical(question);
  const hasHistory = history.length > 0;
  const { outcome } = decideOutcome(findings, { routing, isFollowUp: isFollowUp && hasHistory });
  if (outcome !== "answered" && isFollowUp && !hasHistory) {
    return { outcome: reply(REPLIES.askBack[routing.lang], "declined") };
  }
  if (outcome === "declined") return { outcome: declined(request) };
  const passages = findings.ranked.slice(0, MOST.passages[request.wide ? "wide" : "narrow"]);
  return withModel(
    passages.map(({ found }) => found.passage),
    outcome === "offered" ? offer(findings, request) : quoteAs(outcome, findings, request),
    request,
  );
}

function quoteAs(outcome: "answered" | "unsure", findings: Findings, request: AnswerRequest): Outcome {
  if (outcome === "answered") return quote(quotationOf(findings, request));
  const quotation = quotationOf({ ...findings, quoted: findings.evidence.slice(0, MOST.unsure) }, request);
  return asUnsure(quote(quotation), request.routing.lang);
}

/** The reply to a question that nothing answers. */
export function declined({ routing }: AnswerRequest): Outcome {
  const { route, lang } = routing;
  const wording =
    route === "news" ? REPLIES.notFoundNews : route === "notice" ? REPLIES.notFoundNotice : REPLIES.notFound;
  return reply(wording[lang], "declined");
}

/** The outcome, and the passages for a model where one writes the answers. */
export function withModel(passages: readonly Passage[], outcome: Outcome, request: AnswerRequest): PreparedOutcome {
  if (request.hasModel !== true || passages.length === 0) return { outcome };
  return { outcome, forModel: { excerpts: passages.map(toExcerpt), otherwise: declined(request) } };
}

/** Quotes the evidence. Parts of several articles stand in sections under their titles. */
function quotationOf({ evidence, quoted }: Findings, { routing, wide }: AnswerRequest): Quotation {
  const parts = wide ? evidence.slice(0, MOST.sections) : quoted;
  const sections = parts.map((part) => sectionOf(part, routing.lang, parts.length > 1));
  return { text: sections.join("\n\n"), sources: parts.map(sourceOf) };
}

function sourceOf({ article, window }: Evidence): SourceItem {
  return toSourceItem(article.found.passage, window.text);
}

function sectionOf({ article, window }: Evidence, lang: Language, titled: boolean): string {
  const { title } = article.found.passage;
  const lines = titled && title !== "" ? [title, window.text] : [window.text];
  return [...(article.found.lang === lang ? [] : [FOREIGN_SOURCE[lang]]), ...lines].join("\n");
}

function offer({ evidence }: Findings, { routing }: AnswerRequest): Outcome {
  const best = evidence.slice(0, MOST.titles);
  const titles = best.map(({ article }, at) => `${at + 1}. ${article.found.passage.title}`);
  const text = [OFFER[routing.lang], ...titles].join("\n");
  return { ...quote({ text, sources: best.map(sourceOf) }), outcome: "offered" };
}
