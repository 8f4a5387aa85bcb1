import { memoized } from "../../runtime/cache/memoized.ts";
import { readRows, readWords } from "../../runtime/text/data-rows.ts";
import { literal, patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./statement-patterns.json" with { type: "json" };

/** Patterns of statements: an amount is inexact or computed, a listed word is denied, and others. */
export const SAYS = patternsOf(PATTERNS);
const HAN = /^\p{Script=Han}/u;

/** A pattern of any of the words in a folded text, the longest first; Latin ones match as whole words. */
export function anyOf(words: readonly string[]): RegExp {
  const sorted = [...words].sort((a, b) => b.length - a.length).map(literal);
  const latin = sorted.filter((word) => !HAN.test(word)).join("|");
  const han = sorted.filter((word) => HAN.test(word)).join("|");
  return new RegExp([latin && `(?<![a-z'])(?:${latin})(?![a-z'])`, han].filter(Boolean).join("|"), "g");
}

/** Capitalised words that are not names. */
export const NO_NAMES: ReadonlySet<string> = new Set(readWords(new URL("data/words-in-capitals.txt", import.meta.url)));

const NEGATION_ROWS = readRows(new URL("data/negations.txt", import.meta.url));
const NEGATIONS = new Map(NEGATION_ROWS.map(([[name = ""] = [], words = []]) => [name, anyOf(words)] as const));

/** Whether a folded text is negated. Two negations cancel each other. */
export function isNegated(folded: string): boolean {
  const text = folded
    .replaceAll("’", "'")
    .replace(/^(?:no|yes|nope|不|不是|不会|不行|不能|不可以)[.,，。:：!！]\s*/, "")
    .replace(NEGATIONS.get("harmless")!, " ");
  return (text.match(NEGATIONS.get("negations")!)?.length ?? 0) % 2 === 1;
}

const ABSOLUTES = readRows(new URL("data/absolutes.txt", import.meta.url)).map(([words = []]) => anyOf(words));

/** Whether a folded text makes an absolute claim (always, everywhere, for all, surely) that none of the sources makes. */
export const overclaims = (folded: string, sources: readonly string[]): boolean =>
  ABSOLUTES.some((words) => {
    const at = folded.search(words);
    const isDenied = at === -1 || SAYS.denied.test(folded.slice(Math.max(0, at - 20), at));
    return !isDenied && sources.every((source) => source.search(words) === -1);
  });

const OPPOSITES = readRows(new URL("data/opposites.txt", import.meta.url)).map((sides) => sides.map(anyOf));

/** The side of a folded text in each pair of opposites: 1, -1, or 0 for both or none. */
const sidesOf = memoized(
  (folded: string): readonly number[] =>
    OPPOSITES.map(([one, other]) => Number(folded.search(one!) !== -1) - Number(folded.search(other!) !== -1)),
  5000,
);

/** Whether one folded text has a word where the other has its opposite. */
export function hasOpposite(a: string, b: string): boolean {
  const sides = sidesOf(b);
  return sidesOf(a).some((side, at) => side * sides[at]! < 0);
}
