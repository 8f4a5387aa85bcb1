import { readRows } from "../runtime/text/data-rows.ts";
import { groupBy } from "../runtime/group-by.ts";
import { fold, stem, tokenizeFolded } from "./tokenize.ts";
import { longestMatches } from "./longest-matches.ts";

/** One meaning, with the words and phrases that are used for it. */
export interface Meaning {
  readonly id: number;
  readonly en: readonly (readonly string[])[]; // Phrases of English stems.
  readonly zh: readonly string[]; // Chinese words, folded.
}

/** A meaning where a text uses one of its phrases. */
export interface Mention {
  readonly meaning: Meaning;
  readonly phrase: string; // The phrase, as in the meaning's list: stems, separated by blanks, or a Chinese word.
  readonly at: number; // Position and length of the phrase, in stems or characters.
  readonly length: number;
}

/** Rows of words for one meaning each: in English and in Chinese. */
export type MeaningRows = readonly (readonly (readonly string[])[])[];

let everyday: Thesaurus | undefined; // Without an operator's rows, it is the same for the whole process.

/** @param more the operator's rows */
export const openThesaurus = (more: MeaningRows = []): Thesaurus =>
  more.length > 0 ? createThesaurus(more) : (everyday ??= createThesaurus([]));

/** The everyday words for what services are asked about, and an operator's own. */
export type Thesaurus = ReturnType<typeof createThesaurus>;

function createThesaurus(more: MeaningRows) {
  const rows = [...readRows(new URL("data/thesaurus.txt", import.meta.url)), ...more];
  const meanings = rows.map(([en = [], zh = []], id): Meaning => ({
    id,
    en: en.map(stemsOf).filter(({ length }) => length > 0),
    zh: zh.map(fold).filter((word) => /^\p{Script=Han}/u.test(word)),
  }));
  const byStem = groupBy(
    meanings.flatMap((meaning) => meaning.en.map((phrase) => ({ phrase, meaning }))),
    ({ phrase }) => phrase[0]!,
  );
  const byWord = groupBy(
    meanings.flatMap((meaning) => meaning.zh.map((word) => ({ word, meaning }))),
    ({ word }) => word,
  );
  const longestWord = Math.max(...Array.from(byWord.keys(), ({ length }) => length));
  return {
    /** The meanings that a list of English stems mentions, the longest phrase of each at each place. */
    mentionsInEnglish: (stems: readonly string[]): Mention[] =>
      stems.flatMap((first, at) => {
        const matches = (byStem.get(first) ?? []).filter(({ phrase }) =>
          phrase.every((word, i) => stems[at + i] === word),
        );
        const longest = Math.max(...matches.map(({ phrase }) => phrase.length));
        return matches.flatMap(({ meaning, phrase }) =>
          phrase.length === longest ? [{ meaning, phrase: phrase.join(" "), at, length: longest }] : [],
        );
      }),
    /** The meanings that a run of Chinese mentions, from the left, the longest word first. */
    mentionsInChinese: (run: string): Mention[] =>
      [...longestMatches(run, (word) => byWord.has(word), longestWord)].flatMap(({ word, at }) =>
        byWord.get(word)!.map(({ meaning }) => ({ meaning, phrase: word, at, length: word.length })),
      ),
    /** The meanings that have a stem as a whole phrase. */
    meaningsOf: (englishStem: string): Meaning[] =>
      (byStem.get(englishStem) ?? []).flatMap(({ phrase, meaning }) => (phrase.length === 1 ? [meaning] : [])),
    /** Whether a phrase begins with a stem: what a misspelt word may stand for. */
    isKnownStem: (englishStem: string): boolean => byStem.has(englishStem),
  };
}

const stemsOf = (phrase: string): string[] =>
  tokenizeFolded(fold(phrase)).flatMap(({ text, han }) => (han ? [] : [stem(text)]));
