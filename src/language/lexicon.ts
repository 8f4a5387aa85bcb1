import { readRows } from "../runtime/text/data-rows.ts";
import { editDistance } from "../runtime/text/edit-distance.ts";
import { longestMatches } from "./longest-matches.ts";
import { stem, tokenize, type Token } from "./tokenize.ts";

export const QUESTION_LEXICON = readLexicon(new URL("data/question-lexicon.txt", import.meta.url));
const HEADLINES = new URL("data/headline-lexicon.txt", import.meta.url);
let headlines: Lexicon | undefined; // Loaded on first use: it is large, and many processes read no headline.
export const headlineLexicon = (): Lexicon => (headlines ??= readLexicon(HEADLINES));
type Lexicon = ReturnType<typeof readLexicon>;

/** Reads a lexicon file. Each row has a concept, its English names and its Chinese names. */
export function readLexicon(file: URL) {
  const concepts = new Map<string, string[]>(); // Key: the name; for English, the stems of its words joined by spaces.
  const words = new Map<string, Set<string>>(); // English names by first letter: correction candidates.
  for (const [[id = ""] = [], ...names] of readRows(file))
    for (const name of names.flat()) {
      const units = tokenize(name).map(({ text, han }) => (han ? text : stem(text)));
      const key = units.join(" ");
      concepts.set(key, [...(concepts.get(key) ?? []), id]);
      if (/^[a-z]{5,}$/.test(name)) words.set(name[0]!, (words.get(name[0]!) ?? new Set()).add(name));
    }
  return { concepts, words };
}

const LONGEST_HAN = 7;
const LONGEST_PHRASE = 4;

/** The concepts that a text names, in order. With `correct`, unknown words become the nearest words of the lexicon. */
export function conceptsOf(tokens: readonly Token[], lexicon: Lexicon, correct = false): Set<string> {
  const found = new Set<string>();
  const { concepts } = lexicon;
  const words: string[] = []; // The words since the last Chinese run.
  for (const { text, han } of tokens) {
    if (!han) {
      words.push(correct ? formOf(text, lexicon) : stem(text));
      for (let length = 1; length <= LONGEST_PHRASE; length++)
        for (const concept of concepts.get(words.slice(-length).join(" ")) ?? []) found.add(concept);
      continue;
    }
    words.length = 0;
    for (const { word } of longestMatches(text, concepts, LONGEST_HAN))
      for (const concept of concepts.get(word)!) found.add(concept);
  }
  return found;
}

/** The lexicon's form of a word: its stem, the word without a trailing number ("vip1"), or the stem of the first known
 * word at edit distance 1. Short words are not corrected. */
function formOf(word: string, { concepts, words }: Lexicon): string {
  const stemmed = stem(word);
  if (concepts.has(stemmed)) return stemmed;
  const bare = word.replace(/(?<!\d)\d+$/, "");
  if (concepts.has(bare)) return bare;
  const likely = /^[a-z]{5,}$/.test(word) ? (words.get(word[0]!) ?? []) : [];
  for (const candidate of likely) if (editDistance(word, candidate, 1) === 1) return stem(candidate);
  return stemmed;
}
