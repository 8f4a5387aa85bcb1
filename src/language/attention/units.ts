import { assetOfWord } from "../assets.ts";
import { wordsAndCharacters } from "../longest-matches.ts";
import type { NameTable, NamedThing } from "../name-table.ts";
import { quantitiesInDigits, quantitiesOf } from "../quantities.ts";
import { STOP_CHARACTERS } from "../stop-words.ts";
import { fold, stem, tokenizeFolded } from "../tokenize.ts";
import { classesOf } from "../word-classes.ts";

/** The sorts of units that a text consists of. */
export const UNIT_SORTS = ["word", "han", "figure", "asset"] as const;

/** A figure and its rounding tolerance: half a unit of its last digit, at least its second digit; 0 for a year. */
export type Figure = Readonly<Record<"value" | "within", number> & { unit: string }>;

/** A word, a figure or an asset of a text. Units with equal keys have the same meaning in any notation or language. */
export interface Unit {
  readonly key: string;
  readonly sort: (typeof UNIT_SORTS)[number];
  readonly isName: boolean; // Whether it is capitalized in a text where most words are not.
  readonly figure?: Figure | undefined;
  /** The unit's vector is the sum of the known vectors of these: the word, its characters, its classes. */
  readonly parts: readonly string[];
}

const LONGEST_WORD = 6;
const LONGEST_NAME = 4;
export const MOST = { characters: 1000, units: 48, capitals: 0.6 }; // Limits of a text: a comparison takes all pairs of units.
const UNKNOWN = "?";
const LEAST_DIGITS = 2;
const POSSESSIVE = /^['’]s(?![\p{L}\d])/u;

/** The first distinct units of a text, in order. Chinese is split into the longest words with a vector (`isKnown`).
 * Things in `names` become units of sort `asset`. */
export function unitsOf(text: string, isKnown: IsKnown, names?: NameTable<NamedThing>): Unit[] {
  const read = text.slice(0, MOST.characters);
  const capitals = stemsWithCapitals(read);
  const units = new Map<string, Unit>();
  const add: Add = (key, sort, parts, figure) => {
    if (!units.has(key)) units.set(key, { key, sort, parts, isName: capitals.has(key), figure });
  };
  const folded = quantitiesInDigits(fold(read));
  let from = 0;
  for (const { thing, start, end } of names?.find(folded) ?? []) {
    addPart(folded.slice(from, start), isKnown, add);
    add(thing.key, "asset", [thing.key, `{${thing.kind}}`]);
    from = end;
  }
  addPart(folded.slice(from), isKnown, add);
  return Array.from(units.values()).slice(0, MOST.units);
}

type IsKnown = (word: string) => boolean;
type Add = (key: string, sort: Unit["sort"], parts: readonly string[], figure?: Figure) => void;

/** @param part text that may start with the possessive of a preceding name */
function addPart(part: string, isKnown: IsKnown, add: Add): void {
  const folded = part.replace(POSSESSIVE, "");
  let end = 0;
  for (const { value, unit, start, end: after } of quantitiesOf(folded)) {
    addTokens(folded.slice(end, start), isKnown, add);
    const size = Math.floor(Math.log10(value || 1));
    const isYear = unit === "" && value >= 1900 && value < 2100;
    const digits = Math.max(LEAST_DIGITS, value.toExponential().replace(/\.|e.*/g, "").length);
    const within = isYear ? 0 : 0.5 * 10 ** (size + 1 - digits);
    add(`#${value}${unit}`, "figure", ["#", `#${unit}${isYear ? "year" : size}`], { value, within, unit });
    end = after;
  }
  addTokens(folded.slice(end), isKnown, add);
}

function addTokens(part: string, isKnown: IsKnown, add: Add): void {
  for (const { text: token, han } of tokenizeFolded(part)) {
    if (/\d/.test(token)) add(`#${token}`, "figure", ["#", "#code"]);
    else if (!han) addWord(token, "word", stem(token), isKnown, add);
    else for (const word of chineseWords(token, isKnown)) addWord(word, "han", word, isKnown, add);
  }
}

function addWord(word: string, sort: "word" | "han", key: string, isKnown: IsKnown, add: Add): void {
  const asset = assetOfWord(word);
  if (asset !== undefined) {
    add(`$${asset}`, "asset", ["$", `$${asset}`]);
    return;
  }
  const parts = isKnown(key) ? [key] : sort === "word" ? [UNKNOWN] : [];
  if (sort === "han") for (const character of word) parts.push(`.${character}`);
  for (const name of classesOf(word)) parts.push(`{${name}}`);
  add(key, sort, parts);
}

/** The stems of the capitalized words; empty if most words are capitalized, as in many titles. */
function stemsWithCapitals(text: string): ReadonlySet<string> {
  const words = text.match(/\p{Script=Latin}+/gu) ?? [];
  const capital = words.filter((word) => /^\p{Lu}/u.test(word));
  return new Set(capital.length > MOST.capitals * words.length ? [] : capital.map((word) => stem(fold(word))));
}

/** Splits a Chinese run into known words, function characters, characters with a class, and names of other characters. */
function chineseWords(run: string, isKnown: IsKnown): string[] {
  const isWord = (part: string): boolean =>
    part.length > 1 && (isKnown(part) || assetOfWord(part) !== undefined || classesOf(part).length > 0);
  const words: string[] = [];
  let isOpenName = false; // Whether the last word is a name that the next character may extend.
  for (const part of wordsAndCharacters(run, { has: isWord }, LONGEST_WORD)) {
    const isAlone = part.isWord || STOP_CHARACTERS.has(part.text) || classesOf(part.text).length > 0;
    const word: string = isOpenName && !isAlone ? words.pop()! + part.text : part.text;
    words.push(word);
    isOpenName = !isAlone && word.length < LONGEST_NAME;
  }
  return words;
}
