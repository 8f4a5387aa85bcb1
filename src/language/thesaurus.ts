import { readFileSync } from "node:fs";
import { parseRows } from "../runtime/text/data-rows.ts";
import { groupBy } from "../runtime/group-by.ts";
import { fold, stem, tokenizeFolded } from "./tokenize.ts";
import { longestMatches } from "./longest-matches.ts";

/** One meaning, with the words and phrases that are used for it. */
export interface Meaning {
  readonly id: number;
  readonly en: readonly string[]; // Stems, or phrases of stems separated by blanks.
  readonly zh: readonly string[]; // Chinese words, folded.
}

/** A meaning where a text uses one of its phrases. */
export interface Mention {
  readonly meaning: Meaning;
  /** The phrase, as in the meaning's list: stems, separated by blanks, or a Chinese word. Absent for one with gaps. */
  readonly phrase?: string;
  readonly places: readonly number[]; // Of the phrase's words or characters in the text.
}

/** Rows of words for one meaning each: in English and in Chinese. A `_` in a phrase is a gap. */
export type MeaningRows = readonly (readonly (readonly string[])[])[];

const MOST_BETWEEN = { words: 3, characters: 6 }; // What a gap may stand for.
const WORDS = new URL("data/thesaurus.txt", import.meta.url);
const SITUATIONS = new URL("data/situations.txt", import.meta.url);

let everyday: Thesaurus | undefined; // These are the same for the whole process.
let searched: Thesaurus | undefined;

/** The words for what services are asked about. */
export const openThesaurus = (): Thesaurus => (everyday ??= createThesaurus(foldedRows(WORDS)));

/** The words, and how users tell what happened to them where they do not know its name; made when it is first called.
 * @param more the operator's rows */
export function openSearchThesaurus(more: MeaningRows = []): () => Thesaurus {
  const own = more.map((row) => row.map((phrases) => phrases.map(fold)));
  const create = (): Thesaurus => createThesaurus([...foldedRows(WORDS), ...own], foldedRows(SITUATIONS));
  let opened: Thesaurus | undefined;
  return () => (opened ??= more.length > 0 ? create() : (searched ??= create()));
}

/** Folded as one text: thousands of short ones take longer. */
const foldedRows = (file: URL): MeaningRows => parseRows(fold(readFileSync(file, "utf8")));

export type Thesaurus = ReturnType<typeof createThesaurus>;

/** A phrase with its words or characters, and `_` for a gap, separated by blanks. */
type Phrase = { readonly phrase: string; readonly meaning: Meaning; readonly last: string };

/** @param situations rows whose words that the others have too are found, but do not tell the situation */
function createThesaurus(words: MeaningRows, situations: MeaningRows = []) {
  const english: Phrase[] = [];
  const chinese: Phrase[] = [];
  const whole: { readonly word: string; readonly meaning: Meaning }[] = [];
  const known = new Set<string>();
  for (const [id, [en = [], zh = []]] of [...words, ...situations].entries()) {
    const phrases = en.map(stemmed).filter(Boolean);
    const runs = zh.filter((word) => /^\p{Script=Han}/u.test(word));
    const meaning: Meaning = { id, en: phrases.filter(isWhole), zh: runs.filter(isWhole) };
    const tellsOf = (list: readonly string[]): string[] => list.filter((one) => id < words.length || !known.has(one));
    if (id < words.length) for (const phrase of [...phrases, ...runs]) known.add(phrase);
    english.push(...tellsOf(phrases).map((phrase) => toPhrase(phrase, meaning)));
    whole.push(...tellsOf(meaning.zh).map((word) => ({ word, meaning })));
    const gapped = runs.filter((word) => !isWhole(word));
    chinese.push(...gapped.map((word) => toPhrase(Array.from(word).join(" "), meaning)));
  }
  const byStem = groupBy(english, ({ phrase }) => firstOf(phrase));
  const byCharacter = groupBy(chinese, ({ phrase }) => firstOf(phrase));
  const byWord = groupBy(whole, ({ word }) => word);
  const longestWord = Math.max(...Array.from(byWord.keys(), ({ length }) => length));
  const mentions = (phrases: ReadonlyMap<string, readonly Phrase[]>, units: readonly string[], between: number) => {
    const said = new Set(units);
    return units.map((first, at) => {
      const begun = (phrases.get(first) ?? []).filter(({ last }) => said.has(last)); // Few of those that begin so.
      return begun.flatMap(({ phrase, meaning }): Mention[] => {
        const places = placesOf(phrase.split(" "), units, at, between);
        return places === undefined ? [] : [{ meaning, places, ...(isWhole(phrase) && { phrase }) }];
      });
    });
  };
  return {
    /** The meanings that a list of English stems mentions, the longest phrase of each at each place. */
    mentionsInEnglish: (stems: readonly string[]): Mention[] =>
      mentions(byStem, stems, MOST_BETWEEN.words).flatMap((matches) => {
        const longest = Math.max(...matches.map(({ places }) => places.length));
        return matches.filter(({ places }) => places.length === longest);
      }),
    /** The meanings that a run of Chinese mentions, from the left, the longest word first, and those of phrases with gaps. */
    mentionsInChinese(run: string): Mention[] {
      const matched = [...longestMatches(run, byWord, longestWord)].flatMap(({ word, at }) => {
        const places = Array.from(word, (_, i) => at + i);
        return byWord.get(word)!.map(({ meaning }) => ({ meaning, phrase: word, places }));
      });
      return [...matched, ...mentions(byCharacter, Array.from(run), MOST_BETWEEN.characters).flat()];
    },
    /** The meanings that have a stem as a whole phrase. */
    meaningsOf: (englishStem: string): Meaning[] =>
      (byStem.get(englishStem) ?? []).flatMap(({ phrase, meaning }) => (phrase === englishStem ? [meaning] : [])),
    /** Whether a phrase begins with a stem: what a misspelt word may stand for. */
    isKnownStem: (englishStem: string): boolean => byStem.has(englishStem),
  };
}

/** Where the words of a phrase that begins at a place stand; undefined where it does not stand there. */
function placesOf(phrase: readonly string[], units: readonly string[], at: number, between: number) {
  const places: number[] = [];
  let last = at; // The last place where the next word may stand.
  let next = at;
  for (const word of phrase) {
    if (word === GAP) last += between;
    else {
      while (next <= last && units[next] !== word) next++;
      if (next > last) return undefined;
      places.push(next++);
      last = next;
    }
  }
  return places;
}

const GAP = "_";
const isWhole = (phrase: string): boolean => !phrase.includes(GAP);
const toPhrase = (phrase: string, meaning: Meaning): Phrase => ({ phrase, meaning, last: phrase.split(" ").at(-1)! });
const firstOf = (phrase: string): string => phrase.slice(0, `${phrase} `.indexOf(" "));
/** The words of most phrases are what stands between blanks: finding tokens takes twice as long. */
const wordsOf = (part: string): string[] =>
  /^[a-z\d ]*$/.test(part) ? part.split(/ +/) : tokenizeFolded(part).flatMap(({ text, han }) => (han ? [] : [text]));
const stemmed = (phrase: string): string => {
  const parts = phrase.split(GAP).map((part) => wordsOf(part.trim()).map(stem).join(" "));
  return parts.filter(Boolean).join(` ${GAP} `);
};
