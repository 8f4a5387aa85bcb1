import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import { ROUTES, MIN_CONFIDENCE, type AnswerRequest, type Routing } from "../answer.ts";
import { readWords } from "../../runtime/text/data-rows.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { assetsInQuestion, isAssetName } from "../../language/assets.ts";
import { createClassifier, type Classification, type TrainedModel } from "./classifier/classifier.ts";
import PATTERNS from "./question-patterns.json" with { type: "json" };
import { detectLanguage, hasHan } from "../../language/detect-language.ts";
import { canonical, fold, tokenize, type Token } from "../../language/tokenize.ts";
import { QUESTION_LEXICON, conceptsOf } from "../../language/lexicon.ts";

const COMMON: ReadonlySet<string> = new Set(readWords(new URL("data/common-concepts.txt", import.meta.url)));

/** Whether a text names a concept of the domain: trading, the platform, its news. */
export const isInDomain = (text: string): boolean => [...conceptsIn(text)].some((concept) => !COMMON.has(concept));

/** The concepts that a text names, and `asset` when it names one. */
export function conceptsIn(text: string, tokens: readonly Token[] = tokenize(text)): Set<string> {
  const found = conceptsOf(tokens, QUESTION_LEXICON, true);
  if (assetsInQuestion(text, tokens).size > 0) found.add("asset");
  return found;
}

/** The context of a question. */
export type RouteContext = Pick<AnswerRequest, "history" | "page_context" | "lang">;

/** Maximum characters of small talk, and of a question that is incomplete by itself or may be a follow-up. */
const MOST = { smallTalk: { zh: 8, en: 24 }, elliptical: { zh: 14, en: 45 }, short: { zh: 10, en: 30 } };
/** Minimum confidence of the classifier, which is higher for a question without a concept of the domain. */
const LEAST_CONFIDENCE = { inDomain: 0.35, offDomain: 0.75 };

const OUT_OF_SCOPE: Classification = { label: "out_of_scope/general", confidence: 0.5 };
/** The classifier, and the labels of its examples by canonical text. The build trains it (`scripts/train-router.js`), because
 * training takes longer than the rest of a start. */
function load() {
  const file = readFileSync(new URL("router.trained", import.meta.url));
  const { trained, known } = deserialize(file) as { trained: TrainedModel; known: Map<string, string> };
  return { classifier: createClassifier(trained, conceptsIn), known };
}

let loaded: ReturnType<typeof load> | undefined; // At the first question.

function classify(question: string, { history, page_context }: RouteContext): Classification {
  const { classifier, known } = (loaded ??= load());
  const words = canonical(question);
  const label = words === "" ? "small_talk/capability" : known.get(words);
  if (label !== undefined) return { label, confidence: 1 };
  const previous = history.at(-1)?.question;
  const isFollowUp = previous !== undefined && isKind("followUp", question);
  if (!isFollowUp && isAssetName(question)) return { label: "news/symbol", confidence: MIN_CONFIDENCE };
  if (isKind("advice", question)) return { label: "out_of_scope/investment_advice", confidence: 1 };
  if (isKind("quotaReset", question)) return { label: "account/quota_reset", confidence: 1 };
  if (isKind("ownQuota", question)) return { label: "account/quota", confidence: 1 };
  if (isKind("sum", question)) return { ...OUT_OF_SCOPE, confidence: 1 };
  const core = withoutCourtesy(question);
  const best = classifier.classify(core);
  if (previous !== undefined && (isFollowUp || (best.confidence < MIN_CONFIDENCE && isElliptical(question)))) {
    const joined = classifier.classify(`${withoutCourtesy(previous)} ${core}`);
    if (joined.confidence >= LEAST_CONFIDENCE.inDomain) return joined;
  }
  // Small talk is short; a longer question that only resembles it ("can you add 5 and 89") is something else.
  const talk = best.label.startsWith("small_talk/") && fits(core, MOST.smallTalk);
  if (isInDomain(core) || talk) return best.confidence >= LEAST_CONFIDENCE.inDomain ? best : OUT_OF_SCOPE;
  if (page_context !== undefined && isInDomain(page_context)) {
    const placed = classifier.classify(`${page_context} ${core}`);
    if (placed.confidence >= LEAST_CONFIDENCE.offDomain) return placed;
  }
  return best.confidence >= LEAST_CONFIDENCE.offDomain ? best : OUT_OF_SCOPE;
}

/** Routes a question before the search; the evidence found may change the route. Reads the classifier at first. */
export function routeQuestion(question: string, context: RouteContext): Routing {
  const found = classify(question, context);
  const isNoAdvice = isKind("past", question) || (isKind("onOffer", question) && !isKind("advice", question));
  const { label, confidence } = found.label.endsWith("advice") && isNoAdvice ? OUT_OF_SCOPE : found;
  const [name, sub_intent = ""] = label.split("/");
  const route = ROUTES.find((known) => known === name);
  if (route === undefined) throw new Error(`Unknown route in the label ${JSON.stringify(label)}.`);
  const aboutAsset = route === "news" && sub_intent === "latest" && assetsInQuestion(question).size > 0;
  const [lang, research] = [detectLanguage(question, context.lang), asksResearch(question)];
  return { route, sub_intent: aboutAsset ? "symbol" : sub_intent, lang, confidence, research };
}

/** "What is advanced research" asks about the feature, not for it. */
const asksResearch = (question: string): boolean =>
  SAYS.research.test(fold(question)) && !SAYS.aboutResearch.test(fold(question));

const SAYS = patternsOf(PATTERNS);
const RESEARCH_WORDS = new RegExp(`(?:${SAYS.research.source})(?:一下|下)?`, "gu");

/** The question without its request for research, which is not its subject; the question itself when nothing else is left. */
export function withoutResearch(question: string): string {
  if (!asksResearch(question)) return question;
  const rest = fold(question).replace(RESEARCH_WORDS, " ").replace(SAYS.order, "").trim();
  return /[\p{L}\p{N}]{2}/u.test(rest) ? rest : question;
}

const fits = (folded: string, most: typeof MOST.short): boolean =>
  folded.length <= (hasHan(folded) ? most.zh : most.en);

/** Whether a question is incomplete without the one before it: "那手续费呢?", "and for USDT?". */
export function isElliptical(question: string): boolean {
  const folded = fold(question).trim();
  return fits(folded, MOST.elliptical) && SAYS.elliptical.test(folded);
}

/** Whether a question is short enough to be a follow-up without the form of one: "要多久", "is there a maximum". */
export const isShort = (question: string): boolean => fits(fold(question).trim(), MOST.short);

/** Whether a question is only a sum, a follow-up, or asks for news or notices, a reason, advice or a forecast, a state, what
 * is on offer, or figures of oneself or others; whether a title states how it works, or a subject of news is a field. */
export const isKind = (kind: keyof typeof PATTERNS, text: string) => SAYS[kind].test(fold(text).trim());

/** What a question asks for news of, folded: "tesla" of "any news on Tesla?"; undefined for another question. */
export const newsSubject = (question: string) => SAYS.newsOf.exec(fold(question).trim())?.slice(1).find(Boolean);
/** The subject of a question for news of a field of business: "insurance" of "insurance industry". */
export const withoutField = (subject: string): string => subject.replace(SAYS.field, "");

const STATE_WORDS = new RegExp(SAYS.stateWords.source, "gu");
/** The subject of a question whether something works now. */
export const withoutState = (question: string): string => fold(question).replace(STATE_WORDS, " ");

/** The folded question without a greeting and without a request for research, unless nothing else is left. */
export function withoutCourtesy(question: string): string {
  const folded = fold(withoutResearch(question)).trim();
  const rest = folded.replace(SAYS.courtesy, "").trim();
  return /[\p{L}\p{N}]{2}|\p{Script=Han}/u.test(rest) ? rest : folded;
}
