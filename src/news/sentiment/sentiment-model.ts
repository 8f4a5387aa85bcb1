import type { Sentiment } from "../../contract/schemas/shared-fields.ts";
import { hasHan } from "../../language/detect-language.ts";
import { fold, stem } from "../../language/tokenize.ts";
import { toSimplified } from "../../language/traditional.ts";
import { readNumberedLines } from "../../runtime/text/numbered-lines.ts";
import type { WordCounts } from "./sentiment-words.ts";

/** The weights, as `generate.js` makes and describes them. */
const FILE = new URL("sentiment-weights.br", import.meta.url);
const SIDES = 2; // Positive and negative, each against neutral.
const THRESHOLD = 0.2; // Least balance of words that is not neutral.
const LONGEST = { words: 3, characters: 4 };
const MOST_WORDS = 5; // What more words say counts no more.

let opened: ReturnType<typeof readWeights> | undefined; // The same for the whole process.

function readWeights() {
  const { numbers, bytes } = readNumberedLines(FILE);
  const floats = SIDES * numbers.size;
  const count = (bytes.length - floats) / 4;
  const [scale = 1, ...shape] = Array.from({ length: count }, (_, at) => bytes.readFloatLE(floats + 4 * at));
  return { numbers, values: new Int8Array(bytes.buffer, bytes.byteOffset, floats), scale, shape };
}

/** Whether a part of titles is one of those with weights. */
export const isWeighed = (gram: string): boolean => (opened ??= readWeights()).numbers.has(gram);

/** The parts of a title whose weights are learned, each once: one to four characters of Chinese; one to three stems of
 * English, also two with one between, the first and the last. All numbers are one.
 * @example
 * gramsOf("Profit up 5%"); // profit, profit up, profit up #, profit _ #, up, up #, #, ^profit, #$
 */
export function gramsOf(title: string): Set<string> {
  const text = fold(toSimplified(title)).replace(/\d[\d.,]*/g, "#");
  const grams = new Set<string>();
  if (hasHan(text)) {
    const characters = Array.from(text);
    for (let from = 0; from < characters.length; from++) {
      for (let length = 1; length <= LONGEST.characters && from + length <= characters.length; length++) {
        if (characters[from + length - 1] === " ") break;
        grams.add(characters.slice(from, from + length).join(""));
      }
    }
    return grams;
  }
  const words = (text.match(/[a-z]+(?:'[a-z]+)?|[#$€£!]/g) ?? []).map(stem);
  for (const [at, word] of words.entries()) {
    for (let length = 1; length <= LONGEST.words && at + length <= words.length; length++) {
      grams.add(words.slice(at, at + length).join(" "));
    }
    if (at + 2 < words.length) grams.add(`${word} _ ${words[at + 2]}`);
  }
  if (words.length > 0) grams.add(`^${words[0]}`).add(`${words.at(-1)}$`);
  return grams;
}

/** What the counted words are like: their balance between −1 and 1, (P − N) / (P + N + 1 + neutral) (a smoothed polarity
 * ratio, after Hu and Liu 2004 and Taboada et al. 2011), how many there are, and what they alone would decide. */
export function shapeOf({ positive, negative, neutral }: WordCounts): number[] {
  const balance = (positive - negative) / (positive + negative + 1 + neutral);
  const flags = [
    neutral > 0,
    positive > 0 && negative > 0,
    positive + negative + neutral === 0,
    balance > THRESHOLD,
    balance < -THRESHOLD,
  ];
  const amounts = [balance, Math.abs(balance), Math.min(positive, MOST_WORDS), Math.min(negative, MOST_WORDS)];
  return [1, ...amounts, ...flags.map(Number)];
}

/** What a known part of a title weighs: of a title with more of them, each weighs less. */
export const shareOf = (known: number): number => 3 / Math.sqrt(known || 1);

/** The likeliest sentiment of a title: a multinomial logistic model of its parts and of what its words are like. */
export function judgeTitle(title: string, counts: WordCounts): Sentiment {
  const { numbers, values, scale, shape } = (opened ??= readWeights());
  const known = Array.from(gramsOf(title)).flatMap((gram) => numbers.get(gram) ?? []);
  const form = shapeOf(counts);
  const [positive = 0, negative = 0] = Array.from({ length: SIDES }, (_, side) => {
    const said = known.reduce((sum, number) => sum + values[SIDES * number + side]!, 0) * scale * shareOf(known.length);
    return form.reduce((sum, value, at) => sum + value * shape[SIDES * at + side]!, said);
  });
  return likeliest(positive, negative);
}

/** The likeliest sentiment by the logits of two, each against neutral. */
export function likeliest(positive: number, negative: number): Sentiment {
  if (Math.max(positive, negative) <= 0) return "neutral";
  return positive >= negative ? "positive" : "negative";
}
