import { assetOfWord } from "../assets.ts";
import { longestMatches } from "../longest-matches.ts";
import type { NameTable, NamedThing } from "../name-table.ts";
import { quantitiesInDigits, quantitiesOf } from "../quantities.ts";
import { STOP_CHARACTERS } from "../stop-words.ts";
import { fold, stem, tokenizeFolded } from "../tokenize.ts";
import { classesOf } from "../word-classes.ts";

/** The sorts of units that a text consists of. */
export const UNIT_SORTS = ["word", "han", "figure", "asset"] as const;

/** A figure, and by how much others may round it: half of its last digit, or of its second if it has one alone. */
export type Figure = Readonly<Record<"value" | "within", number> & { unit: string }>;

/** A word, a figure or an asset of a text. Units of equal keys say the same, in whatever notation or language. */
export interface Unit {
  readonly key: string;
  readonly sort: (typeof UNIT_SORTS)[number];
  readonly isName: boolean; // Whether it has a capital where not most words have one.
  readonly figure?: Figure;
  /** What its vector is the sum of, as far as known: the word, its characters, the classes of its meaning. */
  readonly parts: readonly string[];
}

const LONGEST_WORD = 6;
const LONGEST_NAME = 4;
export const MOST = { characters: 1000, units: 48, capitals: 0.6 }; // Of a text: two are compared by all pairs of units.
const UNKNOWN = "?";
const LEAST_DIGITS = 2;
const POSSESSIVE = /^['’]s(?![\p{L}\d])/u;

/** The first units of a text, each once, in order: Chinese as the longest words that are known at each place.
 * @param isKnown whether a word has a vector
 * @param names things that are units of the sort of assets, by whatever name
 * @example
 * unitsOf("BTC falls 5%", isKnown); // $BTC, fall, #5% */
export const unitsOf = (text: string, isKnown: (word: string) => boolean, names?: NameTable<NamedThing>): Unit[] =>
  new UnitReader(text.slice(0, MOST.characters), isKnown).read(names).slice(0, MOST.units);

class UnitReader {
  readonly #text: string;
  readonly #isKnown: (word: string) => boolean;
  readonly #capitals: ReadonlySet<string>;
  readonly #units = new Map<string, Unit>();

  constructor(text: string, isKnown: (word: string) => boolean) {
    [this.#text, this.#isKnown, this.#capitals] = [text, isKnown, stemsWithCapitals(text)];
  }

  read(names?: NameTable<NamedThing>): Unit[] {
    const folded = quantitiesInDigits(fold(this.#text));
    let from = 0;
    for (const { thing, start, end } of names?.find(folded) ?? []) {
      this.#addPart(folded.slice(from, start));
      this.#add(thing.key, "asset", [thing.key, `{${thing.kind}}`]);
      from = end;
    }
    this.#addPart(folded.slice(from));
    return Array.from(this.#units.values());
  }

  /** @param part which may follow a name */
  #addPart(part: string): void {
    const folded = part.replace(POSSESSIVE, "");
    let end = 0;
    for (const { value, unit, start, end: after } of quantitiesOf(folded)) {
      this.#addTokens(folded.slice(end, start));
      const size = Math.floor(Math.log10(value || 1));
      const isYear = unit === "" && value >= 1900 && value < 2100;
      const digits = Math.max(LEAST_DIGITS, value.toExponential().replace(/\.|e.*/g, "").length);
      const within = isYear ? 0 : 0.5 * 10 ** (size + 1 - digits);
      this.#add(`#${value}${unit}`, "figure", ["#", `#${unit}${isYear ? "year" : size}`], { value, within, unit });
      end = after;
    }
    this.#addTokens(folded.slice(end));
  }

  #addTokens(part: string): void {
    for (const { text: token, han } of tokenizeFolded(part)) {
      if (/\d/.test(token)) this.#add(`#${token}`, "figure", ["#", "#code"]);
      else if (!han) this.#addWord(token, "word", stem(token));
      else for (const word of chineseWords(token, this)) this.#addWord(word, "han");
    }
  }

  #addWord(word: string, sort: "word" | "han", key = word): void {
    const asset = assetOfWord(word);
    if (asset !== undefined) {
      this.#add(`$${asset}`, "asset", ["$", `$${asset}`]);
      return;
    }
    const parts = this.#isKnown(key) ? [key] : sort === "word" ? [UNKNOWN] : [];
    if (sort === "han") for (const character of word) parts.push(`.${character}`);
    for (const name of classesOf(word)) parts.push(`{${name}}`);
    this.#add(key, sort, parts);
  }

  #add(key: string, sort: Unit["sort"], parts: readonly string[], figure?: Figure): void {
    if (this.#units.has(key)) return;
    const unit = { key, sort, parts, isName: this.#capitals.has(key) };
    this.#units.set(key, figure === undefined ? unit : { ...unit, figure });
  }

  /** Whether a part of a run of Chinese is a word. */
  has(part: string): boolean {
    return part.length > 1 && (this.#isKnown(part) || assetOfWord(part) !== undefined || classesOf(part).length > 0);
  }
}

/** The stems of the words with a capital; none where most words have one, as in many titles. */
function stemsWithCapitals(text: string): ReadonlySet<string> {
  const words = text.match(/\p{Script=Latin}+/gu) ?? [];
  const capital = words.filter((word) => /^\p{Lu}/u.test(word));
  return new Set(capital.length > MOST.capitals * words.length ? [] : capital.map((word) => stem(fold(word))));
}

/** A run of Chinese as known words, and what stands between them: function characters, those with a class, and runs of
 * others, which are mostly names. */
function chineseWords(run: string, known: Pick<UnitReader, "has">): string[] {
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
  for (const { word, at } of longestMatches(run, known, LONGEST_WORD)) {
    addBetween(at);
    words.push(word);
    end = at + word.length;
  }
  addBetween(run.length);
  return words;
}
