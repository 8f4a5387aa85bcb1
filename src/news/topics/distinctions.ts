import { assetsInNews } from "../../language/assets.ts";
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
const rowsOf = (...types: string[]): string[][][] => ROWS.filter(([[type = ""] = []]) => types.includes(type));
const OPPOSITES = rowsOf("opposed", "sequel");
const KINDS = rowsOf("places", "kind").map(([, names = []]) => new Set(names));
/** The row of places, of which there is one. */
const PLACES = 0;

/** Share of the terms besides names and numbers that two titles have in common, from which a name or number is what differs. */
const TEMPLATE = 0.6;
/** Share of the characters of a Chinese title, and of the words of an English one, from which the middle is what differs. */
const FRAME = 0.55;
const WORD_FRAME = 0.83;

/** Reads the traits of a headline's title, of which `titleKeys` are the terms. */
export function traitsOf(title: string, lang: Language, titleKeys: Iterable<string>): Traits {
  const keys = Array.from(titleKeys);
  const concepts = new Set(keys.flatMap((key) => (key.startsWith("@") ? [key.slice(1)] : [])));
  const has = (list: readonly string[]): boolean => list.some((concept) => concepts.has(concept));
  const names = namesOf(title, lang);
  return {
    lang,
    sides: OPPOSITES.map(([[type = ""] = [], first = [], second = []]) => {
      const isFirst = has(first);
      if (!has(second)) return isFirst ? 1 : 0;
      return !isFirst ? 2 : type === "sequel" ? 1 : 0;
    }),
    named: [
      ...KINDS.map((kind) => Array.from(concepts).filter((concept) => kind.has(concept))),
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
  const runs: readonly string[] = title.match(/(?<![\p{L}\d])[\p{Script=Latin}\d&]+/gu) ?? [];
  const words = runs.filter((word) => /\p{Script=Latin}/u.test(word));
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
  return a.lang === b.lang && (differInOneTerm(a, b) || differInMiddle(a.title, b.title, a.lang === "en" ? " " : ""));
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
  if (shared + named < TEMPLATE * (size + a.names.size + b.names.size - named)) return false;
  if (shared >= TEMPLATE * size && named < a.names.size && named < b.names.size) return true;
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

/** Whether two titles begin and end alike, with something else between: the characters of Chinese, the words of English. */
function differInMiddle(a: string, b: string, unit: string): boolean {
  const [x, y] = [a.split(unit), b.split(unit)];
  const most = Math.min(x.length, y.length);
  let start = 0;
  while (start < most && x[start] === y[start]) start++;
  let end = 0;
  while (end < most - start && x.at(-1 - end) === y.at(-1 - end)) end++;
  if (start + end < (unit === "" ? FRAME : WORD_FRAME) * most) return false;
  const [first, second] = [x.slice(start, x.length - end).join(unit), y.slice(start, y.length - end).join(unit)];
  return /\p{L}{2}/u.test(first) && /\p{L}{2}/u.test(second) && !areAlike(first, second);
}

/** Whether two words have a character or a concept in common. */
function areAlike(a: string, b: string): boolean {
  const partsOf = (word: string): Set<string> =>
    new Set([
      ...headlineTermsOf(word, assetsInNews(word)).map(({ key }) => key),
      ...(word.match(/\p{Script=Han}/gu) ?? []),
    ]);
  return common(partsOf(a), partsOf(b)) > 0;
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return Array.from(a).filter((term) => b.has(term)).length;
}
