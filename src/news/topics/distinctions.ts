import { headlineTermsOf } from "../../language/terms.ts";
import { HEADLINE_LEXICON, conceptsOf } from "../../language/lexicon.ts";
import { readRows } from "../../runtime/data-rows.ts";
import { type Quantity, quantitiesInDigits, quantitiesOf } from "../../language/quantities.ts";
import { fold, tokenize } from "../../language/tokenize.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";

/** What a headline says of the matters in which the reports of one event agree. */
export interface Traits {
  readonly lang: Language;
  /** Side in each pair of opposites: 1, 2, or 0 for none. */
  readonly sides: readonly number[];
  /** What it names of each kind. */
  readonly named: readonly (readonly string[])[];
  /** Names in Latin letters, folded, that are not in the lexicon. */
  readonly names: ReadonlySet<string>;
  readonly figures: readonly Quantity[];
  /** The other terms. */
  readonly rest: ReadonlySet<string>;
  readonly title: string;
}

const ROWS = readRows(new URL("data/distinctions.txt", import.meta.url));
const OPPOSITES = ROWS.filter(([[type = ""] = []]) => type !== "kind").map(
  ([[type = ""] = [], first = [], second = []]) => ({
    isSequel: type === "sequel",
    first,
    second,
  }),
);
const KINDS = ROWS.filter(([[type = ""] = []]) => type === "kind" || type === "places").map(
  ([[type = ""] = [], names = []]) => ({
    type,
    names: new Set(names),
  }),
);
const PLACES = KINDS.findIndex(({ type }) => type === "places");

/** Share of the terms besides names and numbers that two titles have in common, from which a name or number is what differs. */
const TEMPLATE = 0.6;
/** Share of a Chinese title that another one has at its beginning and its end, from which the middle is what differs. */
const FRAME = 0.55;

/** Reads the traits of a headline's title, of which `titleKeys` are the terms. */
export function traitsOf(title: string, lang: Language, titleKeys: Iterable<string>): Traits {
  const keys = Array.from(titleKeys);
  const concepts = new Set(keys.flatMap((key) => (key.startsWith("@") ? [key.slice(1)] : [])));
  const has = (list: readonly string[]): boolean => list.some((concept) => concepts.has(concept));
  const names = namesOf(title, lang);
  return {
    lang,
    sides: OPPOSITES.map(({ isSequel, first, second }) => {
      const [isFirst, isSecond] = [has(first), has(second)];
      return isFirst && isSecond ? (isSequel ? 1 : 0) : isFirst ? 1 : isSecond ? 2 : 0;
    }),
    named: [
      ...KINDS.map((kind) => Array.from(concepts).filter((concept) => kind.names.has(concept))),
      keys.filter((key) => key.startsWith("$")),
    ],
    names,
    figures: quantitiesOf(quantitiesInDigits(fold(title))),
    rest: new Set(keys.filter((key) => !/^[#$@]/.test(key) && !names.has(key))),
    title,
  };
}

/** Words of a Chinese title in Latin letters, and those that an English one capitalises; none of a title in Title Case. */
function namesOf(title: string, lang: string): Set<string> {
  const words = Array.from(
    title.matchAll(/(?<![\p{L}\d])[\p{Script=Latin}\d&]*\p{Script=Latin}[\p{Script=Latin}\d&]*/gu),
    ([word]) => word,
  );
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word) || /^\d/.test(word));
  if (lang === "en" && capitals.length > 0.6 * words.length && words.length > 4) return new Set();
  const found = (lang === "en" ? capitals : words).filter(
    (word) => word.length > 1 && conceptsOf(tokenize(word), HEADLINE_LEXICON).size === 0,
  );
  return new Set(found.flatMap((word) => headlineTermsOf(word, []).map(({ key }) => key)));
}

/** Whether two headlines report different events though they use the same words. */
export function areApart(a: Traits, b: Traits): boolean {
  if (a.sides.some((side, row) => side + b.sides[row]! === 3)) return true;
  if (a.named.some((names, kind) => differInKind(names, b.named[kind]!, kind === PLACES))) return true;
  return a.lang === b.lang && (differInOneTerm(a, b) || differInMiddle(a.title, b.title));
}

/** Whether both name some of a kind, and none in common. A text with several places reports what concerns them all. */
function differInKind(a: readonly string[], b: readonly string[], isPlace: boolean): boolean {
  if (a.length === 0 || b.length === 0 || (isPlace && a.length + b.length > 2)) return false;
  return !a.some((name) => b.includes(name));
}

/** Whether two titles of mostly the same words have other names, or other numbers. */
function differInOneTerm(a: Traits, b: Traits): boolean {
  const shared = count(a.rest, (term) => b.rest.has(term));
  const named = count(a.names, (term) => b.names.has(term));
  const size = a.rest.size + b.rest.size - shared;
  if (shared + named < TEMPLATE * (size + a.names.size + b.names.size - named)) return false;
  if (shared >= TEMPLATE * size && named < a.names.size && named < b.names.size) return true;
  return areOther(a.figures, b.figures);
}

/** Whether each has a figure that the other has not, in another precision at most; a single agreement suffices for many. */
function areOther(a: readonly Quantity[], b: readonly Quantity[]): boolean {
  const others = (one: readonly Quantity[], all: readonly Quantity[]): number =>
    one.filter((figure) => !all.some((other) => agree(figure, other))).length;
  return others(a, b) > 0 && others(b, a) > 0;
}

/** Whether one quantity is the other one rounded, or cut off, to its digits. */
function agree(a: Quantity, b: Quantity): boolean {
  if (a.unit !== b.unit) return false;
  const unit = 10 ** (Math.floor(Math.log10(Math.max(a.value, b.value, 1e-9))) + 1 - Math.min(a.digits, b.digits));
  return Math.abs(a.value - b.value) < unit;
}

function differInMiddle(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  if (start + end < FRAME * most) return false;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return /^\p{Script=Han}{2,}$/u.test(x) && /^\p{Script=Han}{2,}$/u.test(y) && !areAlike(x, y);
}

/** Whether two words have a character or a concept in common. */
function areAlike(a: string, b: string): boolean {
  if (Array.from(a).some((character) => b.includes(character))) return true;
  const concepts = conceptsOf(tokenize(b), HEADLINE_LEXICON);
  return Array.from(conceptsOf(tokenize(a), HEADLINE_LEXICON)).some((concept) => concepts.has(concept));
}

function count(set: ReadonlySet<string>, holds: (term: string) => boolean): number {
  let found = 0;
  for (const term of set) if (holds(term)) found++;
  return found;
}
