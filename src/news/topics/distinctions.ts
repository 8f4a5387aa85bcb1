import { assetsInNews } from "../../language/assets.ts";
import { headlineTermsOf } from "../../language/terms.ts";
import { readRows } from "../../runtime/text/data-rows.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { quantitiesInDigits, quantitiesOf } from "../../language/quantities.ts";
import { fold } from "../../language/tokenize.ts";
import { isTitleCase } from "./topic-subject.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Language } from "../../contract/schemas/shared-fields.ts";

/** What a headline says of the matters in which the reports of one event agree. */
export type Traits = Readonly<ReturnType<typeof traitsOf>>;
const ROWS = readRows(new URL("data/distinctions.txt", import.meta.url));
const rowsOf = (...types: string[]): string[][][] => ROWS.filter(([[type = ""] = []]) => types.includes(type));
const OPPOSITES = rowsOf("opposed", "sequel", "only", "turned");
const KINDS = rowsOf("places", "kind").map(([, names = []]) => new Set(names));
const PLACES = 0; // The row of places, of which there is one.

const { distinctions: DISTINCT } = CLUSTERING;

/** Reads the traits of a headline's title, of which `titleKeys` are the terms. */
export function traitsOf(title: string, lang: Language, titleKeys: Iterable<string>) {
  const keys = Array.from(titleKeys);
  const concepts = new Set(keys.flatMap((key) => (key.startsWith("@") ? [key.slice(1)] : [])));
  const has = (list: readonly string[]): boolean => list.some((concept) => concepts.has(concept));
  return {
    lang,
    /** Side in each pair of opposites: 1, 2, or 0 for none. */
    sides: OPPOSITES.map(([[type = ""] = [], first = [], second = []]) => {
      const isFirst = has(first);
      if (type === "only") return isFirst ? 1 : 2;
      if (!has(second)) return isFirst ? 1 : 0;
      return !isFirst ? 2 : type === "sequel" ? 1 : 0;
    }),
    /** What it names of each kind. */
    named: [
      ...KINDS.map((kind) => Array.from(concepts).filter((concept) => kind.has(concept))),
      keys.filter((key) => key.startsWith("$")),
    ],
    figures: quantitiesOf(quantitiesInDigits(fold(title))),
    rest: new Set(keys.filter((key) => !/^[#$@]/.test(key))), // The other terms.
    /** The title in characters, or in the words of English, every number as `#`. */
    units: title.replace(/\d[\d.,]*/g, "#").split(lang === "en" ? " " : ""),
    isTitleCase: isTitleCase(title),
  };
}

/** A test of whether two headlines report different events though they use the same words. It remembers the parts of
 * titles that it has read: near headlines are compared again and again. */
export function createDistinction(): (a: Traits, b: Traits) => boolean {
  const termsOf = memoized(termsOfPart, DISTINCT.kept);
  return (a, b) => {
    const shared = common(a.rest, b.rest);
    const alike = shared / (a.rest.size + b.rest.size - shared || 1);
    const counts = (row: number): boolean => alike >= DISTINCT.turned || OPPOSITES[row]![0]![0] !== "turned";
    if (a.sides.some((side, row) => side + b.sides[row]! === 3 && counts(row))) return true;
    if (a.named.some((names, kind) => differInKind(names, b.named[kind]!, kind === PLACES))) return true;
    if (a.lang !== b.lang) return false;
    if (alike >= DISTINCT.template && differInFigures(a, b)) return true;
    const [first, second] = middlesOf(a, b) ?? [];
    return first !== undefined && second !== undefined && common(termsOf(first), termsOf(second)) === 0;
  };
}

/** Whether both name some of a kind, and none in common. A text with several places reports what concerns them all. */
function differInKind(a: readonly string[], b: readonly string[], isPlace: boolean): boolean {
  if (a.length === 0 || b.length === 0 || (isPlace && a.length + b.length > 2)) return false;
  return !a.some((name) => b.includes(name));
}

/** Whether each of two titles has a number that the other has not. */
function differInFigures(a: Traits, b: Traits): boolean {
  const isOther = (one: Traits, other: Traits): boolean =>
    one.figures.some(
      (figure) => !other.figures.some(({ value, unit }) => value === figure.value && unit === figure.unit),
    );
  return isOther(a, b) && isOther(b, a);
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
const termsOfPart = (text: string): ReadonlySet<string> =>
  new Set(headlineTermsOf(text, assetsInNews(text)).map(({ key }) => key));

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const term of a) if (b.has(term)) count++;
  return count;
}
