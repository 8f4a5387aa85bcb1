import { assetOfWord } from "../assets.ts";
import { longestMatches } from "../longest-matches.ts";
import { quantitiesInDigits, quantitiesOf } from "../quantities.ts";
import { STOP_CHARACTERS } from "../stop-words.ts";
import { fold, stem, tokenizeFolded } from "../tokenize.ts";
import { classesOf } from "../word-classes.ts";

/** The sorts of units that a text consists of. */
export const UNIT_SORTS = ["word", "han", "figure", "asset"] as const;

/** A word, a figure or an asset of a text. Units of equal keys say the same, in whatever notation or language. */
export interface Unit {
  readonly key: string;
  readonly sort: (typeof UNIT_SORTS)[number];
  readonly isName: boolean; // Whether it has a capital where not most words have one.
  readonly rounded?: string; // The key of a figure as others may round it, to two digits.
  /** What its vector is the sum of, as far as known: the word, its characters, the classes of its meaning. */
  readonly parts: readonly string[];
}

const LONGEST_WORD = 6;
const LONGEST_NAME = 4;
export const MOST = { characters: 1000, units: 48, capitals: 0.6 }; // Of a text: two are compared by all pairs of units.
const UNKNOWN = "?";

/** The first units of a text, each once, in order: Chinese as the longest words that are known at each place.
 * @param isKnown whether a word has a vector
 * @example
 * unitsOf("BTC falls 5%", isKnown); // $BTC, fall, #5%
 */
export function unitsOf(text: string, isKnown: (word: string) => boolean): Unit[] {
  const units = new Map<string, Unit>();
  const beginning = text.slice(0, MOST.characters);
  const capitals = stemsWithCapitals(beginning);
  const add = (key: string, sort: Unit["sort"], parts: readonly string[], rounded = key): void => {
    const isName = capitals.has(key);
    if (!units.has(key)) units.set(key, { key, sort, parts, isName, ...(rounded !== key && { rounded }) });
  };
  const addWord = (word: string, sort: "word" | "han", key = word): void => {
    const asset = assetOfWord(word);
    if (asset !== undefined) {
      add(`$${asset}`, "asset", ["$", `$${asset}`]);
      return;
    }
    const characters = sort === "han" ? Array.from(word, (character) => `.${character}`) : [];
    const own = isKnown(key) ? [key] : sort === "word" ? [UNKNOWN] : [];
    add(key, sort, [...own, ...characters, ...classesOf(word).map((name) => `{${name}}`)]);
  };
  const isWord = (word: string): boolean =>
    isKnown(word) || assetOfWord(word) !== undefined || classesOf(word).length > 0;
  const addTokens = (part: string): void => {
    for (const { text: token, han } of tokenizeFolded(part)) {
      if (/\d/.test(token)) add(`#${token}`, "figure", ["#", "#code"]);
      else if (!han) addWord(token, "word", stem(token));
      else for (const word of chineseWords(token, isWord)) addWord(word, "han");
    }
  };
  const folded = quantitiesInDigits(fold(beginning));
  let end = 0;
  for (const { value, unit, start, end: after } of quantitiesOf(folded)) {
    addTokens(folded.slice(end, start));
    const size = unit === "" && value >= 1900 && value < 2100 ? "year" : Math.floor(Math.log10(value || 1));
    const parts = ["#", `#${unit}${size}`];
    add(`#${value}${unit}`, "figure", parts, `#${Number(value.toPrecision(2))}${unit}`);
    end = after;
  }
  addTokens(folded.slice(end));
  return Array.from(units.values()).slice(0, MOST.units);
}

/** The stems of the words with a capital; none where most words have one, as in many titles. */
function stemsWithCapitals(text: string): ReadonlySet<string> {
  const words = text.match(/\p{Script=Latin}+/gu) ?? [];
  const capital = words.filter((word) => /^\p{Lu}/u.test(word));
  return new Set(capital.length > MOST.capitals * words.length ? [] : capital.map((word) => stem(fold(word))));
}

/** A run of Chinese as known words, and what stands between them: function characters, those with a class, and runs of
 * others, which are mostly names. */
function chineseWords(run: string, isKnown: (word: string) => boolean): string[] {
  const words: string[] = [];
  let end = 0;
  const addBetween = (until: number): void => {
    let name = "";
    for (const character of run.slice(end, until)) {
      const isAlone = STOP_CHARACTERS.has(character) || classesOf(character).length > 0;
      if (!isAlone) name += character;
      if (name !== "" && (isAlone || name.length >= LONGEST_NAME)) {
        words.push(name);
        name = "";
      }
      if (isAlone) words.push(character);
    }
    if (name !== "") words.push(name);
  };
  for (const { word, at } of longestMatches(run, (part) => part.length > 1 && isKnown(part), LONGEST_WORD)) {
    addBetween(at);
    words.push(word);
    end = at + word.length;
  }
  addBetween(run.length);
  return words;
}
