import { longestMatches } from "./longest-matches.ts";
import { readRows } from "../runtime/text/data-rows.ts";

/** A word of a title, or a character of a Chinese one that is in no word of a class; and the classes that it is in. */
export type Token = { readonly text: string; readonly classes: readonly string[] };

/** Classes by their words: English ones, of which some are beginnings and end in `*`, and Chinese ones. */
const [ENGLISH, CHINESE] = [new Map<string, string[]>(), new Map<string, string[]>()];
for (const [[name = ""] = [], en = [], zh = []] of readRows(new URL("data/word-classes.txt", import.meta.url))) {
  for (const word of en) ENGLISH.set(word, [...(ENGLISH.get(word) ?? []), name]);
  for (const word of zh) CHINESE.set(word, [...(CHINESE.get(word) ?? []), name]);
}
const longest = (words: ReadonlyMap<string, unknown>) => Math.max(...Array.from(words.keys(), (word) => word.length));
const [LONGEST_EN, LONGEST_ZH] = [longest(ENGLISH), longest(CHINESE)];

/** The classes of a word.
 * @example
 * classesOf("slumped"); // ["negative", "down", "drop"]
 */
export function classesOf(word: string): string[] {
  const found = new Set(ENGLISH.get(word) ?? CHINESE.get(word));
  for (let length = Math.min(LONGEST_EN, word.length); length > 0; length--) {
    for (const name of ENGLISH.get(`${word.slice(0, length)}*`) ?? []) found.add(name);
  }
  return [...found];
}

/** A Chinese text as words of classes, the longest at each place, and the characters between them. */
export function chineseTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  const addCharacters = (until: number): void => {
    for (const character of text.slice(end, until).replaceAll(" ", "")) tokens.push({ text: character, classes: [] });
  };
  for (const { word, at } of longestMatches(text, (part) => CHINESE.has(part), LONGEST_ZH)) {
    addCharacters(at);
    tokens.push({ text: word, classes: CHINESE.get(word)! });
    end = at + word.length;
  }
  addCharacters(text.length);
  return tokens;
}
