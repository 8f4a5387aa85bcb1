import { assetOfWord } from "./assets.ts";
import { fold, stem, tokenizeFolded } from "./tokenize.ts";
import { conceptsOf, headlineLexicon } from "./lexicon.ts";
import { newsNames } from "./name-table.ts";
import { quantitiesInDigits, quantitiesOf } from "./quantities.ts";
import { HEADLINE_STOP_WORDS } from "./stop-words.ts";

/** Kinds of headline terms. The kind determines the weight and whether the term is language-independent. */
export const TERM_KINDS = ["word", "han", "concept", "number", "small", "asset", "name"] as const;
type TermKind = (typeof TERM_KINDS)[number];
const COIN = "coin"; // Kind of named things that already have terms as assets.

const NUMBER =
  /(?<![\p{Script=Latin}\d])\d[\d,.]*%?(?:[kmbt]n?(?![a-z])|bps(?![a-z])|(?=thousand|million|billion|trillion|mln|bln|bbl|percent|pct)|(?!\p{Script=Latin}))/gu;

/** A month as the period of a figure ("9月CPI"), not of a date ("9月3日"). */
const MONTH = /(?<!\d)(1[0-2]|[1-9])\s?月份?(?!\s?\d)/g;

/** The terms that decide whether news items report one event, each with its kind: stems, pairs of Chinese characters, and
 * language-independent terms (concepts, quantities, and `assets`, the tickers that the text is about). */
export function headlineTermsOf(text: string, assets: readonly string[]): ReadonlyMap<string, TermKind> {
  const terms = new Map<string, TermKind>();
  for (const symbol of assets) terms.set(`$${symbol}`, "asset");
  const folded = quantitiesInDigits(fold(text));
  for (const { key, isSmall } of numbersOf(folded)) terms.set(key, isSmall ? "small" : "number");
  const tokens = tokenizeFolded(folded.replace(NUMBER, " "));
  for (const [, month = ""] of folded.matchAll(MONTH)) terms.set(`@month-${month}`, "concept");
  for (const concept of conceptsOf(tokens, headlineLexicon())) terms.set(`@${concept}`, "concept");
  for (const { thing } of newsNames().find(folded)) if (thing.kind !== COIN) terms.set(thing.key, "name");
  for (const { text: token, han } of tokens) {
    if (han) for (let at = 0; at + 1 < token.length; at++) terms.set(token.slice(at, at + 2), "han");
    else {
      const [asset, word] = [assetOfWord(token), stem(token)];
      const isTerm = word.length > 1 && !HEADLINE_STOP_WORDS.has(word);
      if (isTerm && (asset === undefined || !terms.has(`$${asset}`))) terms.set(word, "word");
    }
  }
  return terms;
}

/** The percentages of a folded text and its numbers from 10 up, except years, rounded so that two notations are equal.
 * Percentages and numbers below 100 are small: many texts share them by chance. */
function* numbersOf(folded: string) {
  for (const { value, unit, start, end } of quantitiesOf(folded)) {
    if (unit !== "") yield { key: `#${value.toExponential(1)}${unit}`, isSmall: true };
    if (unit !== "" || value < 10) continue;
    const isYear =
      /^(?:19|20)\d\d$/.test(folded.slice(start, end)) && !/^(?!年|财年)\p{Script=Han}/u.test(folded.slice(end));
    if (isYear) continue;
    yield { key: `#${value.toExponential(2)}`, isSmall: value < 100 };
    yield { key: `#~${value.toExponential(1)}`, isSmall: value < 100 };
  }
}
