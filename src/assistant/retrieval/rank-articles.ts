import type { Language } from "../../contract/schemas/shared-fields.ts";
import { fold, stem } from "../../language/tokenize.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { compare, type Passage } from "../passage.ts";
import type { AnswerIndex, IndexedPassage, Subject } from "./answer-index.ts";
import { searchTerms, type Alternative, type Scores, type WeightedGroup } from "./language-index.ts";
import TUNING from "./tuning.json" with { type: "json" };
import { product } from "../../runtime/product.ts";
import { groupsOf, type Search } from "./question-terms.ts";
import { encode, knownOf, scaled } from "../encoder/encoder.ts";

/** An article, a notice or a news item that may answer. */
export interface RankedArticle {
  readonly found: IndexedPassage;
  readonly score: number; // Score relative to that of a perfect match, 0 to about 1.2.
  readonly own: number; // Share of the perfect score in the question's language, and in the other one.
  readonly cross: number;
  readonly isNamed?: boolean; // Whether the question is its title.
  readonly titleCoverage: number; // Share of the question's weight that the title covers.
  readonly groups: readonly WeightedGroup[]; // The question as it was searched in the article's language.
  readonly alike: number; // How much it is about what the question is about, -1 to 1.
  readonly near?: number; // How near it is where there are vectors, and -Infinity if it has none.
  readonly likest?: number; // The same where no article is more so; else 0.
  readonly lead?: number; // How much better it fits than the next one, up to 1.
  /** What the articles are ordered by: the score, and how much they are about what the question is about; where
   * there are vectors, both rankings. */
  readonly order: number;
}

const { ranking: MIX, kinds: KINDS, meaning: MEANING, questions: QUESTIONS } = TUNING;

/** Ranks the passages of both languages for a question. An article that exists in both is found by either text, and
 * taken in the question's language; one in the other language alone must match better. Where there are vectors, what is
 * near to the question is a candidate too, and both rankings decide the order. */
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
  const best = [own, cross].flatMap((scores) => scores.best(MIX.candidates, weigh));
  const numbers = [...best, ...nearest.map(([number]) => number)];
  const candidates = candidatesOf(index, numbers, lang).filter(({ found }) => accept(found.passage));
  const articles = candidates.map(({ found, counterpart }): RankedArticle => {
    const isOwn = found.lang === lang;
    const ownShare = shareOf(own, isOwn ? found : undefined);
    const crossShare = shareOf(cross, isOwn ? counterpart : found);
    const share = isOwn
      ? (ownShare + MIX.counterpart * (counterpart === undefined ? MIX.foreign * ownShare : crossShare)) /
        (1 + MIX.counterpart)
      : MIX.foreign * crossShare;
    const score = share * weightOf(found.passage, now);
    const groups = isOwn ? own.groups : cross.groups;
    const texts = counterpart === undefined ? [found] : [found, counterpart];
    const vector = near && { near: Math.max(...texts.map(({ number }) => near.get(number) ?? -Infinity)) };
    const shares = { own: ownShare, cross: crossShare, titleCoverage: 0, alike: 0 };
    return { found, score, order: score, ...shares, groups, ...vector };
  });
  articles.sort(byOrder);
  const compared = articles.slice(0, MIX.compared);
  const subjects = compared.map(({ found }) =>
    [found, index.counterpart(found)].flatMap((text) => text?.subject() ?? []),
  );
  const alike = likenessesOf(index, search, subjects);
  const rated = compared.map((article, at) => {
    const titleCoverage = coverageOf(article.groups, (term) => subjects[at]![0]!.titleTerms.has(term));
    const score = article.score + MIX.title * titleCoverage;
    const order = score + MIX.alike * alike[at]!;
    return { ...article, titleCoverage, alike: alike[at]!, score, order };
  });
  const ranked = [...rated.sort(byOrder), ...articles.slice(MIX.compared)];
  const found = near === undefined ? ranked : fuseRankings(ranked);
  const named = index.titled(search.question).filter(({ passage }) => accept(passage));
  const first = named.find((one) => one.lang === lang) ?? named[0];
  if (first === undefined) return found;
  const { groups } = first.lang === lang ? own : cross;
  return [{ found: first, groups, ...PERFECT }, ...found.filter((article) => article.found !== first)];
}

/** How much articles, of one text or two, are about what a question is about, and the one before it, -1 to 1: a word that
 * is misspelt means what it is corrected to. */
function likenessesOf(
  { vocabulary }: AnswerIndex,
  { question, previous }: Search,
  articles: readonly (readonly Subject[])[],
): number[] {
  const before = searchTerms(previous?.question ?? "");
  let left = QUESTIONS.corrections;
  const isMisspelt = (word: string): boolean => knownOf([stem(word)]) === 0 && left-- > 0;
  const corrected = fold(question).replace(/[a-z]{4,}/g, (word) =>
    isMisspelt(word) ? (vocabulary.corrections(word)[0] ?? word) : word,
  );
  const terms = searchTerms(corrected);
  const asked = scaled(encode([before, MEANING.before], [terms, 1]), knownOf([...before, ...terms]) ** MEANING.known);
  return articles.map((texts) => texts.reduce((sum, { meaning }) => sum + product(asked, meaning), 0) / texts.length);
}

/** Of what the question is the title of: above all others. */
const PERFECT = { isNamed: true, score: 2, order: Infinity, own: 1, cross: 0, titleCoverage: 1, alike: 1 };
const FUSION_K = 60;

/** Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009) of the ranking by words with that by vectors. What has no
 * vector, as news, has the same rank in both. */
function fuseRankings(ranked: readonly RankedArticle[]): RankedArticle[] {
  const byVector = ranked.filter(({ near }) => near !== -Infinity).sort((a, b) => b.near! - a.near!);
  const ranks = new Map(byVector.map((article, at) => [article, at]));
  const fused = ranked.map((article, at) => {
    const byWords = article.score > 0 ? 1 / (FUSION_K + 1 + at) : 0;
    return { ...article, order: byWords + 1 / (FUSION_K + 1 + (ranks.get(article) ?? at)) };
  });
  return fused.sort(byOrder);
}

/** The passages of some numbers; of an article in both languages, the one in the question's language. */
function candidatesOf(index: AnswerIndex, numbers: readonly number[], lang: Language) {
  const candidates = new Map<number, { found: IndexedPassage; counterpart: IndexedPassage | undefined }>();
  for (const number of numbers) {
    const found = index.passage(number);
    const counterpart = index.counterpart(found);
    if (found.lang === lang || counterpart === undefined) candidates.set(number, { found, counterpart });
    else candidates.set(counterpart.number, { found: counterpart, counterpart: found });
  }
  return Array.from(candidates.values());
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

/** How well a text says what a group says, 0 to 1. */
export function matchOf(alternatives: readonly Alternative[], has: (term: string) => boolean): number {
  let best = 0;
  for (const { terms, weight } of alternatives) if (weight > best && terms.every(has)) best = weight;
  return best;
}

/** Share of what a question says, weighted, that a text says, 0 to 1. */
export function coverageOf(groups: readonly WeightedGroup[], has: (term: string) => boolean): number {
  let [covered, total] = [0, 0];
  for (const { gain, alternatives } of groups) {
    covered += gain * matchOf(alternatives, has);
    total += gain;
  }
  return total === 0 ? 0 : covered / total;
}
