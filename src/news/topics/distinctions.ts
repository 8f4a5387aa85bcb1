import { readRows } from "../../runtime/text/data-rows.ts";
import { assetsInNews } from "../../language/assets.ts";
import { headlineTermsOf } from "../../language/terms.ts";
import { isTitleCase } from "./topic-subject.ts";
import { inOrder } from "../../language/attention/difference.ts";
import { tokenize } from "../../language/tokenize.ts";
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
const KINDS = rowsOf("places", "kind").map(([, names = []]) => new Set(names));
const SIDES = readLexicon(new URL("data/sides.txt", import.meta.url));
const PLACES = 0; // The row of places, of which there is one.

const [OTHER, OFFICES] = rowsOf("office")[0]!
  .slice(1)
  .map((names) => names.join("|"));
/** Where a Chinese title calls an office by its name, and any title a thing by its number, a round of funding or a version:
 * `东京`, `法院`; `17`, `iPhone`; `C`, `轮`; `1.15.3`, `v`. */
const LABELS = [
  new RegExp(`(?!${OTHER})(?<name>\\p{Script=Han}{2})(?:${OTHER}){0,3}(?<thing>${OFFICES})`, "gu"),
  /(?<thing>第|月|(?<!\p{Script=Latin})\p{Lu}\p{Script=Latin}*)[- ]?(?<name>\d{1,4}|[一二三四五六七八九十])(?![\d.,%万亿千百\p{Script=Latin}])/gu,
  /(?<name>[A-H])\+?(?<thing>轮)/gu,
  /(?<!\p{Script=Latin})(?<thing>series|v|version) ?(?<name>[A-H](?!\p{Script=Latin})|\d+(?:\.\d+)+)/giu,
];
const { distinctions: DISTINCT } = CLUSTERING;

/** Reads the traits of a headline's title, of which `titleKeys` are the terms. */
export function traitsOf(title: string, lang: Language, titleKeys: Iterable<string>) {
  const concepts = new Set<string>();
  const assets: string[] = [];
  const rest = new Set<string>(); // The terms that are no numbers, tickers or concepts.
  const neutral = new Set<string>(); // The terms that other languages may have.
  for (const key of titleKeys) {
    if (key.startsWith("@")) concepts.add(key.slice(1));
    if (key.startsWith("$")) assets.push(key);
    if (!/^[#$@]/.test(key)) rest.add(key);
    if (/^[#$@a-z]/.test(key)) neutral.add(key);
  }
  return {
    lang,
    sides: sidesOf(concepts, conceptsOf(tokenize(title), SIDES)),
    /** What it names of each kind. */
    named: [...KINDS.map((kind) => Array.from(concepts).filter((concept) => kind.has(concept))), assets],
    labels: LABELS.flatMap((pattern) => Array.from(title.matchAll(pattern), ({ groups }) => groups!)),
    ...{ rest, neutral },
    /** The title in characters, or in the words of English, every number as `#`. */
    units: title.replace(/\d[\d.,]*/g, "#").split(lang === "en" ? " " : ""),
    isTitleCase: isTitleCase(title),
    isPassive: /\bby\b|[被遭由获受]/i.test(title),
  };
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
  const both = common(x, y);
  const alike = both / (x.size + y.size - both || 1);
  const areTurned = alike >= (a.lang === b.lang ? DISTINCT.turned[a.lang] : DISTINCT.across);
  const loose = a.sides.filter((side) => b.sides.includes(side ^ 1)).map((side) => IS_LOOSE[side >> 1]!);
  const [isOpposed, isLooselyOpposed] = [loose.includes(false), loose.includes(true)];
  const [isOtherPlace, ...others] = a.named.map((names, kind) => differInKind(names, b.named[kind]!, kind === PLACES));
  const [isOther, isSwapped] = [others.includes(true), areSwapped(a, b)];
  return {
    areDistinct:
      isOpposed ||
      (isLooselyOpposed && areTurned) ||
      (isSwapped && alike >= DISTINCT.swapped) ||
      isOtherPlace === true ||
      isOther ||
      (a.lang === b.lang && alike >= DISTINCT.turned[a.lang] && differInLabels(a, b)),
    measures: [isOpposed, isLooselyOpposed, isOtherPlace, isOther, isSwapped].map(Number),
  };
}
export const RULES = 5; // How many measures.

/** Whether two titles have the same words the other way round, "A sues B" and "B sues A": three of them, in reverse. */
const areSwapped = (a: Traits, b: Traits): boolean =>
  a.isPassive === b.isPassive && inOrder(Array.from(a.rest).reverse(), Array.from(b.rest)) >= 3;

/** Whether two titles have a thing of one sort, and none of them is called the same. */
function differInLabels({ labels: a }: Traits, { labels: b }: Traits): boolean {
  const namesOf = (labels: typeof a, sort: string): string[] =>
    labels.flatMap(({ thing, name }) => (thing === sort ? [name!] : []));
  return a.some(({ thing = "" }) => differInKind(namesOf(a, thing), namesOf(b, thing), false));
}

/** Whether both name some of a kind, and none in common. A text with several places reports what concerns them all. */
function differInKind(a: readonly string[], b: readonly string[], isPlace: boolean): boolean {
  if (a.length === 0 || b.length === 0 || (isPlace && a.length + b.length > 2)) return false;
  return !a.some((name) => b.includes(name));
}

/** Whether two titles of one language differ in what stands between the same words. */
export function differBetween(a: Traits, b: Traits): boolean {
  const [first, second] = (a.lang === b.lang && middlesOf(a, b)) || [];
  return first !== undefined && second !== undefined && common(termsOfPart(first), termsOfPart(second)) === 0;
}

/** What two titles of one language have between a beginning and an end that are alike: the characters of Chinese, the
 * words of English. Undefined for titles that are not alike, or without words between. */
function middlesOf({ units: x, lang, isTitleCase }: Traits, { units: y }: Traits): [string, string] | undefined {
  const most = Math.min(x.length, y.length);
  let start = 0;
  while (start < most && x[start] === y[start]) start++;
  let end = 0;
  while (end < most - start && x.at(-1 - end) === y.at(-1 - end)) end++;
  const between = (units: readonly string[]): string =>
    units.slice(start, units.length - end).join(lang === "en" ? " " : "");
  const middles: [string, string] = [between(x), between(y)];
  const areNames = lang === "en" && !isTitleCase && middles.every((middle) => /^\p{Lu}/u.test(middle));
  const isFramed = start + end >= (areNames ? DISTINCT.names : DISTINCT.frame[lang]) * most;
  return isFramed && middles.every((middle) => /\p{L}{2}/u.test(middle)) ? middles : undefined;
}

/** The terms of a part of a title: parts that have one in common are alike. */
const termsOfPart = (text: string): ReadonlySet<string> => new Set(headlineTermsOf(text, assetsInNews(text)).keys());

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const term of a) if (b.has(term)) count++;
  return count;
}
