import { AttentionNetwork, type NetworkText } from "../../language/attention/attention-network.ts";
import { fold } from "../../language/tokenize.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { product } from "../../runtime/product.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { DIMENSIONS, encode } from "../encoder/encoder.ts";
import PATTERNS from "./answer-type-patterns.json" with { type: "json" };
import type { IndexedPassage } from "./answer-index.ts";
import { searchTerms } from "./language-index.ts";
import { matchOf, type RankedArticle } from "./rank-articles.ts";
import type { TextUnit } from "./text-units.ts";
import TUNING from "./tuning.json" with { type: "json" };

const MIX = TUNING.windows;
export type UnitRating = ReturnType<typeof rateUnits>;
type UnitMatch = ReturnType<typeof matchUnits>;

/** Rates how well each unit of an article answers a question, by words and by the network. */
export function rateUnits(article: RankedArticle, question: string) {
  const match = matchUnits(article, question);
  const isHow = STEPS.asks.test(fold(question));
  const steps = article.found.details().units.map(({ text }) => isHow && STEPS.holds.test(fold(text)));
  return { ...match, judged: judgeUnits(article, match, question), steps };
}

/** Matches the units of an article with a question. `matches`: each unit with each group, 0 to 1; `shares`: each group's
 * share of the question's weight, lower for a group in the title; `peaks`: the score of each unit, `highest` the highest;
 * `fitting`: whether each has the answer type; `covers`, `alikes`: coverage and similarity of each. */
export function matchUnits({ groups, found }: RankedArticle, question: string) {
  const { titleTerms } = found.subject();
  const { bodyTerms, units } = found.details();
  const occurs = (term: string): boolean => bodyTerms.has(term) || titleTerms.has(term);
  const inTitle = (term: string): boolean => titleTerms.has(term);
  let total = 0;
  const present = groups.flatMap(({ alternatives, gain }) => {
    const occurring = alternatives.filter(({ terms }) => terms.every(occurs));
    const left = gain * (1 - (1 - MIX.saidByTitle) * matchOf(occurring, inTitle));
    total += left;
    return occurring.length === 0 ? [] : [{ alternatives: occurring, left }];
  });
  const shares = present.map(({ left }) => left / (total || 1));
  const matches = units.map(({ terms }) =>
    present.map(({ alternatives }) => matchOf(alternatives, (t) => terms.has(t))),
  );
  const covers = matches.map((match) => match.reduce((sum, value, at) => sum + value * shares[at]!, 0));
  const asked = encode([searchTerms(question), 1]);
  const fits = answerTypeOf(question);
  const fitting = fits && units.map(({ text }) => fits(text));
  const alikes = units.map(({ meaning }) => product(asked, meaning));
  const peaks = units.map(({ kind }, at) => {
    const typed = fitting?.[at] === true ? MIX.fits * Math.min(1, 0.5 + 2 * covers[at]!) : 0;
    const alike = MIX.alike * alikes[at]!;
    return covers[at]! + alike + typed + MIX.neighbour * (covers[at - 1] ?? 0) + (kind === "heading" ? MIX.heading : 0);
  });
  const highest = peaks.reduce((most, peak) => Math.max(most, peak), -Infinity);
  return { matches, shares, peaks, highest, fitting, covers, alikes };
}

/** Question types by form, each with the pattern that an answer usually contains. The first match wins. */
const TYPES = PATTERNS.types.map((type) => patternsOf(type));
const STEPS = patternsOf(PATTERNS.steps);

/** A predicate: whether a sentence contains the answer type of a question; undefined for a question without a type. */
export function answerTypeOf(question: string): ((sentence: string) => boolean) | undefined {
  const folded = fold(question);
  const type = TYPES.find(({ asks }) => asks.test(folded));
  return type === undefined ? undefined : (sentence) => type.holds.test(fold(sentence));
}

const MEASURES = 8;
/** The encoder's vectors, for words without a vector in the network. */
export const GIVEN = { length: DIMENSIONS, of: (word: string): Float32Array => encode([searchTerms(word), 1]) };
let network: AttentionNetwork | undefined; // Loaded once per process.
/** The network, loaded on first use. */
const openAnswerNetwork = (): AttentionNetwork =>
  (network ??= new AttentionNetwork(new URL("answer-network.br", import.meta.url), MEASURES, GIVEN));
const texts = new WeakMap<TextUnit, NetworkText>();
const readQuestion = memoized((question: string) => openAnswerNetwork().read(question), 1); // Each question is compared with several articles.

/** The text of a unit for the network: title, table head and unit. */
export const textOf = ({ passage }: IndexedPassage, { head, text }: TextUnit): string =>
  [passage.title, ...(head === undefined ? [] : [head]), text].join("\n");

/** The measures of a unit that are further inputs of the network. */
export function measuresOf({ titleCoverage, alike, score }: RankedArticle, match: UnitMatch, at: number): number[] {
  const { covers, alikes, peaks, highest, fitting } = match;
  const fits = fitting === undefined ? 0.5 : Number(fitting[at]);
  return [covers[at]!, alikes[at]!, peaks[at]!, peaks[at]! - highest, titleCoverage, alike, fits, Math.min(1, score)];
}

/** The network's score, 0 to 9, of the best-matching units of an article as answers to a question; the other units have 0.
 * `scripts/make-answer-network.js` trains the network. */
function judgeUnits(article: RankedArticle, match: UnitMatch, question: string): number[] {
  const { units } = article.found.details();
  const judged = units.map(() => 0);
  const asked = readQuestion(question);
  const byPeak = Array.from(units.keys()).sort((a, b) => match.peaks[b]! - match.peaks[a]!);
  for (const at of byPeak.slice(0, MIX.judged.units)) {
    const unit = units[at]!;
    if (!texts.has(unit)) texts.set(unit, openAnswerNetwork().read(textOf(article.found, unit)));
    const logit = openAnswerNetwork().compare(asked, texts.get(unit)!, measuresOf(article, match, at));
    judged[at] = Math.min(MIX.judged.most, Math.max(0, logit - MIX.judged.least));
  }
  return judged;
}
