import type { Language } from "../../contract/schemas/shared-fields.ts";
import { fold, stem } from "../../language/tokenize.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { compare, type Passage } from "../passage.ts";
import type { AnswerIndex, IndexedPassage } from "./answer-index.ts";
import { searchTerms, type Alternative, type Scores, type WeightedGroup } from "./language-index.ts";
import TUNING from "./tuning.json" with { type: "json" };
import { product } from "../../runtime/product.ts";
import { groupsOf, type Search } from "./question-terms.ts";
import { encode, knownOf, openEncoder, scaleTo } from "../encoder/encoder.ts";

/** A candidate article, notice or news item. */
export interface RankedArticle {
  readonly found: IndexedPassage;
  readonly texts: readonly IndexedPassage[]; // The article and its counterpart in the other language.
  readonly score: number; // Score relative to that of a perfect match, 0 to about 1.2.
  readonly own: number; // Share of the perfect score in the question's language.
  readonly cross: number; // The same in the other language.
  readonly isNamed?: boolean; // Whether the question equals its title.
  readonly titleCoverage: number; // Share of the question's weight that the title covers.
  readonly groups: readonly WeightedGroup[]; // The query in the article's language.
  readonly alike: number; // Similarity of its subject vector to the question's, -1 to 1.
  readonly part: number; // The highest similarity of one of its sentences, items or rows, 0 to 1.
  readonly near?: number; // Nearness by vectors, if there are any; -Infinity if the article has none.
  readonly likest?: number; // `alike` if it is the highest of all articles, else 0.
  readonly lead?: number; // Its strength minus that of the next article, at most 1.
  /** The sort key: the score and the similarity to the question; with vectors, the fusion of both rankings. */
  readonly order: number;
}

const { ranking: MIX, kinds: KINDS, meaning: MEANING, questions: QUESTIONS } = TUNING;

/** Ranks the passages of both languages for a question. An article in both is found by either text, and returned in the
 * question's language; one in the other language only must match better. If the passages are few, all of them are
 * candidates by similarity. With vectors, those nearest to the question are candidates too, and both rankings count. */
export function rankArticles(index: AnswerIndex, search: Search): RankedArticle[] {
  const { lang, now, near, accept = () => true } = search;
  const other = lang === "zh" ? "en" : "zh";
  const own = index.languages[lang].score(groupsOf(index, search, lang));
  const isPlain = own.highest() >= MIX.plain * own.mass;
  const cross = index.languages[other].score(isPlain ? [] : groupsOf(index, search, other));
  const weigh = (number: number): number => {
    const { passage } = index.passage(number);
    return accept(passage) ? weightOf(passage, now) : 0;
  };
  const nearest = [...(near ?? [])].sort(([, a], [, b]) => b - a).slice(0, MIX.candidates);
  const matching = [own, cross].flatMap((scores) => scores.best(MIX.candidates, weigh));
  const few = comparedWithAll(index, search);
  const numbers = [...matching, ...(few ?? nearest.map(([number]) => number))];
  const candidates = candidatesOf(index, numbers, lang).filter(({ passage }) => accept(passage));
  const articles = candidates.map((found): RankedArticle => {
    const counterpart = index.counterpart(found);
    const isOwn = found.lang === lang;
    const ownShare = shareOf(own, isOwn ? found : undefined);
    const crossShare = shareOf(cross, isOwn ? counterpart : found);
    const share = isOwn
      ? (ownShare + MIX.counterpart * (counterpart === undefined ? MIX.foreign * ownShare : crossShare)) /
        (1 + MIX.counterpart)
      : MIX.foreign * crossShare;
    const score = share * weightOf(found.passage, now);
    const texts = counterpart === undefined ? [found] : [found, counterpart];
    const vector = near && { near: Math.max(...texts.map(({ number }) => near.get(number) ?? -Infinity)) };
    const shares = { own: ownShare, cross: crossShare, titleCoverage: 0, alike: 0, part: 0 };
    return { found, texts, score, order: score, ...shares, groups: (isOwn ? own : cross).groups, ...vector };
  });
  articles.sort(byOrder);
  const ranked = rankByMeaning(index, search, articles, few !== undefined);
  const found = near === undefined ? ranked : fuseRankings(ranked);
  const named = index.titled(search.question).filter(({ passage }) => accept(passage));
  const first = named.find((one) => one.lang === lang) ?? named[0];
  if (first === undefined) return found;
  const { groups } = first.lang === lang ? own : cross;
  return [{ found: first, texts: [first], groups, ...PERFECT }, ...found.filter(({ texts }) => !texts.includes(first))];
}

/** The help and notices, if a question is compared with each of them: if they are few and there are no vectors. */
export const comparedWithAll = (index: AnswerIndex, { near }: Search): ReadonlySet<number> | undefined =>
  near === undefined ? index.few() : undefined;

/** Orders articles by their scores and by the similarity of their subjects and units to the question.
 * @param articles by falling score of words @param isFew whether all of them are compared */
function rankByMeaning(index: AnswerIndex, search: Search, articles: readonly RankedArticle[], isFew: boolean) {
  const asked = meaningOf(index, search);
  const worthOf = ({ found }: RankedArticle): number =>
    weightOf(found.passage, search.now) * (found.lang === search.lang ? 1 : MIX.foreign);
  const withAlike = (article: RankedArticle): RankedArticle => {
    const subjects = article.texts.map((text) => text.subject());
    const alike = subjects.reduce((sum, { meaning }) => sum + product(asked, meaning), 0) / subjects.length;
    return { ...article, alike, order: article.order + MIX.alike * alike * worthOf(article) };
  };
  const withPart = (article: RankedArticle): RankedArticle => {
    let part = 0;
    for (const text of article.texts)
      for (const { meaning } of text.details().units) part = Math.max(part, product(asked, meaning));
    return { ...article, part, order: article.order + MIX.part * part * worthOf(article) };
  };
  const withTitle = (article: RankedArticle): RankedArticle => {
    const { titleTerms } = article.found.subject();
    const titleCoverage = coverageOf(article.groups, (term) => titleTerms.has(term));
    const more = MIX.title * titleCoverage;
    return { ...article, titleCoverage, score: article.score + more, order: article.order + more };
  };
  const compared = isFew ? articles.length : MIX.compared;
  const alike = articles.slice(0, compared).map(withAlike);
  const isLike = (article: RankedArticle): boolean => article.score > 0 || article.order >= MIX.without;
  const likely = isFew ? alike.sort(byOrder).slice(0, MIX.candidates).map(withPart).filter(isLike) : alike;
  const rated = likely.map(withTitle).sort(byOrder);
  const best = isFew ? rated : [...rated.slice(0, MIX.parts).map(withPart).sort(byOrder), ...rated.slice(MIX.parts)];
  return [...best, ...articles.slice(compared)];
}

/** The vector of a question and the previous one, spelling corrected; shorter the fewer of its terms are known. */
function meaningOf(index: AnswerIndex, { question, previous }: Search): Float32Array {
  const before = searchTerms(previous?.question ?? "");
  let left = QUESTIONS.corrections;
  const isMisspelt = (word: string): boolean => !openEncoder().has(stem(word)) && left-- > 0;
  const corrected = fold(question).replace(/[a-z]{4,}/g, (word) =>
    isMisspelt(word) ? (index.vocabulary.corrections(word)[0] ?? word) : word,
  );
  const terms = searchTerms(corrected);
  const length = index.trust() * knownOf([...before, ...terms]) ** MEANING.known;
  return scaleTo(encode([before, MEANING.before], [terms, 1]), length);
}

/** The scores of an article whose title the question is: it ranks first. */
const PERFECT = { isNamed: true, score: 2, order: Infinity, own: 1, cross: 0, titleCoverage: 1, alike: 1, part: 1 };
const FUSION_K = 60;

/** Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009) of the ranking by words with that by vectors. A passage without
 * a vector, such as news, has the same rank in both. */
function fuseRankings(ranked: readonly RankedArticle[]): RankedArticle[] {
  const byVector = ranked.filter(({ near }) => near !== -Infinity).sort((a, b) => b.near! - a.near!);
  const ranks = new Map(byVector.map((article, at) => [article, at]));
  const fused = ranked.map((article, at) => {
    const byWords = article.score > 0 ? 1 / (FUSION_K + 1 + at) : 0;
    return { ...article, order: byWords + 1 / (FUSION_K + 1 + (ranks.get(article) ?? at)) };
  });
  return fused.sort(byOrder);
}

/** The distinct passages of some numbers; for an article in both languages, the one in the question's language. */
function candidatesOf(index: AnswerIndex, numbers: readonly number[], lang: Language): IndexedPassage[] {
  const found = numbers.map((number) => index.passage(number));
  return [...new Set(found.map((one) => (one.lang === lang ? one : (index.counterpart(one) ?? one))))];
}

const shareOf = (scores: Scores, found: IndexedPassage | undefined): number =>
  found === undefined || scores.mass === 0 ? 0 : scores.of(found.number) / scores.mass;

function weightOf({ kind, published_at }: Passage, now: number): number {
  const { weight, halfDays } = KINDS[kind];
  if (published_at === null || halfDays === null) return weight;
  return weight / (1 + Math.max(0, now - Date.parse(published_at)) / DAY_MS / halfDays);
}

const byOrder = (a: RankedArticle, b: RankedArticle): number =>
  b.order - a.order || compare(a.found.passage.id, b.found.passage.id);

/** The highest weight of a group's alternatives that match a text, 0 to 1. */
export function matchOf(alternatives: readonly Alternative[], has: (term: string) => boolean): number {
  let best = 0;
  for (const { terms, weight } of alternatives) if (weight > best && terms.every(has)) best = weight;
  return best;
}

/** The share of a question's groups, weighted by gain, that a text matches, 0 to 1. */
export function coverageOf(groups: readonly WeightedGroup[], has: (term: string) => boolean): number {
  let [covered, total] = [0, 0];
  for (const { gain, alternatives } of groups) {
    covered += gain * matchOf(alternatives, has);
    total += gain;
  }
  return total === 0 ? 0 : covered / total;
}
