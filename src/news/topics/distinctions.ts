import { assetsInNews } from "../../language/assets.ts";
import { headlineTermsOf } from "../../language/terms.ts";
import { HEADLINE_LEXICON, conceptsOf } from "../../language/lexicon.ts";
import { readRows } from "../../runtime/data-rows.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { type Quantity, quantitiesInDigits, quantitiesOf } from "../../language/quantities.ts";
import { fold, tokenize } from "../../language/tokenize.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Language } from "../../contract/schemas/shared-fields.ts";

/** What a headline says of the matters in which the reports of one event agree. */
export type Traits = Readonly<ReturnType<typeof traitsOf>>;

const ROWS = readRows(new URL("data/distinctions.txt", import.meta.url));
const rowsOf = (...types: string[]): string[][][] => ROWS.filter(([[type = ""] = []]) => types.includes(type));
const OPPOSITES = rowsOf("opposed", "sequel");
const KINDS = rowsOf("places", "kind").map(([, names = []]) => new Set(names));
/** The row of places, of which there is one. */
const PLACES = 0;

const { distinctions: DISTINCT } = CLUSTERING;

/** Reads the traits of a headline's title, of which `titleKeys` are the terms. */
export function traitsOf(title: string, lang: Language, titleKeys: Iterable<string>) {
  const keys = Array.from(titleKeys);
  const concepts = new Set(keys.flatMap((key) => (key.startsWith("@") ? [key.slice(1)] : [])));
  const has = (list: readonly string[]): boolean => list.some((concept) => concepts.has(concept));
  const names = namesOf(title, lang);
  return {
    lang,
    /** Side in each pair of opposites: 1, 2, or 0 for none. */
    sides: OPPOSITES.map(([[type = ""] = [], first = [], second = []]) => {
      const isFirst = has(first);
      if (!has(second)) return isFirst ? 1 : 0;
      return !isFirst ? 2 : type === "sequel" ? 1 : 0;
    }),
    /** What it names of each kind. */
    named: [
      ...KINDS.map((kind) => Array.from(concepts).filter((concept) => kind.has(concept))),
      keys.filter((key) => key.startsWith("$")),
    ],
    /** Names in Latin letters, folded, that are not in the lexicon. */
    names,
    figures: quantitiesOf(quantitiesInDigits(fold(title))),
    /** The other terms. */
    rest: new Set(keys.filter((key) => !/^[#$@]/.test(key) && !names.has(key))),
    /** The title in characters, or in the words of English. */
    units: title.split(lang === "en" ? " " : ""),
  };
}

/** Words of a Chinese title in Latin letters, and those that an English one capitalises; none of a title in Title Case. */
function namesOf(title: string, lang: string): Set<string> {
  const runs: readonly string[] = title.match(/(?<![\p{L}\d])[\p{Script=Latin}\d&]+/gu) ?? [];
  const words = runs.filter((word) => /\p{Script=Latin}/u.test(word));
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word) || /^\d/.test(word));
  if (lang === "en" && capitals.length > 0.6 * words.length && words.length > 4) return new Set();
  const found = (lang === "en" ? capitals : words).filter(
    (word) => word.length > 1 && conceptsOf(tokenize(word), HEADLINE_LEXICON).size === 0,
  );
  return new Set(found.flatMap((word) => headlineTermsOf(word, []).map(({ key }) => key)));
}

/** A test of whether two headlines report different events though they use the same words. It remembers the parts of
 * titles that it has read: near headlines are compared again and again. */
export function createDistinction(): (a: Traits, b: Traits) => boolean {
  const partsOf = memoized(partsOfMiddle, DISTINCT.kept);
  return (a, b) => {
    if (a.sides.some((side, row) => side + b.sides[row]! === 3)) return true;
    if (a.named.some((names, kind) => differInKind(names, b.named[kind]!, kind === PLACES))) return true;
    if (a.lang !== b.lang) return false;
    if (differInOneTerm(a, b)) return true;
    const [first, second] = middlesOf(a, b) ?? [];
    return first !== undefined && second !== undefined && common(partsOf(first), partsOf(second)) === 0;
  };
}

/** Whether both name some of a kind, and none in common. A text with several places reports what concerns them all. */
function differInKind(a: readonly string[], b: readonly string[], isPlace: boolean): boolean {
  if (a.length === 0 || b.length === 0 || (isPlace && a.length + b.length > 2)) return false;
  return !a.some((name) => b.includes(name));
}

/** Whether two titles of mostly the same words have other names, or other numbers. */
function differInOneTerm(a: Traits, b: Traits): boolean {
  const shared = common(a.rest, b.rest);
  const named = common(a.names, b.names);
  const size = a.rest.size + b.rest.size - shared;
  if (shared + named < DISTINCT.template * (size + a.names.size + b.names.size - named)) return false;
  if (shared >= DISTINCT.template * size && named < a.names.size && named < b.names.size) return true;
  const isOther = (one: Traits, other: Traits): boolean =>
    one.figures.some((figure) => !other.figures.some((same) => agree(figure, same)));
  return isOther(a, b) && isOther(b, a);
}

/** Whether one quantity is the other one rounded, or cut off, to its digits. */
function agree(a: Quantity, b: Quantity): boolean {
  if (a.unit !== b.unit) return false;
  const unit = 10 ** (Math.floor(Math.log10(Math.max(a.value, b.value, 1e-9))) + 1 - Math.min(a.digits, b.digits));
  return Math.abs(a.value - b.value) < unit;
}

/** What two titles of one language have between a beginning and an end that are alike: the characters of Chinese, the
 * words of English. Undefined for titles that are not alike, or without words between. */
function middlesOf({ units: x, lang }: Traits, { units: y }: Traits): [string, string] | undefined {
  const most = Math.min(x.length, y.length);
  let start = 0;
  while (start < most && x[start] === y[start]) start++;
  let end = 0;
  while (end < most - start && x.at(-1 - end) === y.at(-1 - end)) end++;
  if (start + end < DISTINCT.frame[lang] * most) return undefined;
  const between = (units: readonly string[]): string =>
    units.slice(start, units.length - end).join(lang === "en" ? " " : "");
  const middles: [string, string] = [between(x), between(y)];
  return middles.every((middle) => /\p{L}{2}/u.test(middle)) ? middles : undefined;
}

/** The terms and the Chinese characters of a part of a title: parts that have one in common are alike. */
function partsOfMiddle(text: string): ReadonlySet<string> {
  const terms = headlineTermsOf(text, assetsInNews(text)).map(({ key }) => key);
  return new Set([...terms, ...(text.match(/\p{Script=Han}/gu) ?? [])]);
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const term of a) if (b.has(term)) count++;
  return count;
}
