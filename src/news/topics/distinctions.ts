import { readRows } from "../../runtime/text/data-rows.ts";
import { jaccard } from "../../runtime/text/jaccard.ts";
import { assetsInNews } from "../../language/assets.ts";
import { headlineTermsOf } from "../../language/terms.ts";
import { inOrder } from "../../language/attention/difference.ts";
import { NameTable } from "../../language/name-table.ts";
import { fold, tokenize } from "../../language/tokenize.ts";
import { conceptsOf, readLexicon } from "../../language/lexicon.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Language } from "../../contract/schemas/shared-fields.ts";

/** What a headline says of the matters in which the reports of one event agree. */
export type Traits = Readonly<ReturnType<typeof traitsOf>>;
const ROWS = readRows(new URL("data/distinctions.txt", import.meta.url));
const rowsOf = (...types: string[]): string[][][] => ROWS.filter(([[type = ""] = []]) => types.includes(type));
const OPPOSITES = rowsOf("opposed", "sequel", "only", "turned", "undone").map(
  ([[type = ""] = [], first = [], second = []]) => ({ type, first, second }),
);
const IS_LOOSE = OPPOSITES.map(({ type }) => type === "turned" || type === "undone");
/** The kinds that a concept is of. */
const KINDS: Lists = new Map();
for (const [row, [[type = ""] = [], names = []]] of rowsOf("places", "kind").entries())
  for (const name of names) add(KINDS, name, type === "places" ? type : String(row));
const PLACES: ReadonlySet<string> = new Set(["places", "country", "city"]); // Kinds of concepts and of names.
const SIDES = readLexicon(new URL("data/sides.txt", import.meta.url));
/** Phrases that say a side or stage of a matter. */
const STAGES = new NameTable<{ readonly matter: string; readonly side: string }>();
for (const [side, [[matter = ""] = [], ...phrases]] of readRows(new URL("data/stages.txt", import.meta.url)).entries())
  STAGES.add(phrases.flat(), { matter, side: String(side) });

const VERSION = /(?<!\p{Script=Latin})v(?:ersion )?(\d+(?:\.\d+)+)/giu;
const { distinctions: DISTINCT } = CLUSTERING;

/** Reads the traits of a headline's title, of which `titleKeys` are the terms. */
export function traitsOf(title: string, lang: Language, titleKeys: Iterable<string>) {
  const concepts = new Set<string>();
  const named: Lists = new Map(); // What it names of each kind, and the sides of each matter.
  const stages: Lists = new Map();
  const rest: string[] = []; // The terms that are no numbers, tickers or concepts.
  const neutral: string[] = []; // The terms that other languages may have.
  for (const key of titleKeys) {
    if (key.includes(":")) add(named, key.slice(1, key.indexOf(":")), key);
    else if (key.startsWith("@")) concepts.add(key.slice(1));
    else if (key.startsWith("$")) add(named, "asset", key);
    if (!/^[#$@]/.test(key)) rest.push(key);
    if (/^[#$@a-z]/.test(key)) neutral.push(key);
  }
  for (const concept of concepts) for (const kind of KINDS.get(concept) ?? []) add(named, kind, concept);
  for (const [, version = ""] of title.matchAll(VERSION)) add(named, "version", version);
  for (const { thing } of STAGES.find(fold(title))) add(stages, thing.matter, thing.side);
  return {
    lang,
    sides: sidesOf(concepts, conceptsOf(tokenize(title), SIDES)),
    ...{ named, stages, rest, neutral },
    /** The title in characters, or in the words of English, every number as `#`. */
    units: title.replace(/\d[\d.,]*/g, "#").split(lang === "en" ? " " : ""),
    isPassive: /\bby\b|[被遭由获受]/i.test(title),
  };
}

type Lists = Map<string, string[]>;

function add(lists: Lists, of: string, name: string): void {
  if (!lists.get(of)?.push(name)) lists.set(of, [name]);
}

/** The sides of a title in pairs of opposites: twice the row, and one more for the second side.
 * @param loose concepts that count where a pair is a loose one */
function sidesOf(concepts: ReadonlySet<string>, loose: ReadonlySet<string>): number[] {
  const sides: number[] = [];
  for (const [row, { type, first, second }] of OPPOSITES.entries()) {
    const isFirst = hasAny(first, concepts) || (IS_LOOSE[row]! && hasAny(first, loose));
    const isSecond = type === "only" ? !isFirst : hasAny(second, concepts) || (IS_LOOSE[row]! && hasAny(second, loose));
    if (isFirst && (!isSecond || type === "sequel" || type === "undone")) sides.push(2 * row);
    if (isSecond && !isFirst) sides.push(2 * row + 1);
  }
  return sides;
}

const hasAny = (names: readonly string[], concepts: ReadonlySet<string>): boolean =>
  names.some((name) => concepts.has(name));

/** What the rules say of two headlines: measures of 0 or 1, and whether they report different events though they use the
 * same words, as they say the opposite, or name others of a kind. */
export function rulesOf(a: Traits, b: Traits) {
  const [x, y] = a.lang === b.lang ? [a.rest, b.rest] : [a.neutral, b.neutral];
  const alike = jaccard(x, y);
  const areTurned = alike >= (a.lang === b.lang ? DISTINCT.turned[a.lang] : DISTINCT.across);
  const loose = a.sides.filter((side) => b.sides.includes(side ^ 1)).map((side) => IS_LOOSE[side >> 1]!);
  const [isOpposed, isLooselyOpposed] = [loose.includes(false), loose.includes(true)];
  let [isOtherPlace, isOther, isOtherStage, isSameStage] = [false, false, false, false];
  for (const [kind, names] of a.named) {
    if (!areOthers(names, b.named.get(kind))) continue;
    if (PLACES.has(kind)) isOtherPlace = true;
    else isOther = true;
  }
  for (const [matter, sides] of a.stages) {
    const others = b.stages.get(matter);
    if (others?.some((side) => sides.includes(side))) isSameStage = true;
    else if (others !== undefined) isOtherStage = true;
  }
  const isSwapped = areSwapped(a, b);
  return {
    areDistinct:
      isOpposed ||
      (isLooselyOpposed && areTurned) ||
      (isSwapped && alike >= DISTINCT.swapped) ||
      isOtherPlace ||
      isOther,
    measures: [isOpposed, isLooselyOpposed, isOtherPlace, isOther, isSwapped, isOtherStage, isSameStage].map(Number),
  };
}
export const RULES = 7; // How many measures.

/** Whether two titles have the same words the other way round, "A sues B" and "B sues A": three of them, in reverse. */
const areSwapped = (a: Traits, b: Traits): boolean =>
  a.isPassive === b.isPassive && inOrder(a.rest.toReversed(), b.rest) >= 3;

/** Whether each names some that the other does not. */
const areOthers = (a: readonly string[], b: readonly string[] = []): boolean =>
  a.some((name) => !b.includes(name)) && b.some((name) => !a.includes(name));

/** Whether two titles of one language differ in what stands between the same words. */
export function differBetween(a: Traits, b: Traits): boolean {
  const [first, second] = (a.lang === b.lang && middlesOf(a, b)) || [];
  return first !== undefined && second !== undefined && jaccard(termsOfPart(first), termsOfPart(second)) === 0;
}

/** What two titles of one language have between a beginning and an end that are alike: the characters of Chinese, the
 * words of English. Undefined for titles that are not alike, or without words between. */
function middlesOf({ units: x, lang }: Traits, { units: y }: Traits): [string, string] | undefined {
  const most = Math.min(x.length, y.length);
  let start = 0;
  while (start < most && x[start] === y[start]) start++;
  let end = 0;
  while (end < most - start && x.at(-1 - end) === y.at(-1 - end)) end++;
  const between = (units: readonly string[]): string =>
    units.slice(start, units.length - end).join(lang === "en" ? " " : "");
  const middles: [string, string] = [between(x), between(y)];
  const isFramed = start + end >= DISTINCT.frame[lang] * most;
  return isFramed && middles.every((middle) => /\p{L}{2}/u.test(middle)) ? middles : undefined;
}

/** The terms of a part of a title: parts that have one in common are alike. */
const termsOfPart = (text: string): string[] => Array.from(headlineTermsOf(text, assetsInNews(text)).keys());
