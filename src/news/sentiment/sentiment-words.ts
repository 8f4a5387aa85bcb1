import type { Sentiment } from "../../contract/schemas/shared-fields.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { longestMatches } from "../../language/longest-matches.ts";
import { toSimplified } from "../../language/traditional.ts";
import { readRows } from "../../runtime/text/data-rows.ts";
import { literal } from "../../runtime/text/patterns.ts";

const REACH = 3; // How many words (English) or characters (Chinese) a negation reaches forward.

type Kind = "positive" | "negative" | "negator" | "relief";
/** What phrases and words say for each sentiment. */
export type WordCounts = Readonly<Record<Sentiment, number>>;
type Counting = Record<Sentiment, number>;

const WORDS = readRows(new URL("data/sentiment-words.txt", import.meta.url)).map(
  ([[kind = ""] = [], en = [], zh = []]) => ({ kind: kind as Kind, en, zh }),
);
const EN = Object.fromEntries(WORDS.map(({ kind, en }) => [kind, new Set(en)])) as Record<Kind, Set<string>>;
const LONGEST_EN = Math.max(...WORDS.flatMap(({ en }) => en.map((word) => word.length)));
const ZH = new Map(WORDS.flatMap(({ kind, zh }) => zh.map((word) => [word, kind] as const)));
const LONGEST_ZH = Math.max(...Array.from(ZH.keys(), (word) => word.length));
/** Words (English) and characters (Chinese) that a gap of a phrase spans at most. */
const GAP_EN = "(?:(?:[^\\s,;:.!?]|(?<=\\d)[,.](?=\\d))+ ){0,4}";
const GAP_ZH = "[^，。；：！？、,;:!?]{0,10}?";
/** What a phrase counts against a single word, the first of the file's order, which says most, and a neutral one. */
const WEIGHT = { phrase: 2, first: 4, neutral: 20 };
type Phrases = { readonly kind: keyof WordCounts; readonly pattern: RegExp; readonly lang: number };
const SCRIPTS = [/[a-z]/, /\p{Script=Han}/u]; // Of the phrases of each column: a text without it has none of them.

let phrases: readonly Phrases[] | undefined;

/** Phrases in the file's order, a row in one expression a language; read at the first text: few processes judge any. */
function allPhrases(): readonly Phrases[] {
  const classes = [new Map<string, string>(), new Map<string, string>()];
  phrases ??= readRows(new URL("data/sentiment-phrases.txt", import.meta.url)).flatMap(
    ([[kind = ""] = [], en = [], zh = []]) => {
      const patterns = [
        `(?<![\\p{L}\\d])(?:${byBeginning(en, englishPatterns)})`,
        byBeginning(zh, (list) => list.map((phrase) => literal(phrase).replaceAll("_", GAP_ZH)).join("|")),
      ].map((pattern, lang) => pattern.replace(/\\\{\w+\\\}/g, (name) => `(?:${classes[lang]!.get(name)!})`));
      for (const [lang, pattern] of patterns.entries()) classes[lang]!.set(literal(kind), pattern);
      if (kind.startsWith("{")) return [];
      const row = kind as keyof WordCounts;
      return patterns.map((pattern, lang) => ({ kind: row, pattern: new RegExp(pattern, "gu"), lang }));
    },
  );
  return phrases;
}

/** Phrases as alternatives; those that begin with one class or letter share it, so that it is sought once. */
function byBeginning(phrases: readonly string[], join: (list: readonly string[]) => string): string {
  const groups = groupBy(phrases, (phrase) => /^(?:\{\w+\}|\p{L})/u.exec(phrase)?.[0] ?? "");
  const restOf = ([begin, list]: [string, string[]]): string => join(list.map((phrase) => phrase.slice(begin.length)));
  return Array.from(groups, (group) => `${literal(group[0])}(?:${restOf(group)})`).join("|");
}

/** What may follow phrases that end so. One for a run of them compiles in a third of the time of one for each. */
const ENDS = { word: "(?![\\p{L}\\d])", any: "[\\p{L}'-]*", gap: "" };

/** The phrases as alternatives, tried in their order. */
function englishPatterns(list: readonly string[]): string {
  const runs: { readonly end: keyof typeof ENDS; readonly patterns: string[] }[] = [];
  for (const phrase of list) {
    const pattern = literal(phrase).replaceAll(" _ ", ` ${GAP_EN}`).replace(/ _$/, " ");
    const end = /[\p{L}\d}]$/u.test(phrase) ? "word" : phrase.endsWith("*") ? "any" : "gap";
    const begun = end === "any" ? pattern.slice(0, -"\\*".length) : pattern;
    const inner = begun.replaceAll("\\*", ENDS.any);
    if (runs.at(-1)?.end === end) runs.at(-1)!.patterns.push(inner);
    else runs.push({ end, patterns: [inner] });
  }
  return runs.map(({ end, patterns }) => `(?:${patterns.join("|")})${ENDS[end]}`).join("|");
}

function has(words: ReadonlySet<string>, word: string): boolean {
  if (words.has(word)) return true;
  for (let length = Math.min(LONGEST_EN, word.length); length > 0; length--) {
    if (words.has(`${word.slice(0, length)}*`)) return true;
  }
  return false;
}

/** Signed evidence of a text: phrases, then what is left of it by words, inverted by negation and relief. */
export function countWords(text: string): WordCounts {
  const result: Counting = { positive: 0, negative: 0, neutral: 0 };
  let rest = toSimplified(text.replaceAll("’", "'")).toLowerCase();
  for (const { kind, pattern, lang } of allPhrases()) {
    if (!SCRIPTS[lang]!.test(rest)) continue;
    rest = rest.replace(pattern, () => {
      result[kind] += WEIGHT[kind === "neutral" ? kind : result.positive + result.negative > 0 ? "phrase" : "first"];
      return " | ";
    });
  }
  const words: Counting = { positive: 0, negative: 0, neutral: 0 };
  countEnglish(rest, words);
  countChinese(rest, words);
  // Phrases outrank words: "patched before anyone could exploit the bug" is not bad news.
  const direction = result.positive - result.negative;
  if (direction >= 0) result.positive += words.positive;
  if (direction <= 0) result.negative += words.negative;
  return result;
}

function countEnglish(text: string, result: Counting): void {
  const words = text.match(/[a-z]+(?:[-'][a-z]+)*/g) ?? [];
  for (const [index, word] of words.entries()) {
    const positive = has(EN.positive, word);
    if (!positive && !has(EN.negative, word)) continue;
    const before = words.slice(Math.max(0, index - REACH), index);
    const negated = before.some((other) => has(EN.negator, other) || other.endsWith("n't"));
    const near = [...before, words[index + 1] ?? ""]; // Both "narrow losses" and "losses narrow".
    const relieved = !positive && near.some((other) => has(EN.relief, other));
    result[positive === (negated || relieved) ? "negative" : "positive"] += 1;
  }
}

function countChinese(text: string, result: Counting): void {
  const found = longestMatches(text, (word) => ZH.has(word), LONGEST_ZH);
  const marks = Array.from(found, ({ word, at }) => ({ kind: ZH.get(word)!, start: at, end: at + word.length }));
  for (const [index, mark] of marks.entries()) {
    if (mark.kind !== "positive" && mark.kind !== "negative") continue;
    const [previous, next] = [marks[index - 1], marks[index + 1]];
    const isNear = (other: typeof mark | undefined): boolean =>
      other !== undefined && (other.end <= mark.start ? mark.start - other.end : other.start - mark.end) <= REACH;
    const negated =
      previous?.kind === "negator" && isNear(previous) && !/[，。；、！？,]/.test(text.slice(previous.end, mark.start));
    const relieved =
      mark.kind === "negative" && [previous, next].some((other) => other?.kind === "relief" && isNear(other));
    const weight = result.positive + result.negative > 0 ? 1 : 2; // A Chinese title says first what matters.
    result[(mark.kind === "positive") === (negated || relieved) ? "negative" : "positive"] += weight;
  }
}
