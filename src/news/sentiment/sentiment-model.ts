import type { Sentiment } from "../../contract/schemas/shared-fields.ts";
import { hasHan } from "../../language/detect-language.ts";
import { fold, stem } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./sentiment-patterns.json" with { type: "json" };
import { readNumberedLines } from "../../language/word-vectors.ts";
import { chineseTokens, classesOf } from "../../language/word-classes.ts";

/** The weights. `scripts/make-sentiment.js` trains and documents them. */
const FILE = new URL("sentiment-weights.br", import.meta.url);
const REVERSED = patternsOf(PATTERNS); // Phrases that reverse their words: a bad measure that falls, a good one that ends.
const SIDES = 2; // Logits: positive and negative, each against neutral.
const MAX_NGRAM = { words: 3, characters: 4 };
const REACH = 5; // Context window on each side of a word with a class, in words or characters.

let opened: ReturnType<typeof readWeights> | undefined; // Loaded once per process.

function readWeights() {
  const { numbers, bytes } = readNumberedLines(FILE);
  const floats = SIDES * numbers.size;
  const [scale = 1, ...bias] = Array.from({ length: 1 + SIDES }, (_, at) => bytes.readFloatLE(floats + 4 * at));
  return { numbers, values: new Int8Array(bytes.buffer, bytes.byteOffset, floats), scale, bias };
}

/** The distinct n-grams of a title: 1 to 4 characters in Chinese; 1 to 3 stems in English, with skip-grams of two stems
 * and markers of the first and last stem. Every number becomes `#`. */
export function gramsOf(title: string): Set<string> {
  const text = textOf(title);
  const isHan = hasHan(text);
  const parts = isHan ? Array.from(text) : wordsOf(text).map(stem);
  const longest = isHan ? MAX_NGRAM.characters : MAX_NGRAM.words;
  const grams = new Set<string>();
  for (let from = 0; from < parts.length; from++) {
    for (let end = from + 1; end <= Math.min(from + longest, parts.length) && parts[end - 1] !== " "; end++)
      grams.add(parts.slice(from, end).join(isHan ? "" : " "));
    if (!isHan && from + 2 < parts.length) grams.add(`${parts[from]} _ ${parts[from + 2]}`);
  }
  return isHan || parts.length === 0 ? grams : grams.add(`^${parts[0]}`).add(`${parts.at(-1)}$`);
}

/** The class n-grams of a title: each word class alone, with the classes in its window, and with the stems or characters
 * in its window (`~` if not adjacent). Their weights generalize to all words of a class. */
export function classGramsOf(title: string): Set<string> {
  const text = textOf(title);
  const tokens = hasHan(text)
    ? chineseTokens(text)
    : wordsOf(text).map((word) => ({ text: stem(word), classes: classesOf(word) }));
  const grams = new Set<string>();
  for (const [at, { classes }] of tokens.entries()) {
    if (classes.length === 0) continue;
    const from = Math.max(0, at - REACH);
    for (const [step, other] of tokens.slice(from, at + REACH + 1).entries()) {
      const distance = from + step - at;
      const between = Math.abs(distance) > 1 ? " ~ " : " ";
      for (const name of classes) {
        if (distance === 0) grams.add(`{${name}}`);
        if (distance < 0) grams.add(`${other.text}${between}{${name}}`);
        if (distance <= 0) continue;
        grams.add(`{${name}}${between}${other.text}`);
        for (const next of other.classes) grams.add(`{${name}}{${next}}`);
      }
    }
  }
  return grams;
}

const textOf = (title: string): string => fold(title).replace(/\d[\d.,]*/g, "#");
const wordsOf = (text: string): string[] => text.match(/[a-z]+(?:'[a-z]+)?|[#$€£!]/g) ?? [];

/** The weight of each n-gram in a title with `known` known n-grams: the more, the less each one weighs. */
export const shrinkage = (known: number): number => 3 / Math.sqrt(known || 1);

/** The sentiment of an item for holders or users of its subject: the most likely label by a multinomial logistic model of
 * the title. If no word of the title has a class, the classes of the summary are used. */
export function sentimentOf(title: string, summary: string): Sentiment {
  if (/[?？]\s*$/.test(title)) return "neutral"; // A question reports nothing.
  const folded = fold(title);
  const [isBad, isGood] = [REVERSED.negative.test(folded), REVERSED.positive.test(folded)];
  if (isBad !== isGood) return isBad ? "negative" : "positive";
  const own = classGramsOf(title);
  const grams = [...gramsOf(title), ...(own.size > 0 ? own : classGramsOf(summary))];
  const { numbers, values, scale, bias } = (opened ??= readWeights());
  const known = grams.flatMap((gram) => numbers.get(gram) ?? []);
  if (known.length === 0) return "neutral"; // No known n-gram.
  const share = scale * shrinkage(known.length);
  const [positive = 0, negative = 0] = Array.from({ length: SIDES }, (_, side) => {
    return bias[side]! + known.reduce((sum, number) => sum + values[SIDES * number + side]!, 0) * share;
  });
  return likeliestSentiment(positive, negative);
}

/** The most likely sentiment, from the logits of positive and negative, each against neutral. */
export const likeliestSentiment = (positive: number, negative: number): Sentiment =>
  Math.max(positive, negative) <= 0 ? "neutral" : positive >= negative ? "positive" : "negative";
