import { readRows } from "../runtime/text/data-rows.ts";
import { stem } from "./tokenize.ts";

const LISTS = new Map(
  readRows(new URL("data/stop-words.txt", import.meta.url)).map(([[name = ""] = [], words = []]) => [name, words]),
);
const listOf = (name: string): readonly string[] => LISTS.get(name)!;
/** English words that carry no information about the subject of a text, stemmed. */
export const STOP_WORDS: ReadonlySet<string> = new Set(listOf("words").map(stem));
/** The same for headlines, stemmed. */
export const HEADLINE_STOP_WORDS: ReadonlySet<string> = new Set([...STOP_WORDS, ...listOf("headline words").map(stem)]);
/** Words such as 宣布 ("announces") by which a title attributes its content. */
export const REPORTING_WORDS: ReadonlySet<string> = new Set(listOf("reporting words"));
/** Stop words of questions only, stemmed. */
export const QUESTION_WORDS: ReadonlySet<string> = new Set(listOf("question words").map(stem));
/** Chinese function characters and interrogatives. */
export const STOP_CHARACTERS: ReadonlySet<string> = new Set(listOf("characters"));
/** Chinese function words and interrogatives of two characters. */
export const STOP_PAIRS: ReadonlySet<string> = new Set(listOf("pairs"));

/** Whether a term (a word or a pair of Chinese characters) carries no meaning by itself. */
export function isFunctional(term: string): boolean {
  const characters = Array.from(term);
  const isFunctionPair = STOP_PAIRS.has(term) || characters.some((character) => STOP_CHARACTERS.has(character));
  return characters.length === 1 || STOP_WORDS.has(term) || isFunctionPair;
}
