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
  /** The phrase, as in the meaning's list: stems, separated by blanks, or a Chinese word. Absent for one with gaps. */
  readonly phrase?: string;
  readonly places: readonly number[]; // Of the phrase's words or characters in the text.
}

/** Rows of words for one meaning each: in English and in Chinese. A `_` in a phrase is a gap. */
export type MeaningRows = readonly (readonly (readonly string[])[])[];

const MOST_BETWEEN = { words: 3, characters: 6 }; // What a gap may stand for.
const WORDS = new URL("data/thesaurus.txt", import.meta.url);
const SITUATIONS = new URL("data/situations.txt", import.meta.url);

let words: Thesaurus | undefined; // These are the same for the whole process.
let everyday: Thesaurus | undefined;

/** The words for what services are asked about. */
export const openThesaurus = (): Thesaurus => (words ??= createThesaurus(readRows(WORDS)));

/** The words, and how users tell what happened to them where they do not know its name.
 * @param more the operator's rows */
export function openSearchThesaurus(more: MeaningRows = []): Thesaurus {
  const create = (): Thesaurus => createThesaurus([...readRows(WORDS), ...readRows(SITUATIONS), ...more]);
  return more.length > 0 ? create() : (everyday ??= create());
}

export type Thesaurus = ReturnType<typeof createThesaurus>;

/** A phrase as the parts between its gaps, of stems or characters. */
type Phrase = { readonly parts: readonly (readonly string[])[]; readonly meaning: Meaning };

function createThesaurus(rows: MeaningRows) {
  const english: Phrase[] = [];
  const chinese: Phrase[] = [];
  const meanings = rows.map(([en = [], zh = []], id): Meaning => {
    const phrases = en.map((phrase) => partsOf(phrase, stemsOf)).filter(({ length }) => length > 0);
    const words = zh.map(fold).filter((word) => /^\p{Script=Han}/u.test(word));
    const meaning = {
      id,
      en: phrases.flatMap((parts) => (parts.length === 1 ? parts : [])),
      zh: words.filter(isWhole),
    };
    english.push(...phrases.map((parts) => ({ parts, meaning })));
    chinese.push(...words.flatMap((word) => (isWhole(word) ? [] : [{ parts: partsOf(word, Array.from), meaning }])));
    return meaning;
  });
  const byStem = groupBy(english, ({ parts }) => parts[0]![0]!);
  const byCharacter = groupBy(chinese, ({ parts }) => parts[0]![0]!);
  const byWord = groupBy(
    meanings.flatMap((meaning) => meaning.zh.map((word) => ({ word, meaning }))),
    ({ word }) => word,
  );
  const longestWord = Math.max(...Array.from(byWord.keys(), ({ length }) => length));
  return {
    /** The meanings that a list of English stems mentions, the longest phrase of each at each place. */
    mentionsInEnglish: (stems: readonly string[]): Mention[] =>
      stems.flatMap((first, at) => {
        const matches = (byStem.get(first) ?? []).flatMap(({ parts, meaning }) => {
          const places = placesOf(parts, stems, at, MOST_BETWEEN.words);
          const phrase = parts.length === 1 ? { phrase: parts[0]!.join(" ") } : {};
          return places === undefined ? [] : [{ meaning, places, ...phrase }];
        });
        const longest = Math.max(...matches.map(({ places }) => places.length));
        return matches.filter(({ places }) => places.length === longest);
      }),
    /** The meanings that a run of Chinese mentions, from the left, the longest word first, and those of phrases with gaps. */
    mentionsInChinese(run: string): Mention[] {
      const characters = Array.from(run);
      const whole = [...longestMatches(run, (word) => byWord.has(word), longestWord)].flatMap(({ word, at }) => {
        const places = Array.from(word, (_, i) => at + i);
        return byWord.get(word)!.map(({ meaning }) => ({ meaning, phrase: word, places }));
      });
      const gapped = characters.flatMap((first, at) =>
        (byCharacter.get(first) ?? []).flatMap(({ parts, meaning }) => {
          const places = placesOf(parts, characters, at, MOST_BETWEEN.characters);
          return places === undefined ? [] : [{ meaning, places }];
        }),
      );
      return [...whole, ...gapped];
    },
    /** The meanings that have a stem as a whole phrase. */
    meaningsOf: (englishStem: string): Meaning[] =>
      (byStem.get(englishStem) ?? []).flatMap(({ parts: [first, ...more], meaning }) =>
        first!.length === 1 && more.length === 0 ? [meaning] : [],
      ),
    /** Whether a phrase begins with a stem: what a misspelt word may stand for. */
    isKnownStem: (englishStem: string): boolean => byStem.has(englishStem),
  };
}

/** Where the parts of a phrase that begins at a place stand; undefined where it does not stand there. */
function placesOf(parts: Phrase["parts"], units: readonly string[], at: number, between: number) {
  const places: number[] = [];
  let next = at;
  for (const [number, part] of parts.entries()) {
    const last = number === 0 ? at : next + between;
    while (next <= last && !part.every((unit, i) => units[next + i] === unit)) next++;
    if (next > last) return undefined;
    for (const _ of part) places.push(next++);
  }
  return places;
}

const isWhole = (word: string): boolean => !word.includes("_");
const partsOf = (phrase: string, unitsOf: (part: string) => string[]): string[][] =>
  phrase
    .split("_")
    .map((part) => unitsOf(part.trim()))
    .filter(({ length }) => length > 0);
const stemsOf = (phrase: string): string[] =>
  tokenizeFolded(fold(phrase)).flatMap(({ text, han }) => (han ? [] : [stem(text)]));
