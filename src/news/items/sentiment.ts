import type { Sentiment } from "../../contract/schemas/shared-fields.ts";
import {
  NEGATIVE_EN,
  NEGATIVE_ZH,
  NEGATORS_EN,
  NEGATORS_ZH,
  POSITIVE_EN,
  POSITIVE_ZH,
  RELIEF_EN,
  RELIEF_ZH,
} from "./sentiment-lexicon.ts";

/** How many words (English) or characters (Chinese) a negation reaches forward. */
const REACH_EN = 3;
const REACH_ZH = 3;
/** The headline states what the item is about, so its words count double. */
const TITLE_WEIGHT = 2;
/** Least balance, on the scale of {@link sentimentScore}, that is not neutral. */
const THRESHOLD = 0.2;

interface Lexicon {
  readonly exact: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
  readonly stemLengths: readonly number[];
}

function lexicon(entries: readonly string[]): Lexicon {
  const stems = new Set(entries.filter((word) => word.endsWith("*")).map((word) => word.slice(0, -1)));
  return {
    exact: new Set(entries.filter((word) => !word.endsWith("*"))),
    stems,
    stemLengths: Array.from(new Set(Array.from(stems, (stem) => stem.length))),
  };
}

const EN = { positive: lexicon(POSITIVE_EN), negative: lexicon(NEGATIVE_EN), relief: new Set(RELIEF_EN) };

function has({ exact, stems, stemLengths }: Lexicon, word: string): boolean {
  return exact.has(word) || stemLengths.some((length) => stems.has(word.slice(0, length)));
}

type Kind = "positive" | "negative" | "negator" | "relief";
const ZH: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...POSITIVE_ZH.map((word) => [word, "positive"] as const),
  ...NEGATIVE_ZH.map((word) => [word, "negative"] as const),
  ...NEGATORS_ZH.map((word) => [word, "negator"] as const),
  ...RELIEF_ZH.map((word) => [word, "relief"] as const),
]);
const LONGEST_ZH = Math.max(...Array.from(ZH.keys(), (word) => word.length));

interface WordCounts {
  positive: number;
  negative: number;
}

/** Signed evidence of a text: words of the lexicons, inverted by negation and relief. */
function countWords(text: string): WordCounts {
  const result: WordCounts = { positive: 0, negative: 0 };
  countEnglish(text, result);
  countChinese(text, result);
  return result;
}

function countEnglish(text: string, result: WordCounts): void {
  const words =
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[a-z]+(?:[-'][a-z]+)*/g) ?? [];
  for (const [index, word] of words.entries()) {
    const positive = has(EN.positive, word);
    if (!positive && !has(EN.negative, word)) continue;
    const before = words.slice(Math.max(0, index - REACH_EN), index);
    const negated = before.some((other) => NEGATORS_EN.has(other) || other.endsWith("n't"));
    // Both "narrow losses" and "losses narrow".
    const near = [...before, words[index + 1] ?? ""];
    const relieved = !positive && near.some((other) => EN.relief.has(other));
    result[positive === (negated || relieved) ? "negative" : "positive"] += 1;
  }
}

function countChinese(text: string, result: WordCounts): void {
  const marks: { kind: Kind; start: number; end: number }[] = [];
  for (let at = 0; at < text.length;) {
    const length = longestMatch(text, at);
    if (length > 0) marks.push({ kind: ZH.get(text.slice(at, at + length))!, start: at, end: at + length });
    at += Math.max(1, length);
  }
  for (const [index, mark] of marks.entries()) {
    if (mark.kind !== "positive" && mark.kind !== "negative") continue;
    const previous = marks[index - 1];
    const next = marks[index + 1];
    const isNear = (other: typeof mark | undefined): boolean =>
      other !== undefined && (other.end <= mark.start ? mark.start - other.end : other.start - mark.end) <= REACH_ZH;
    const negated =
      previous?.kind === "negator" && isNear(previous) && !/[，。；、！？]/.test(text.slice(previous.end, mark.start));
    const relieved =
      mark.kind === "negative" && [previous, next].some((other) => other?.kind === "relief" && isNear(other));
    const flipped = negated || relieved;
    result[(mark.kind === "positive") === flipped ? "negative" : "positive"] += 1;
  }
}

function longestMatch(text: string, at: number): number {
  for (let length = Math.min(LONGEST_ZH, text.length - at); length > 0; length--) {
    if (ZH.has(text.slice(at, at + length))) return length;
  }
  return 0;
}

/**
 * Direction of an item between −1 and 1: (P − N) / (P + N + 1), P and N the counts of positive and negative words, the
 * title's doubled; the 1 keeps a single word in a summary from deciding (a smoothed polarity ratio, after Hu and Liu
 * 2004 and Taboada et al. 2011, with the negation window of the latter).
 */
export function sentimentScore(title: string, summary: string): number {
  const head = countWords(title);
  const body = countWords(summary);
  const positive = head.positive * TITLE_WEIGHT + body.positive;
  const negative = head.negative * TITLE_WEIGHT + body.negative;
  return (positive - negative) / (positive + negative + 1);
}

/** {@link sentimentScore} as a label. */
export function sentimentOf(title: string, summary: string): Sentiment {
  const score = sentimentScore(title, summary);
  return score > THRESHOLD ? "positive" : score < -THRESHOLD ? "negative" : "neutral";
}

/**
 * The label that most items carry. A tie is decided by the fear-and-greed index (above 54 greed, below 46 fear), and
 * is neutral without one.
 */
export function dominantSentiment(counts: Readonly<Record<Sentiment, number>>, index: number | null): Sentiment {
  const most = Math.max(counts.positive, counts.neutral, counts.negative);
  const leading = (["positive", "neutral", "negative"] as const).filter((label) => counts[label] === most);
  if (leading.length === 1) return leading[0]!;
  const mood = index === null ? "neutral" : index > 54 ? "positive" : index < 46 ? "negative" : "neutral";
  return leading.includes(mood) ? mood : "neutral";
}
