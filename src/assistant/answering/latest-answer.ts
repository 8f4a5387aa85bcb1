import type { Language } from "../../contract/schemas/shared-fields.ts";
import { ASSETS, assetsInQuestion } from "../../language/assets.ts";
import { type Passage, comparePassages, toSourceItem } from "../passage.ts";
import { languageOfTag } from "../../language/detect-language.ts";
import { plainText } from "../../language/plain-text.ts";
import { sentencesOf } from "../../language/sentences.ts";
import { jaccard } from "../../runtime/text/jaccard.ts";
import { readWords } from "../../runtime/text/data-rows.ts";
import { conceptsIn } from "../routing/router.ts";
import type { AnswerRequest } from "../answer.ts";
import type { AnswerIndex } from "../retrieval/answer-index.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { isFunctional } from "../../language/stop-words.ts";
import { declined, draft, withModel, type Draft } from "./evidence-answer.ts";
import { LEADS } from "./replies.ts";

/** Least confidence in a request for the latest that has other words too; similarity of titles that report the same. */
const LEAST = { confidence: 0.9, duplicate: 0.6 };
/** Number of headlines in a list; of notices on one subject, which are quoted by their first sentence. */
const COUNT = { headlines: { narrow: 5, wide: 10 }, openings: { narrow: 3, wide: 6 } };

const GENERIC_TERMS = new Set(searchTerms(readWords(new URL("data/generic-words.txt", import.meta.url)).join(" ")));
/** Terms of assets: they select the items of a list, and are not a subject by themselves. */
const ASSET_TERMS: ReadonlySet<string> = new Set(
  searchTerms(ASSETS.flatMap(({ symbol, names, casual }) => [symbol, ...names, ...casual]).join(" ")),
);

/** Whether a question about news or notices names no subject: "the latest news", "any announcements about BTC?". */
export function asksForLatest({ question, routing: { route } }: AnswerRequest): boolean {
  if (route !== "news" && route !== "notice") return false;
  return searchTerms(question).every((term) => GENERIC_TERMS.has(term) || ASSET_TERMS.has(term) || isFunctional(term));
}

/** A list of the newest news or notices, on the assets or the subject of the question; with a model, its summary of them. */
export function answerLatest(request: AnswerRequest, index: AnswerIndex): Draft {
  const { routing, wide, now, question, token_symbol } = request;
  const { lang, sub_intent, confidence } = routing;
  const kind: Passage["kind"] = routing.route === "notice" ? "notice" : "news";
  const named = assetsInQuestion(question);
  // Those that the question names, else the one of the user's page.
  const assets = named.size > 0 || token_symbol === undefined ? named : new Set([token_symbol.toUpperCase()]);
  const isListable =
    asksForLatest(request) || assets.size > 0 || (sub_intent !== "topic" && confidence >= LEAST.confidence);
  const narrowed = assets.size > 0 || (kind === "notice" && sub_intent !== "latest");
  const isRelated = ({ title, symbols = [] }: Passage): boolean =>
    assets.size > 0
      ? [...symbols.map((symbol) => symbol.toUpperCase()), ...assetsInQuestion(title)].some((one) => assets.has(one))
      : conceptsIn(title).has(sub_intent);
  const limit = (narrowed && kind === "notice" ? COUNT.openings : COUNT.headlines)[wide ? "wide" : "narrow"];
  const accept = (passage: Passage): boolean =>
    passage.kind === kind && languageOfTag(passage.lang) === lang && (!narrowed || isRelated(passage));
  const items = isListable ? newest(index.passages().filter(accept), now, limit) : [];
  return items.length === 0 ? declined(request) : withModel(items, listedOf(kind, items, narrowed, lang), request);
}

function listedOf(kind: Passage["kind"], items: readonly Passage[], narrowed: boolean, lang: Language): Draft {
  const opens = narrowed && kind === "notice";
  const lead = kind === "notice" ? LEADS.latestNotices : narrowed ? LEADS.relatedNews : LEADS.latestNews;
  const lines = items.map(({ title, text }) => (opens ? sentencesOf(plainText(text))[0] : undefined) ?? title);
  const text = [...(opens ? [] : [lead[lang]]), ...lines].join("\n");
  const sources = items.map((passage, at) => toSourceItem(passage, lines[at]!));
  return draft(text, "answered", sources);
}

function newest(passages: readonly Passage[], now: number, limit: number): Passage[] {
  const dated = passages
    .map((passage) => ({ passage, at: passage.published_at === null ? -Infinity : Date.parse(passage.published_at) }))
    .filter(({ at }) => !(at > now))
    .sort((a, b) => b.at - a.at || comparePassages(a.passage, b.passage));
  const kept: { passage: Passage; terms: string[] }[] = [];
  for (const { passage } of dated) {
    if (kept.length >= limit) break;
    const terms = [...new Set(searchTerms(passage.title))];
    if (kept.every((other) => jaccard(other.terms, terms) < LEAST.duplicate)) kept.push({ passage, terms });
  }
  return kept.map(({ passage }) => passage);
}
