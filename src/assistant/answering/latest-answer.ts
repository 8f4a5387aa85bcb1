import { ASSETS, assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import { type Passage, compare, keyOf, toSourceItem } from "../passage.ts";
import { newsThingsIn } from "../../language/name-table.ts";
import { languageOfTag } from "../../language/detect-language.ts";
import { plainText } from "../../language/plain-text.ts";
import { sentencesOf } from "../../language/sentences.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { readWords } from "../../runtime/text/data-rows.ts";
import { conceptsIn, isInDomain, isKind, newsSubject, withoutField } from "../routing/router.ts";
import { MIN_CONFIDENCE, type AnswerRequest } from "../answer.ts";
import type { AnswerIndex } from "../retrieval/answer-index.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { isFunctional } from "../../language/stop-words.ts";
import { declined, draft, withModel, type Draft } from "./evidence-answer.ts";
import { names } from "./chosen-title.ts";
import { periodOf, withoutPeriod } from "./period.ts";
import { isQuotable } from "./trusted-news.ts";
import { LEADS, NOT_THEN, reportedBy } from "./replies.ts";

const LEAST_ALIKE = 0.6; // Minimum similarity of titles that report the same event.
/** Limits: headlines in a list; notices on one subject, which are quoted by their first sentence; outlets of a story. */
const COUNT = { headlines: { narrow: 5, wide: 10 }, openings: { narrow: 3, wide: 6 }, outlets: 3 };

const GENERIC_TERMS = new Set(searchTerms(readWords(new URL("data/generic-words.txt", import.meta.url)).join(" ")));
/** Terms of assets, which select the items of a list but are not a subject by themselves. */
const ASSET_TERMS = new Set(searchTerms(ASSETS.flatMap(({ symbol }) => namesOfAsset(symbol)).join(" ")));

/** Whether a question about news or notices names no subject: "the latest news", "any announcements about BTC?". */
export function asksForLatest(request: AnswerRequest): boolean {
  const { question, routing, now } = request;
  if (namedSubject(question) !== undefined) return true;
  const before = previousNamed(request);
  if (before !== undefined) return asksForLatest({ ...request, question: before, history: [] });
  const content = searchTerms(withoutPeriod(question)).filter((term) => !isFunctional(term));
  const isNews = routing.route === "news" || routing.route === "notice" || isKind("news", question);
  const isDated = periodOf(question, now) !== undefined;
  const isAsked = content.length === 0 ? isNews && isDated : isNews || isDated;
  const isListed = isAsked && !isKind("why", question) && !isRuleOrState(question);
  return isListed && content.every((term) => GENERIC_TERMS.has(term) || ASSET_TERMS.has(term));
}

/** The subject of a question for news of something that is neither an asset nor of the platform. */
function namedSubject(question: string): string | undefined {
  const whole = withoutPeriod(newsSubject(question) ?? "").trim();
  const subject = withoutField(whole);
  const words = searchTerms(subject).filter((term) => !isFunctional(term) && !GENERIC_TERMS.has(term));
  const isNamed = newsThingsIn(subject).length > 0 || (words.length > 0 && (subject !== whole || !isInDomain(subject)));
  return isNamed && assetsInQuestion(subject).size === 0 ? subject : undefined;
}

/** Whether the latest items do not answer a question, because it asks for a rule or whether something works now. */
export const isRuleOrState = (question: string): boolean => isKind("rule", question) || isKind("state", question);

/** The previous question, if the question is a follow-up to it. */
const previousNamed = ({ question, history }: AnswerRequest): string | undefined =>
  isKind("followUp", question) ? history.at(-1)?.question : undefined;

/** A list of the newest news or notices on the assets, subject and time of the question; with a model, its summary of them. */
export function answerLatest(request: AnswerRequest, index: AnswerIndex): Draft {
  const { routing, wide, now, zone, question, token_symbol } = request;
  const { lang, sub_intent, confidence } = routing;
  const subject = namedSubject(question);
  const things = newsThingsIn(subject ?? "");
  const kind: Passage["kind"] = routing.route === "notice" ? "notice" : "news";
  const named = assetsInQuestion(`${question}\n${previousNamed(request) ?? ""}`);
  // The assets named in the question, else the asset of the user's page.
  const assets = named.size > 0 || token_symbol === undefined ? named : new Set([token_symbol.toUpperCase()]);
  const isOfLatest = asksForLatest(request);
  const isListable = isOfLatest || assets.size > 0 || (sub_intent !== "topic" && confidence >= MIN_CONFIDENCE);
  const narrowed = assets.size > 0 || (kind === "notice" && sub_intent !== "latest");
  const isRelated = ({ title, symbols = [] }: Passage): boolean =>
    assets.size > 0
      ? [...symbols.map((symbol) => symbol.toUpperCase()), ...assetsInQuestion(title)].some((one) => assets.has(one))
      : conceptsIn(title).has(sub_intent);
  const isNamed = ({ kind: of, title }: Passage): boolean =>
    of !== "help" && (names(title, subject!, 0.6) || newsThingsIn(title).some((thing) => things.includes(thing)));
  const limit = (narrowed && kind === "notice" ? COUNT.openings : COUNT.headlines)[wide ? "wide" : "narrow"];
  const isListed = (passage: Passage): boolean =>
    subject === undefined ? passage.kind === kind && (!narrowed || isRelated(passage)) : isNamed(passage);
  const own = isListable ? index.indexed().filter(({ passage }) => languageOfTag(passage.lang) === lang) : [];
  const listed = own.flatMap(({ passage }) => (isListed(passage) ? passage : []));
  const isUnnamed = listed.length === 0 && subject !== undefined && isKind("field", newsSubject(question)!);
  const matching = isUnnamed ? own.flatMap(({ passage }) => (passage.kind === "news" ? passage : [])) : listed;
  const isThen = periodOf(question, now, zone) ?? (() => true);
  const asked = newest(matching.filter(isThen), now, limit);
  const stories = asked.length > 0 ? asked : newest(matching, now, limit);
  if (stories.length === 0) return declined(request);
  const opens = narrowed && kind === "notice";
  const ofNews = narrowed || subject !== undefined ? LEADS.relatedNews : LEADS.latestNews;
  const lead = isUnnamed ? LEADS.unnamedNews : kind === "notice" ? LEADS.latestNotices : ofNews;
  const wordsOf = ({ title, text }: Passage) => (opens ? sentencesOf(plainText(text))[0] : undefined) ?? title;
  const lines = stories.map((reports) => wordsOf(reports[0]!) + reportedBy(reports, lang, zone));
  const leads = [...(asked.length > 0 ? [] : [NOT_THEN[lang]]), ...(opens ? [] : [lead[lang]])];
  const sources = stories.flat().map((report) => toSourceItem(report, wordsOf(report)));
  const outcome = !isUnnamed && asked.length > 0 && (narrowed || isOfLatest) ? "answered" : "unsure";
  return withModel(
    stories.flat().filter(isQuotable),
    draft([...leads, ...lines].join("\n"), outcome, sources),
    request,
  );
}

/** The newest stories, each as reports of different outlets, newest first. */
function newest(passages: readonly Passage[], now: number, limit: number): Passage[][] {
  const dated = passages
    .map((passage) => ({ passage, at: passage.published_at === null ? -Infinity : Date.parse(passage.published_at) }))
    .filter(({ at }) => !(at > now))
    .sort((a, b) => b.at - a.at || compare(a.passage.id, b.passage.id) || compare(a.passage.lang, b.passage.lang))
    .map(({ passage }) => passage);
  const termsOf = ({ title }: Passage) => new Set(searchTerms(title));
  const stories: Passage[][] = [];
  for (const reports of groupBy(dated, (item) => item.topic ?? keyOf(item)).values()) {
    if (stories.length >= limit) break;
    if (stories.some(([other]) => similarity(termsOf(other!), termsOf(reports[0]!)) >= LEAST_ALIKE)) continue;
    const byOutlet = groupBy(reports, ({ outlet }) => outlet);
    stories.push(Array.from(byOutlet.values(), ([first]) => first!).slice(0, COUNT.outlets));
  }
  return stories;
}

/** The Jaccard similarity of two sets of terms, 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = Array.from(a).filter((term) => b.has(term)).length;
  return shared / (a.size + b.size - shared || 1);
}
