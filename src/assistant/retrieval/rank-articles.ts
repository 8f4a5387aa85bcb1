import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Passage } from "../passage.ts";
import type { EvidenceIndex, IndexedPassage } from "./evidence-index.ts";
import type { Alternative, Scores, TermGroup } from "./language-index.ts";
import type { QuestionContext, QuestionTerms } from "./question-terms.ts";

/** What a question is searched by. */
export interface Search extends QuestionContext {
  readonly question: string;
  /** The language of the question; its articles come first. */
  readonly lang: Language;
  /** Milliseconds since the Unix epoch: news and notices age. */
  readonly now: number;
  /** Whether the answer quotes several articles. */
  readonly wide?: boolean;
  /** Limits the search. */
  readonly accept?: (passage: Passage) => boolean;
}

/** A group of terms, with its weight in the searched language. */
export interface WeightedGroup extends TermGroup {
  /** Weight times inverse document frequency. */
  readonly gain: number;
}

/** An article, a notice or a news item that may answer. */
export interface RankedArticle {
  readonly found: IndexedPassage;
  /** Score relative to that of a perfect match, 0 to about 1.2. */
  readonly score: number;
  /** Share of the perfect score in the question's language, and in the other one. */
  readonly own: number;
  readonly cross: number;
  /** Share of the question's weight that the title covers. */
  readonly titleCoverage: number;
  /** The question as it was searched in the article's language. */
  readonly groups: readonly WeightedGroup[];
}

/** Weights of the parts of a score. */
const MIX = { counterpart: 0.25, foreign: 0.6, title: 0.2 };
/** Weight of a kind of passage, and the age in days at which it has half its weight. Help does not age. */
const KIND: Readonly<Record<Passage["kind"], { readonly weight: number; readonly halfDays: number }>> = {
  help: { weight: 1, halfDays: Infinity },
  notice: { weight: 0.85, halfDays: 240 },
  news: { weight: 0.7, halfDays: 14 },
};
/** From this share of a perfect match on, passages of the other language are not searched. */
const PLAIN = 0.7;
/** The best passages of each language that are ranked together. */
const CANDIDATES = 50;
/** Articles whose titles are compared with the question. */
const COMPARED = 8;
const DAY_MS = 86_400_000;

/**
 * Ranks the passages of both languages for a question. An article that exists in both is found by either text, and
 * taken in the question's language; one in the other language alone must match better.
 */
export function rankArticles(index: EvidenceIndex, terms: QuestionTerms, search: Search): RankedArticle[] {
  const { question, lang, previous, symbol, now, accept } = search;
  const other = lang === "zh" ? "en" : "zh";
  const read = (language: Language): Read => {
    const groups = terms.groupsOf(question, language, { previous, symbol });
    const scores = index.languages[language].score(groups);
    return { scores, groups: groups.map((group, at) => ({ ...group, gain: scores.gains[at]! })) };
  };
  const own = read(lang);
  const isPlain = own.scores.highest >= PLAIN * own.scores.mass;
  const cross = isPlain ? NOT_READ : read(other);
  const weigh = (number: number): number => {
    const { passage } = index.passage(number);
    return accept?.(passage) === false ? 0 : weightOf(passage, now);
  };
  const numbers = [own, cross].flatMap(({ scores }) => scores.best(CANDIDATES, weigh));
  const candidates = candidatesOf(index, numbers, lang).filter(({ found }) => accept?.(found.passage) !== false);
  const articles = candidates.map(({ found, counterpart }): RankedArticle => {
    const isOwn = found.lang === lang;
    const ownShare = shareOf(own.scores, isOwn ? found : undefined);
    const crossShare = shareOf(cross.scores, isOwn ? counterpart : found);
    const share = isOwn
      ? (ownShare + MIX.counterpart * (counterpart === undefined ? MIX.foreign * ownShare : crossShare)) /
        (1 + MIX.counterpart)
      : MIX.foreign * crossShare;
    const score = share * weightOf(found.passage, now);
    const groups = isOwn ? own.groups : cross.groups;
    return { found, score, own: ownShare, cross: crossShare, titleCoverage: 0, groups };
  });
  articles.sort(byScore);
  const best = articles.slice(0, COMPARED).map((article) => {
    const titleCoverage = coverageOf(article.groups, (term) => article.found.details.titleTerms.has(term));
    return { ...article, titleCoverage, score: article.score + MIX.title * titleCoverage };
  });
  return [...best.sort(byScore), ...articles.slice(COMPARED)];
}

interface Read {
  readonly scores: Scores;
  readonly groups: readonly WeightedGroup[];
}

const NOT_READ: Read = {
  scores: { of: () => 0, highest: 0, best: () => [], gains: [], mass: 0 },
  groups: [],
};

interface Candidate {
  readonly found: IndexedPassage;
  readonly counterpart: IndexedPassage | undefined;
}

/** The passages of some numbers; of an article in both languages, the one in the question's language. */
function candidatesOf(index: EvidenceIndex, numbers: readonly number[], lang: Language): Candidate[] {
  const candidates = new Map<number, Candidate>();
  for (const number of numbers) {
    const found = index.passage(number);
    const counterpart = index.counterpart(found);
    if (found.lang === lang || counterpart === undefined) candidates.set(number, { found, counterpart });
    else candidates.set(counterpart.number, { found: counterpart, counterpart: found });
  }
  return Array.from(candidates.values());
}

function shareOf(scores: Scores, found: IndexedPassage | undefined): number {
  return found === undefined || scores.mass === 0 ? 0 : scores.of(found.number) / scores.mass;
}

function weightOf({ kind, published_at }: Passage, now: number): number {
  const { weight, halfDays } = KIND[kind];
  if (published_at === null || halfDays === Infinity) return weight;
  return weight / (1 + Math.max(0, now - Date.parse(published_at)) / DAY_MS / halfDays);
}

function byScore(a: RankedArticle, b: RankedArticle): number {
  return b.score - a.score || compare(a.found.passage.id, b.found.passage.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How well a text says what a group says, 0 to 1. */
export function matchOf(alternatives: readonly Alternative[], has: (term: string) => boolean): number {
  let best = 0;
  for (const { terms, weight } of alternatives) if (weight > best && terms.every(has)) best = weight;
  return best;
}

/** Share of a question's weight that a text covers, 0 to 1. */
export function coverageOf(groups: readonly WeightedGroup[], has: (term: string) => boolean): number {
  let [covered, total] = [0, 0];
  for (const { gain, alternatives } of groups) {
    covered += gain * matchOf(alternatives, has);
    total += gain;
  }
  return total === 0 ? 0 : covered / total;
}
