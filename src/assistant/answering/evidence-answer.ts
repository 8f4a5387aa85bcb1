import type { Answer, AnswerOutcome, AnswerRequest } from "../answer.ts";
import { toSourceItem, type Passage, type SourceItem } from "../passage.ts";
import type { AnswerIndex } from "../retrieval/answer-index.ts";
import type { Evidence } from "../retrieval/evidence-features.ts";
import { findEvidence, inRooms, type Findings } from "../retrieval/find-evidence.ts";
import type { Search } from "../retrieval/question-terms.ts";
import { isElliptical, isShort, withoutResearch } from "../routing/router.ts";
import { answerTypeOf } from "../retrieval/rate-units.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { canonical } from "../../language/tokenize.ts";
import { coverageOf } from "../retrieval/rank-articles.ts";
import { decideOutcome } from "./decide-outcome.ts";
import { toExcerpt } from "./model-answer.ts";
import { periodOf } from "./period.ts";
import { isOfOperation, isQuotable, isShowable } from "./trusted-news.ts";
import { asUnsure, FOREIGN_SOURCE, FOREIGN_TITLE, NOT_FOUND, OFFER, REPLIES, reportedBy } from "./replies.ts";

/** An answer without its routing, and with the input of a model. */
export interface Draft extends Omit<Answer, "routing"> {
  /** Absent if no model is called. */
  readonly forModel?: {
    readonly excerpts: readonly Passage[];
    readonly otherwise: Draft; // The answer if the model finds no answer in them.
  };
}

/** Limits: articles that answer a suggested question, sections of a wide answer, and passages for a model. */
const MOST = { suggested: 2, sections: 5, passages: { narrow: 6, wide: 14 } };

/** Length of the quotation from each article, as a share of the usual length, in an unsure answer and in an offer. */
const ROOMS = { unsure: [1, 0.5, 0.3], offered: [0.5, 0.35, 0.3] };

/** Minimum share of a suggested question that an item must cover, weighted by inverse document frequency. */
const LEAST_COVERED = { zh: 0.5, en: 0.6 };

/** A text, with the passages that it quotes or offers. */
export function draft(text: string, outcome: AnswerOutcome, sources: SourceItem[] = []): Draft {
  return { text, sources, outcome, model_name: "local-extractive" };
}

/** Searches for a question; if it may be a follow-up, also for the previous question.
 * @param isOfNews whether it asks explicitly for news, which excludes help articles
 * @param isTrusted whether a passage may be found; by default whether it may be quoted */
export function searchFor(
  request: AnswerRequest,
  index: AnswerIndex,
  isOfNews = false,
  isTrusted = isQuotable,
): Findings {
  const { question, routing, now, wide, about, token_symbol: symbol, page_context: page } = request;
  const previous = about === undefined ? previousOf(request) : undefined;
  const near = previous?.isNeeded === true ? undefined : request.near; // The vector of a follow-up alone says too little.
  const isThen = about === undefined ? periodOf(question, now, request.zone, true) : undefined;
  const accept = (one: Passage): boolean => {
    const { id, kind, published_at } = one;
    if (kind === "notice" && Date.parse(published_at ?? "") > now) return false; // It is not published yet.
    const isAsked = kind === "news" ? isThen?.(one) !== false : !isOfNews || kind === "notice";
    return (about?.includes(id) ?? isAsked) && isTrusted(one);
  };
  const asked = { question: withoutResearch(question), lang: routing.lang, now, wide, previous, symbol, page };
  return findEvidence(index, { ...asked, near, accept });
}

/** Answers from the passages that may answer; without such an answer unsurely from other news, or with their titles. */
export function answerTrusted(request: AnswerRequest, index: AnswerIndex, isOfNews: boolean) {
  const isHelp = isOfOperation(request);
  let leftOut = 0; // Passages that were left out: without any, another search would find the same.
  const findings = searchFor(request, index, isOfNews, (one) => {
    const isTrusted = isQuotable(one) && !(isHelp && one.kind === "news");
    if (!isTrusted) leftOut += 1;
    return isTrusted;
  });
  const found = answerFromEvidence(findings, request);
  const isEnough = found.outcome !== "declined" && (isHelp || found.outcome !== "offered");
  if (isEnough || leftOut === 0) return { findings, found };
  const others = searchFor(request, index, isOfNews, isShowable);
  const isNew = others.evidence[0]?.article.found !== findings.evidence[0]?.article.found;
  const { outcome } = isNew ? decideOutcome(others, request) : found;
  if (!isNew || outcome === "declined") return { findings, found };
  const isQuoted = outcome !== "offered" && others.evidence.every(({ article }) => isQuotable(article.found.passage));
  return { findings: others, found: isQuoted ? quote("unsure", others, request) : offer(others, request) };
}

/** Answers a question that was suggested for some passages, from those in its language (from articles of the operator that
 * lack it, in the other), with their titles, if there are several; undefined if none of them covers the question. `from` is
 * the first of them. */
export function answerAbout(request: AnswerRequest, index: AnswerIndex) {
  const { lang } = request.routing;
  const isHelp = isOfOperation(request);
  const fitting = searchFor(request, index).evidence.filter(({ article, window }) => {
    const { kind, title } = article.found.passage;
    if (kind === "news" && isHelp) return false;
    // The operator named it for this question, or the question quotes its title, whatever that asks.
    if (kind !== "news" || canonical(request.question).includes(canonical(title))) return true;
    const said = new Set(searchTerms(`${title}\n${window.text}`));
    const share = coverageOf(article.groups, (term) => said.has(term));
    const fits = window.fits !== false || answerTypeOf(request.question)!(title);
    return fits && share >= LEAST_COVERED[lang];
  });
  const own = fitting.filter(({ article }) => article.found.lang === lang);
  const answering = own.length > 0 ? own : fitting.filter(({ article }) => article.found.passage.kind !== "news");
  if (answering.length === 0) return undefined;
  const isNew = ({ window }: Evidence, at: number) =>
    answering.findIndex((one) => one.window.text === window.text) === at;
  const shown = answering.filter(isNew).slice(0, MOST.suggested);
  const passages = answering.map(({ article }) => article.found.passage);
  const isTitled = shown.length > 1 || passages[0]!.kind === "news";
  const text = shown.map((part) => sectionOf(part, request, isTitled)).join("\n\n");
  return { from: passages[0]!, found: withModel(passages, draft(text, "answered", shown.map(sourceOf)), request) };
}

/** The previous question, if the question may be a follow-up. */
export function previousOf({ question, history }: Pick<AnswerRequest, "question" | "history">): Search["previous"] {
  const isNeeded = isElliptical(question);
  const last = history.at(-1)?.question;
  if (last === undefined || !(isNeeded || isShort(question))) return undefined;
  const before = isShort(last) ? history.at(-2)?.question : undefined;
  return { question: before === undefined ? last : `${before}\n${last}`, isNeeded };
}

/** Answers with quotations, titles to choose from, or a reply that nothing was found, and the same passages for a model. */
export function answerFromEvidence(findings: Findings, request: AnswerRequest): Draft {
  const { outcome, isQuoted } = decideOutcome(findings, request);
  if (outcome === "declined") return declined(request);
  const given = findings.ranked.slice(0, MOST.passages[request.wide ? "wide" : "narrow"]);
  const passages = given.map(({ found }) => found.passage);
  const extracted = outcome === "offered" ? offer(findings, request, isQuoted) : quote(outcome, findings, request);
  return withModel(passages, extracted, request);
}

/** The reply to a question without an answer. */
export const declined = ({ routing: { route, lang } }: AnswerRequest): Draft =>
  draft((NOT_FOUND[route] ?? REPLIES.notFound)[lang], "declined");

/** The draft, with the passages for a model if one writes the answers. */
export function withModel(passages: readonly Passage[], extracted: Draft, request: AnswerRequest): Draft {
  if (request.hasModel !== true || passages.length === 0) return extracted;
  return { ...extracted, forModel: { excerpts: passages.map(toExcerpt), otherwise: declined(request) } };
}

/** Quotes the best articles. */
export function quote(outcome: "answered" | "unsure", { evidence, quoted }: Findings, request: AnswerRequest): Draft {
  const { routing, wide } = request;
  const narrow = outcome === "answered" ? quoted : inRooms(evidence, request.isPart === true ? [1] : ROOMS.unsure);
  const parts = wide ? evidence.slice(0, MOST.sections) : narrow;
  const sections = parts.map((part) => sectionOf(part, request, parts.length > 1));
  const found = draft(sections.join("\n\n"), outcome, parts.map(sourceOf));
  return outcome === "answered" ? found : asUnsure(found, routing.lang);
}

const sourceOf = ({ article: { found }, window }: Evidence): SourceItem =>
  toSourceItem(found.passage, isQuotable(found.passage) ? window.text : found.passage.title);

function sectionOf({ article, window }: Evidence, { routing, zone }: AnswerRequest, titled: boolean): string {
  const { passage, lang } = article.found;
  const quoted = window.text + reportedBy([passage], routing.lang, zone);
  const isMore = canonical(window.text) !== canonical(passage.title);
  const lines = [lang !== routing.lang && FOREIGN_SOURCE[routing.lang], titled && isMore && passage.title, quoted];
  return lines.filter(Boolean).join("\n");
}

function offer({ evidence }: Findings, request: AnswerRequest, isQuoted = false): Draft {
  const { lang } = request.routing;
  const best = inRooms(evidence, ROOMS.offered);
  const lines = best.flatMap((part, at) => {
    const { found } = part.article;
    const title = `${at + 1}. ${found.passage.title}${found.lang === lang ? "" : FOREIGN_TITLE[lang]}`;
    // Indented, so that a list in the quotation is not parsed as offered titles.
    return isQuoted ? [title, sectionOf(part, request, false).replace(/^(?=.)/gm, "   ")] : [title];
  });
  return draft([OFFER[lang], ...lines].join("\n"), "offered", best.map(sourceOf));
}
