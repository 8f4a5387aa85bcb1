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
  readonly phrase: string; // As in the meaning's list: stems, separated by blanks, or a Chinese word.
  readonly places: readonly number[]; // Of the phrase's words or characters in the text.
}

/** Rows of words for one meaning each: in English and in Chinese. */
export type MeaningRows = readonly (readonly (readonly string[])[])[];

const WORDS = new URL("data/thesaurus.txt", import.meta.url);
const SITUATIONS = new URL("data/situations.txt", import.meta.url);

let everyday: Thesaurus | undefined; // These are the same for the whole process.
let searched: Thesaurus | undefined;

/** The words for what services are asked about. */
export const openThesaurus = (): Thesaurus => (everyday ??= createThesaurus(foldedRows(WORDS)));

/** The words, and how users describe what happened to them without its name; made when it is first called.
 * @param more the operator's rows */
export function openSearchThesaurus(more: MeaningRows = []): () => Thesaurus {
  const own = more.map((row) => row.map((phrases) => phrases.map(foldedPhrase)));
  const create = (): Thesaurus => createThesaurus([...foldedRows(WORDS), ...own], foldedRows(SITUATIONS));
  let opened: Thesaurus | undefined;
  return () => (opened ??= more.length > 0 ? create() : (searched ??= create()));
}

/** Folded as one text: thousands of short ones take longer. */
const foldedRows = (file: URL): MeaningRows => parseRows(foldedPhrase(readFileSync(file, "utf8")));
/** A gap, `_`, counts for the encoder alone (`scripts/make-encoder.js`). */
const foldedPhrase = (text: string): string =>
  fold(text)
    .replace(/(?<=\p{Script=Han})_|_(?=\p{Script=Han})/gu, "")
    .replaceAll("_", " ");

export type Thesaurus = ReturnType<typeof createThesaurus>;

/** @param situations rows whose words that the others have too are found, but do not stand for the situation */
function createThesaurus(words: MeaningRows, situations: MeaningRows = []) {
  const english: { readonly phrase: string; readonly stems: readonly string[]; readonly meaning: Meaning }[] = [];
  const chinese: { readonly word: string; readonly meaning: Meaning }[] = [];
  const known = new Set<string>();
  for (const [id, [en = [], zh = []]] of [...words, ...situations].entries()) {
    const phrases = en.map(stemmed).filter(Boolean);
    const meaning = { id, en: phrases, zh: zh.filter((word) => /^\p{Script=Han}/u.test(word)) };
    const tellsOf = (list: readonly string[]): string[] => list.filter((one) => id < words.length || !known.has(one));
    if (id < words.length) for (const phrase of [...phrases, ...meaning.zh]) known.add(phrase);
    english.push(...tellsOf(phrases).map((phrase) => ({ phrase, stems: phrase.split(" "), meaning })));
    chinese.push(...tellsOf(meaning.zh).map((word) => ({ word, meaning })));
  }
  const byStem = groupBy(english, ({ stems }) => stems[0]!);
  const byWord = groupBy(chinese, ({ word }) => word);
  const longestWord = Math.max(...Array.from(byWord.keys(), ({ length }) => length));
  return {
    /** The meanings that a list of English stems mentions, the longest phrase of each at each place. */
    mentionsInEnglish: (said: readonly string[]): Mention[] =>
      said.flatMap((first, at) => {
        const begun = (byStem.get(first) ?? []).filter(({ stems }) => stems.every((stem, i) => said[at + i] === stem));
        const longest = Math.max(...begun.map(({ stems }) => stems.length));
        const found = begun.filter(({ stems }) => stems.length === longest);
        return found.map(({ meaning, phrase, stems }) => ({ meaning, phrase, places: stems.map((_, i) => at + i) }));
      }),
    /** The meanings that a run of Chinese mentions, from the left, the longest word first. */
    mentionsInChinese: (run: string): Mention[] =>
      Array.from(longestMatches(run, byWord, longestWord)).flatMap(({ word, at }) => {
        const places = Array.from(word, (_, i) => at + i);
        return byWord.get(word)!.map(({ meaning }) => ({ meaning, phrase: word, places }));
      }),
    /** The meanings that have a stem as a whole phrase. */
    meaningsOf: (englishStem: string): Meaning[] =>
      (byStem.get(englishStem) ?? []).flatMap(({ phrase, meaning }) => (phrase === englishStem ? [meaning] : [])),
    /** Whether a phrase begins with a stem: what a misspelt word may stand for. */
    isKnownStem: (englishStem: string): boolean => byStem.has(englishStem),
  };
}

/** The words of most phrases are separated by blanks: finding tokens takes twice as long. */
const wordsOf = (part: string): string[] =>
  /^[a-z\d ]*$/.test(part) ? part.split(/ +/) : tokenizeFolded(part).flatMap(({ text, han }) => (han ? [] : [text]));
const stemmed = (phrase: string): string => wordsOf(phrase).map(stem).join(" ");
