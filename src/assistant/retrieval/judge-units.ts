import { AttentionNetwork, type NetworkText } from "../../language/attention/attention-network.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { DIMENSIONS, encode } from "../encoder/encoder.ts";
import type { IndexedPassage } from "./answer-index.ts";
import { searchTerms } from "./language-index.ts";
import type { UnitMatch } from "./match-units.ts";
import type { RankedArticle } from "./rank-articles.ts";
import type { TextUnit } from "./text-units.ts";
import TUNING from "./tuning.json" with { type: "json" };

const { judged: JUDGED } = TUNING.windows;
const MEASURES = 8;
/** The vectors of words that the network has none for. */
export const GIVEN = { length: DIMENSIONS, of: (word: string): Float32Array => encode([searchTerms(word), 1]) };
let network: AttentionNetwork | undefined; // The same for the whole process.
/** Reads the network, where there is more time than when it is first asked. */
export const openAnswerNetwork = (): AttentionNetwork =>
  (network ??= new AttentionNetwork(new URL("answer-network.br", import.meta.url), MEASURES, GIVEN));
const texts = new WeakMap<TextUnit, NetworkText>();
const readQuestion = memoized((question: string) => openAnswerNetwork().read(question), 1); // It is asked of several articles.

/** What of a unit the network reads. */
export const textOf = ({ passage }: IndexedPassage, { head, text }: TextUnit): string =>
  [passage.title, ...(head === undefined ? [] : [head]), text].join("\n");

/** What the network is told of a unit besides. */
export function measuresOf({ titleCoverage, alike, score }: RankedArticle, match: UnitMatch, at: number): number[] {
  const { covers, alikes, peaks, highest, fitting } = match;
  const fits = fitting === undefined ? 0.5 : Number(fitting[at]);
  return [covers[at]!, alikes[at]!, peaks[at]!, peaks[at]! - highest, titleCoverage, alike, fits, Math.min(1, score)];
}

/** How surely each unit of an article answers a question, as the network judges those that match best, 0 to 9; the others
 * have 0. `scripts/make-answer-network.js` makes its file. */
export function judgeUnits(article: RankedArticle, match: UnitMatch, question: string): number[] {
  const { units } = article.found.details();
  const judged = units.map(() => 0);
  const asked = readQuestion(question);
  const byPeak = Array.from(units.keys()).sort((a, b) => match.peaks[b]! - match.peaks[a]!);
  for (const at of byPeak.slice(0, JUDGED.units)) {
    const unit = units[at]!;
    if (!texts.has(unit)) texts.set(unit, openAnswerNetwork().read(textOf(article.found, unit)));
    const logit = openAnswerNetwork().compare(asked, texts.get(unit)!, measuresOf(article, match, at));
    judged[at] = Math.min(JUDGED.most, Math.max(0, logit - JUDGED.least));
  }
  return judged;
}
