import { fold, stem, tokenizeFolded } from "./tokenize.ts";
import { HEADLINE_LEXICON, conceptsOf } from "./lexicon.ts";
import { quantitiesOf } from "./quantities.ts";
import { HEADLINE_STOP_WORDS } from "./stop-words.ts";

/** Kind of a headline's term: it determines the weight, and whether the term means the same in every language. */
export type TermKind = "word" | "han" | "concept" | "number" | "asset";

/** Numbers, which are compared as quantities. */
const NUMBER = /(?<![\p{L}\d])\d[\d,.]*%?(?:[kmb](?![a-z]))?/gu;

/**
 * Terms that tell whether news items report one event, each once: stems, pairs of Chinese characters, and what is the same
 * in both languages (concepts, quantities, assets).
 *
 * @param assets tickers the text is about
 * @example
 * headlineTermsOf("Fed cuts rates by 0.5%", []); // #5.0e-1%, @fed, @rate-cut, @rates, fed, cut, rate
 */
export function headlineTermsOf(
  text: string,
  assets: readonly string[],
): { readonly key: string; readonly kind: TermKind }[] {
  const terms = new Map<string, TermKind>();
  for (const symbol of assets) terms.set(`$${symbol}`, "asset");
  const folded = fold(text);
  for (const number of numbersOf(folded)) terms.set(number, "number");
  const tokens = tokenizeFolded(folded.replace(NUMBER, " "));
  for (const concept of conceptsOf(tokens, HEADLINE_LEXICON)) terms.set(`@${concept}`, "concept");
  for (const { text: token, han } of tokens) {
    if (han) for (let at = 0; at + 1 < token.length; at++) terms.set(token.slice(at, at + 2), "han");
    else {
      const word = stem(token);
      if (word.length > 1 && !HEADLINE_STOP_WORDS.has(word)) terms.set(word, "word");
    }
  }
  return Array.from(terms, ([key, kind]) => ({ key, kind }));
}

/** The percentages of a folded text, and its numbers from 10 on but for years, rounded so that two notations are equal. */
function numbersOf(folded: string): string[] {
  return quantitiesOf(folded).flatMap(({ value, percent, start, end }) => {
    if (percent) return [`#${value.toExponential(1)}%`];
    const isYear = /^(?:19|20)\d\d$/.test(folded.slice(start, end));
    return value < 10 || isYear ? [] : [`#${value.toExponential(2)}`, `#~${value.toExponential(1)}`];
  });
}
