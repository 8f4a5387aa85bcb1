import { stemmer } from "stemmer";

/** More letters than any English word has. */
const LONGEST_WORD = 45;

/**
 * The stem of a lower-case English word: Porter, "An algorithm for suffix stripping", Program 14(3), 1980, and words
 * on -us keep their s ("status", "bonus"). Words with digits, short words and what is too long for a word are kept.
 */
export function stem(word: string): string {
  if (word.length < 4 || word.length > LONGEST_WORD || !/^[a-z]+$/.test(word)) return word;
  const found = stemmer(word);
  return word.endsWith("us") && found === word.slice(0, -1) ? word : found;
}
