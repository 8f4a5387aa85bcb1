import { readFileSync } from "node:fs";
import { parseRows } from "../runtime/text/data-rows.ts";
import { groupBy } from "../runtime/group-by.ts";
import { fold, stem, tokenizeFolded } from "./tokenize.ts";
import { longestMatches } from "./longest-matches.ts";

/** One meaning with its synonyms: words and phrases. */
export interface Meaning {
  readonly id: number;
  readonly en: readonly string[]; // Stems, or phrases of stems separated by blanks.
  readonly zh: readonly string[]; // Chinese words, folded.
}

/** An occurrence of one of a meaning's phrases in a text. */
export interface Mention {
  readonly meaning: Meaning;
  readonly phrase: string; // As in the meaning's list: stems, separated by blanks, or a Chinese word.
  readonly places: readonly number[]; // Positions of the phrase's words or characters in the text.
}

/** One row per meaning: its English and its Chinese phrases. */
export type MeaningRows = readonly (readonly (readonly string[])[])[];

const WORDS = new URL("data/thesaurus.txt", import.meta.url);
const SITUATIONS = new URL("data/situations.txt", import.meta.url);

let everyday: Thesaurus | undefined; // Both are created once per process.
let searched: Thesaurus | undefined;

/** The thesaurus of everyday words for the services' subjects. */
export const openThesaurus = (): Thesaurus => (everyday ??= createThesaurus(foldedRows(WORDS)));

/** That thesaurus with situations: descriptions of a problem by users who do not know its name. Created on the first call.
 * @param more the operator's rows */
export function openSearchThesaurus(more: MeaningRows = []): () => Thesaurus {
  const own = more.map((row) => row.map((phrases) => phrases.map(foldedPhrase)));
  const create = (): Thesaurus => createThesaurus([...foldedRows(WORDS), ...own], foldedRows(SITUATIONS));
  let opened: Thesaurus | undefined;
  return () => (opened ??= more.length > 0 ? create() : (searched ??= create()));
}

/** Folds the file as one text, which is faster than folding thousands of short ones. */
const foldedRows = (file: URL): MeaningRows => parseRows(foldedPhrase(readFileSync(file, "utf8")));
/** Removes gaps (`_`), which only the encoder uses (`scripts/make-encoder.js`). */
const foldedPhrase = (text: string): string =>
  fold(text)
    .replace(/(?<=\p{Script=Han})_|_(?=\p{Script=Han})/gu, "")
    .replaceAll("_", " ");

export type Thesaurus = ReturnType<typeof createThesaurus>;

/** @param situations rows; a phrase that `words` has too belongs to the meaning, but a text's use of it is no mention */
function createThesaurus(words: MeaningRows, situations: MeaningRows = []) {
  const english: { readonly phrase: string; readonly stems: readonly string[]; readonly meaning: Meaning }[] = [];
  const chinese: { readonly word: string; readonly meaning: Meaning }[] = [];
  const known = new Set<string>();
  for (const [id, [en = [], zh = []]] of [...words, ...situations].entries()) {
    const phrases = en.map(stemmed).filter(Boolean);
    const meaning = { id, en: phrases, zh: zh.filter((word) => /^\p{Script=Han}/u.test(word)) };
    const indexedOf = (list: readonly string[]): string[] => list.filter((one) => id < words.length || !known.has(one));
    if (id < words.length) for (const phrase of [...phrases, ...meaning.zh]) known.add(phrase);
    english.push(...indexedOf(phrases).map((phrase) => ({ phrase, stems: phrase.split(" "), meaning })));
    chinese.push(...indexedOf(meaning.zh).map((word) => ({ word, meaning })));
  }
  const byStem = groupBy(english, ({ stems }) => stems[0]!);
  const byWord = groupBy(chinese, ({ word }) => word);
  const longestWord = Math.max(...Array.from(byWord.keys(), ({ length }) => length));
  return {
    /** The mentions in a list of English stems: the longest phrases at each position. */
    mentionsInEnglish: (list: readonly string[]): Mention[] =>
      list.flatMap((first, at) => {
        const hits = (byStem.get(first) ?? []).filter(({ stems }) => stems.every((stem, i) => list[at + i] === stem));
        const longest = Math.max(...hits.map(({ stems }) => stems.length));
        const found = hits.filter(({ stems }) => stems.length === longest);
        return found.map(({ meaning, phrase, stems }) => ({ meaning, phrase, places: stems.map((_, i) => at + i) }));
      }),
    /** The mentions in a Chinese run, by longest match from the left. */
    mentionsInChinese: (run: string): Mention[] =>
      Array.from(longestMatches(run, byWord, longestWord)).flatMap(({ word, at }) => {
        const places = Array.from(word, (_, i) => at + i);
        return byWord.get(word)!.map(({ meaning }) => ({ meaning, phrase: word, places }));
      }),
    /** The meanings that have a stem as a whole phrase. */
    meaningsOf: (englishStem: string): Meaning[] =>
      (byStem.get(englishStem) ?? []).flatMap(({ phrase, meaning }) => (phrase === englishStem ? [meaning] : [])),
    /** Whether a phrase starts with the stem: it may be the correction of a misspelt word. */
    isKnownStem: (englishStem: string): boolean => byStem.has(englishStem),
  };
}

/** Splits plain phrases at blanks, which takes half the time of tokenizing. */
const wordsOf = (part: string): string[] =>
  /^[a-z\d ]*$/.test(part) ? part.split(/ +/) : tokenizeFolded(part).flatMap(({ text, han }) => (han ? [] : [text]));
const stemmed = (phrase: string): string => wordsOf(phrase).map(stem).join(" ");
