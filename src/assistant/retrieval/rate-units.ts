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
import type { Language } from "../../contract/schemas/shared-fields.ts";

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

/** The span of an article that answers best. */
export type AnswerWindow = Readonly<ReturnType<typeof chooseWindow>>;

/** Chooses the contiguous units with the best score, and extends them to the end of a list.
 * @param length factor of the usual maximum length */
export function chooseWindow({ found, groups, titleCoverage }: RankedArticle, rating: UnitRating, length = 1) {
  const { matches, shares, fitting, judged, steps } = rating;
  const { units } = found.details();
  const peaks = rating.peaks.map((peak, at) => peak + MIX.judged.share * judged[at]! + (steps[at]! ? MIX.steps : 0));
  const most = MIX.length[found.lang] * length;
  let best = { from: 0, to: 0, score: -Infinity };
  for (let from = 0; from < units.length; from++) {
    const covered = shares.map(() => 0);
    const window = { characters: 0, coverage: 0, peak: -Infinity };
    for (let to = from; to < units.length; to++) {
      window.characters += units[to]!.text.length;
      if (to > from && window.characters > most) break;
      matches[to]!.forEach((value, at) => {
        if (value <= covered[at]!) return;
        window.coverage += (value - covered[at]!) * shares[at]!;
        covered[at] = value;
      });
      window.peak = Math.max(window.peak, peaks[to]!);
      const score = window.coverage + MIX.peak * window.peak + (MIX.lead * titleCoverage) / (1 + from);
      const isLonger = from === best.from && score > best.score - 1e-9; // Of two equal scores, the longer one.
      if (score > best.score + 1e-9 || isLonger) best = { from, to, score };
    }
  }
  const [from, to] = extend(units, best.from, best.to);
  const rows = [...units.keys()].slice(from, to + 1).filter((at) => units[at]!.head !== undefined);
  const asked = new Set(rowsAsked(rows, units, groups, matches).map((at) => units[at]!));
  const quoted = units.slice(from, to + 1).filter((unit) => unit.head === undefined || asked.has(unit));
  const inBest = <T>(list: readonly T[]): T[] => list.slice(best.from, best.to + 1);
  return {
    text: windowText(quoted, found.lang),
    score: best.score,
    /** Whether it contains the answer type of the question; undefined when the question has no known type. */
    fits: fitting && inBest(fitting).includes(true),
    judged: Math.max(...inBest(judged)), // The network's highest score of its units, 0 to 9.
  };
}

/** Extends a window to whole lists with their leading line. */
function extend(units: readonly TextUnit[], first: number, last: number): [from: number, to: number] {
  let [from, to] = [first, last];
  const isItem = (at: number): boolean => units[at]?.kind === "item";
  if (isItem(from)) {
    while (isItem(from - 1) && units[from - 1]!.block === units[from]!.block) from--;
    const before = units[from - 1];
    if (before !== undefined && (before.kind === "heading" || before.block === units[from]!.block)) from--;
  }
  const isQuestion = /[?？]$/.test(units[to]!.text); // The next unit answers it.
  if (units[to + 1] !== undefined && (isQuestion || (units[to]!.kind === "heading" && isItem(to + 1)))) to++;
  while (isItem(to) && isItem(to + 1) && units[to + 1]!.block === units[to]!.block) to++;
  while (to > from && units[to]!.kind === "heading") to--;
  return [from, to];
}

/** The rows of a long table whose first cell the question names in full, if they match all that any row matches. */
function rowsAsked(rows: number[], units: readonly TextUnit[], groups: RankedArticle["groups"], matches: number[][]) {
  if (rows.length < MIX.rows.most) return rows;
  const names = rows.map((row) => new Set(searchTerms(units[row]!.text.split("|")[1] ?? "")));
  const terms = new Set(groups.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.terms)));
  const asked = groups.flatMap(({ alternatives, weight }) => {
    const isNamed = (name: Set<string>): boolean =>
      matchOf(alternatives, (term) => name.has(term)) >= MIX.rows.named && [...name].every((term) => terms.has(term));
    const named = rows.filter((_, at) => isNamed(names[at]!));
    return weight >= MIX.rows.weight && named.length <= rows.length / 2 ? named : [];
  });
  const covered = matches[0]!.map((_, group) => asked.reduce((most, row) => Math.max(most, matches[row]![group]!), 0));
  const isAll = rows.every((row) => matches[row]!.every((value, group) => value <= covered[group]!));
  return isAll && asked.length > 0 ? asked : rows;
}

/** Joins units to a text: sentences of one line stay on one line, every item has its own line. */
function windowText(units: readonly TextUnit[], lang: Language): string {
  let text = "";
  for (const [at, unit] of units.entries()) {
    const before = units[at - 1];
    const joins = before?.kind === "sentence" && unit.kind !== "item" && before.line === unit.line;
    text += at === 0 ? unit.text : `${joins ? (lang === "zh" ? "" : " ") : "\n"}${unit.text}`;
  }
  return text;
}
