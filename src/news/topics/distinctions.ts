import { readRows } from "../../runtime/text/data-rows.ts";
import type { Unit } from "../../language/attention/units.ts";
import { NameTable } from "../../language/name-table.ts";
import { fold, tokenizeFolded } from "../../language/tokenize.ts";
import { conceptsOf, readLexicon } from "../../language/lexicon.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { memoized } from "../../runtime/cache/memoized.ts";
import { assetsInNews } from "../../language/assets.ts";
import { hasHan } from "../../language/detect-language.ts";
import { headlineTermsOf } from "../../language/terms.ts";

/** The traits of a headline that are equal in all reports of one event. */
export type Traits = Readonly<ReturnType<typeof traitsOf>>;
const ROWS = readRows(new URL("data/distinctions.txt", import.meta.url));
const rowsOf = (...types: string[]): string[][][] => ROWS.filter(([[type = ""] = []]) => types.includes(type));
const OPPOSITES = rowsOf("opposed", "sequel", "only", "turned", "undone").map(
  ([[type = ""] = [], first = [], second = []]) => ({ type, first, second }),
);
const IS_LOOSE = OPPOSITES.map(({ type }) => type === "turned" || type === "undone");
const KINDS: Lists = new Map(); // The kinds of each concept.
for (const [row, [[type = ""] = [], names = []]] of rowsOf("places", "kind").entries())
  for (const name of names) add(KINDS, name, type === "places" ? type : String(row));
const PLACES: ReadonlySet<string> = new Set(["places", "country", "city"]); // Kinds of concepts and of names.
const SIDES = readLexicon(new URL("data/sides.txt", import.meta.url));
/** Phrases that state a side or a stage of a matter. */
const STAGES = new NameTable<{ readonly matter: string; readonly side: string }>();
for (const [side, [[matter = ""] = [], ...phrases]] of readRows(new URL("data/stages.txt", import.meta.url)).entries())
  STAGES.add(phrases.flat(), { matter, side: String(side) });

const VERSION = /(?<!\p{Script=Latin})v(?:ersion )?(\d+(?:\.\d+)+)/giu;
const { distinctions: DISTINCT } = CLUSTERING;

/** Extracts the traits of a headline's title. @param titleKeys keys of the title's terms */
export function traitsOf(title: string, titleKeys: Iterable<string>) {
  const concepts = new Set<string>();
  const named: Lists = new Map(); // Names by kind.
  const stages: Lists = new Map(); // Sides by matter.
  for (const key of titleKeys) {
    if (key.includes(":")) add(named, key.slice(1, key.indexOf(":")), key);
    else if (key.startsWith("@")) concepts.add(key.slice(1));
    else if (key.startsWith("$")) add(named, "asset", key);
  }
  for (const concept of concepts) for (const kind of KINDS.get(concept) ?? []) add(named, kind, concept);
  for (const [, version = ""] of title.matchAll(VERSION)) add(named, "version", version);
  const folded = fold(title);
  for (const { thing } of STAGES.find(folded)) add(stages, thing.matter, thing.side);
  return { sides: sidesOf(concepts, conceptsOf(tokenizeFolded(folded), SIDES)), named, stages, deeds: deedsOf(folded) };
}

type Lists = Map<string, string[]>;

function add(lists: Lists, of: string, name: string): void {
  if (!lists.get(of)?.push(name)) lists.set(of, [name]);
}

/** The sides of a title in the pairs of opposites: 2 × row for the first side, 2 × row + 1 for the second.
 * @param loose additional concepts that count in loose pairs */
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

/** Applies the rules to two headlines: measures of 0 or 1, and whether they report different events in similar words,
 * because they state opposites or name different things of one kind.
 * @param overlap the overlap coefficient of their units, 0 to 1 */
export function rulesOf(a: Traits, b: Traits, overlap = 0) {
  const loose = a.sides.filter((side) => b.sides.includes(side ^ 1)).map((side) => IS_LOOSE[side >> 1]!);
  const [isOpposed, isLooselyOpposed] = [loose.includes(false), loose.includes(true)];
  const others = Array.from(a.named.keys()).filter((kind) => areOthers(a.named.get(kind)!, b.named.get(kind)));
  const isOtherPlace = others.some((kind) => PLACES.has(kind));
  const isOther = others.some((kind) => !PLACES.has(kind));
  const matters = Array.from(a.stages.keys()).filter((matter) => b.stages.has(matter));
  const shared = matters.map((matter) => b.stages.get(matter)!.some((side) => a.stages.get(matter)!.includes(side)));
  const [isSameStage, isOtherStage] = [shared.includes(true), shared.includes(false)];
  const isSwapped = areSwapped(a.deeds, b.deeds);
  return {
    areDistinct: isOpposed || (isLooselyOpposed && overlap >= DISTINCT.turned) || isSwapped || isOtherPlace || isOther,
    measures: [isOpposed, isLooselyOpposed, isOtherPlace, isOther, isSwapped, isOtherStage, isSameStage].map(Number),
  };
}
export const RULES = 7; // Number of measures.

/** Whether each list has a name that the other lacks. */
const areOthers = (a: readonly string[], b: readonly string[] = []): boolean =>
  a.some((name) => !b.includes(name)) && b.some((name) => !a.includes(name));

const wordOf = ({ sort, key }: Unit): string => (sort === "figure" ? "#" : key);
/** The word of a unit, and its classes; synonyms share a class. */
const meaningsOf = (unit: Unit): string[] =>
  unit.sort === "asset" ? [unit.key] : [wordOf(unit), ...unit.parts.filter((part) => part.startsWith("{"))];

/** Whether two titles in one language share their first and last words, but differ in meaning between these. */
export function differBetween(a: readonly Unit[], b: readonly Unit[]): boolean {
  const most = Math.min(a.length, b.length);
  const isSame = (x: Unit, y: Unit): boolean => wordOf(x) === wordOf(y);
  let start = 0;
  while (start < most && isSame(a[start]!, b[start]!)) start++;
  let end = 0;
  while (end < most - start && isSame(a.at(-1 - end)!, b.at(-1 - end)!)) end++;
  if (start + end === most || start + end < DISTINCT.frame * most) return false;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const meanings = y.flatMap(meaningsOf);
  if (x.flatMap(meaningsOf).some((meaning) => meanings.includes(meaning))) return false;
  return [...x, ...y].some(({ sort }) => sort !== "han") || areReplaced(x.map(wordOf).join(""), y.map(wordOf).join(""));
}

/** Whether something of one text takes the place of something of the other, before or behind the longest run that they
 * share: 旗下三只 and 三只新 replace nothing, they add to 三只. */
function areReplaced(x: string, y: string): boolean {
  for (let length = Math.min(x.length, y.length); length >= DISTINCT.run; length--) {
    for (let at = 0; at + length <= x.length; at++) {
      const other = y.indexOf(x.slice(at, at + length));
      const [afterX, afterY] = [x.slice(at + length), y.slice(other + length)];
      if (other >= 0) return areReplaced(x.slice(0, at), y.slice(0, other)) || areReplaced(afterX, afterY);
    }
  }
  return x !== "" && y !== "";
}

const DEEDS = new NameTable<{ readonly deed: string; readonly isReversed: boolean }>();
for (const [[deed = "", reversed] = [], ...phrases] of readRows(new URL("data/deeds.txt", import.meta.url)))
  DEEDS.add(phrases.flat(), { deed, isReversed: reversed !== undefined });

// English: `sued by`, `fined over`, `purchase of`. Chinese: markers before the actor, and before the other party.
const PARTICIPLE = /(?:[ei]d|en|ght|it|ld|ot|un|ut)$/;
const NO_OBJECT = /^\s*(?:$|[,;:–—-]|(?:after|amid|as|at|by|for|from|in|of|on|over|to|with)\b)/;
const NOUN = / (?:against|for|in|of|on)$/;
const BY = /\bby\b/;
const [BEFORE_ACTOR, BEFORE_OTHER] = ["被遭由获受", "对向给"];

/** The deeds named in a folded title, each with the text about its actor and the text about the other party. */
export function deedsOf(folded: string): ReadonlyMap<string, Parts> {
  const deeds = new Map<string, Parts>();
  for (const { thing, start, end } of DEEDS.find(folded)) {
    const [actor, other] = partsOf(folded.slice(0, start), folded.slice(start, end), folded.slice(end));
    deeds.set(thing.deed, thing.isReversed ? [other, actor] : [actor, other]);
  }
  return deeds;
}

type Parts = readonly [actor: string, other: string];

function partsOf(before: string, phrase: string, after: string): Parts {
  const [to = "", ...by] = after.split(BY);
  if (hasHan(phrase)) {
    const [actorAt, otherAt] = [lastOf(before, BEFORE_ACTOR), lastOf(before, BEFORE_OTHER)];
    if (actorAt >= 0) return [before.slice(actorAt + 1), `${before.slice(0, actorAt)} ${after}`];
    return otherAt < 0 ? [before, after] : [before.slice(0, otherAt), `${before.slice(otherAt + 1)} ${after}`];
  }
  if (PARTICIPLE.test(phrase) && NO_OBJECT.test(after)) return [by.join(" "), `${before} ${to}`];
  return NOUN.test(phrase) && by.length > 0 ? [by.join(" "), to] : [before, after];
}

/** The index of the last of some characters in a text; -1 if it has none. */
const lastOf = (text: string, characters: string): number =>
  Math.max(...Array.from(characters, (character) => text.lastIndexOf(character)));

/** Whether two titles name one deed with actor and other party swapped: "A sues B" and "A sued by B". */
export function areSwapped(a: ReadonlyMap<string, Parts>, b: ReadonlyMap<string, Parts>): boolean {
  for (const [name, [actor, other]] of a) {
    const [actorOfB, otherOfB] = b.get(name) ?? ["", ""];
    if (meet(actor, otherOfB) && meet(other, actorOfB) && !meet(actor, actorOfB)) return true;
  }
  return false;
}

const meet = (a: string, b: string): boolean => b !== "" && namesOf(a).some((term) => namesOf(b).includes(term));

/** The words and names of a part of a title. */
const namesOf = memoized((part: string): readonly string[] => {
  return Array.from(headlineTermsOf(part, assetsInNews(part)).keys()).filter((term) => !/^(?:#|@[^:]*$)/.test(term));
}, 10_000);
