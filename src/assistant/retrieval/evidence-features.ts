import { searchTerms, type WeightedGroup } from "./language-index.ts";
import type { AnswerWindow, UnitRating } from "./rate-units.ts";
import { titlesOf, type Passage } from "../passage.ts";
import { coverageOf, matchOf, type RankedArticle } from "./rank-articles.ts";
import type { Routing } from "../answer.ts";
import { hasHan } from "../../language/detect-language.ts";
import { namedIn, namesIn } from "../../language/name-table.ts";
import { isFunctional } from "../../language/stop-words.ts";

/** A candidate article, with its best window. */
export type Evidence = { readonly article: RankedArticle; readonly window: AnswerWindow; readonly rating: UnitRating };
/** A question and its routing. */
export type Reading = { readonly question: string; readonly routing: Routing };
const LEAST = { tellingWeight: 0.8, sureOfScope: 0.8 }; // Weight of a group; confidence in `out_of_scope`.
const SALIENCE_POWER = 4; // Salience is the square root of a word's general rarity, so this is the rarity squared.

/** The features of the best evidence and of the question's routing: shares, flags, and sums weighted by rarity, all of them
 * independent of the size of the corpus. */
export function featuresOf({ article, window }: Evidence, { question, routing }: Reading) {
  const { found, groups } = article;
  const { titleTerms } = found.subject();
  const { bodyTerms } = found.details();
  const windowTerms = new Set(searchTerms(window.text));
  const has = (term: string): boolean => titleTerms.has(term) || bodyTerms.has(term);
  const isShown = (term: string): boolean => titleTerms.has(term) || windowTerms.has(term);
  const shown = groups.map(({ alternatives, weight, rarity }) => weight * rarity * matchOf(alternatives, isShown));
  const byWord = groups.map((group) => ({ ...group, gain: group.weight * (group.salience ?? 1) ** SALIENCE_POWER }));
  const known = groups.filter(({ rarity }) => rarity <= 1);
  const content = groups.filter(({ weight }) => weight >= LEAST.tellingWeight);
  const unmatched = content.filter(({ alternatives }) => matchOf(alternatives, has) === 0);
  return {
    score: Math.log(0.05 + article.score),
    own: Math.max(article.own, article.cross),
    titleAsked: titleAsked(article),
    likest: article.likest ?? 0,
    lead: article.lead ?? 0,
    part: article.part,
    covered: coverageOf(byWord, isShown),
    shown: shown.reduce((sum, one) => sum + one, 0),
    rarestShown: Math.max(0, ...shown),
    literal: massOf(known.filter(({ alternatives }) => matchOf(alternatives, has) === 1)) / (massOf(known) || 1),
    unmatched: content.length === 0 ? 1 : unmatched.length / content.length,
    nothingTelling: Number(unmatched.length === content.length),
    unknown: 1 - massOf(known) / (massOf(groups) || 1),
    unknownNames: shareOfNames(question, (name) => !searchTerms(name).every(has)),
    elsewhere: shareElsewhere(question, found.passage),
    judged: window.judged / 4,
    notice: Number(found.passage.kind !== "help"),
    outOfScope: Number(routing.route === "out_of_scope"),
    surelyOutOfScope: Number(routing.route === "out_of_scope" && routing.confidence >= LEAST.sureOfScope),
  };
}

const massOf = (groups: readonly WeightedGroup[]): number => groups.reduce((sum, { gain }) => sum + gain, 0);

/** Share of the names in a question (capitalised words, except the first word of English) that pass a test. */
function shareOfNames(question: string, test: (name: string) => boolean): number {
  const words = question.match(/[\p{Script=Latin}\p{N}]+/gu) ?? [];
  const names = words.filter((word, at) => /^\p{Lu}/u.test(word) && word !== "I" && (at > 0 || hasHan(question)));
  return shareOf(names, test);
}

/** Share of the things named in a question that an article does not name. */
function shareElsewhere(question: string, passage: Passage): number {
  const named = namedIn(question);
  if (named.length === 0) return 0;
  const hasOne = namesIn([...titlesOf(passage), passage.text].join("\n"));
  return shareOf(named, (names) => !hasOne(names));
}

function shareOf<T>(list: readonly T[], test: (one: T) => boolean): number {
  return list.length === 0 ? 0 : list.filter(test).length / list.length;
}

/** The highest share of content terms in one of the article's titles and aliases that the question has. */
function titleAsked({ found, groups }: RankedArticle): number {
  const questionTerms = new Set(groups.flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms)));
  const shares = titlesOf(found.passage).map((title) => {
    const content = Array.from(new Set(searchTerms(title))).filter((term) => !isFunctional(term));
    return shareOf(content, (term) => questionTerms.has(term));
  });
  return Math.max(...shares);
}
