import { memoized } from "../../runtime/cache/memoized.ts";
import { readRows, readWords } from "../../runtime/text/data-rows.ts";
import { literal, patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./statement-patterns.json" with { type: "json" };

/** What statements and their clauses say: that an amount is not exact or was computed, that they deny what they list. */
export const SAYS = patternsOf(PATTERNS);
const HAN = /^\p{Script=Han}/u;

/** Matches any of the words in a folded text: Latin ones whole, the longest first. */
export function anyOf(words: readonly string[]): RegExp {
  const sorted = [...words].sort((a, b) => b.length - a.length).map(literal);
  const latin = sorted.filter((word) => !HAN.test(word)).join("|");
  const han = sorted.filter((word) => HAN.test(word)).join("|");
  return new RegExp([latin && `(?<![a-z'])(?:${latin})(?![a-z'])`, han].filter(Boolean).join("|"), "g");
}

/** Words with capitals that name nothing. */
export const NO_NAMES: ReadonlySet<string> = new Set(readWords(new URL("data/words-in-capitals.txt", import.meta.url)));

const NEGATION_ROWS = readRows(new URL("data/negations.txt", import.meta.url));
const NEGATIONS = new Map(NEGATION_ROWS.map(([[name = ""] = [], words = []]) => [name, anyOf(words)] as const));

/** Whether a folded text states the opposite of what its other words say: two negations are none. */
export function isNegated(folded: string): boolean {
  const text = folded
    .replaceAll("’", "'")
    .replace(/^(?:no|yes|nope|不|不是|不会|不行|不能|不可以)[.,，。:：!！]\s*/, "")
    .replace(NEGATIONS.get("harmless")!, " ");
  return (text.match(NEGATIONS.get("negations")!)?.length ?? 0) % 2 === 1;
}

const ABSOLUTES = readRows(new URL("data/absolutes.txt", import.meta.url)).map(([words = []]) => anyOf(words));

/** Whether one folded text says that something always, everywhere, for all or surely is so, and none of the others does. */
export const overclaims = (folded: string, sources: readonly string[]): boolean =>
  ABSOLUTES.some((words) => {
    const at = folded.search(words);
    const isDenied = at === -1 || SAYS.denied.test(folded.slice(Math.max(0, at - 20), at));
    return !isDenied && sources.every((source) => source.search(words) === -1);
  });

const OPPOSITES = readRows(new URL("data/opposites.txt", import.meta.url)).map((sides) => sides.map(anyOf));

/** For each pair of opposites, which side a folded text has: 1, -1, or 0 for both or none. */
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
