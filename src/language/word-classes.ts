import { wordsAndCharacters } from "./longest-matches.ts";
import { groupBy } from "../runtime/group-by.ts";
import { readRows } from "../runtime/text/data-rows.ts";

/** Classes by word, English and Chinese. An English entry that ends in `*` is a prefix. */
const [ENGLISH, CHINESE] = [new Map<string, string[]>(), new Map<string, string[]>()];
for (const [[name = ""] = [], en = [], zh = []] of readRows(new URL("data/word-classes.txt", import.meta.url))) {
  for (const word of en) ENGLISH.set(word, [...(ENGLISH.get(word) ?? []), name]);
  for (const word of zh) CHINESE.set(word, [...(CHINESE.get(word) ?? []), name]);
}
const LONGEST_FIRST = Array.from(ENGLISH.entries())
  .filter(([word]) => word.endsWith("*"))
  .map(([word, classes]) => ({ prefix: word.slice(0, -1), classes }))
  .sort((a, b) => b.prefix.length - a.prefix.length);
const START = LONGEST_FIRST.at(-1)!.prefix.length; // Length of the shortest prefix, in characters.
const PREFIXES = groupBy(LONGEST_FIRST, ({ prefix }) => prefix.slice(0, START));
const LONGEST_ZH = Math.max(...Array.from(CHINESE.keys(), (word) => word.length));

/** The classes of a word: of "slumped", `negative`, `down` and `drop`. */
export function classesOf(word: string): string[] {
  const found = [...(ENGLISH.get(word) ?? CHINESE.get(word) ?? [])];
  for (const { prefix, classes } of PREFIXES.get(word.slice(0, START)) ?? [])
    if (word.startsWith(prefix)) found.push(...classes.filter((name) => !found.includes(name)));
  return found;
}

/** Splits a Chinese text by longest match into words with classes and single characters, each with its classes. */
export const chineseTokens = (text: string) =>
  Array.from(wordsAndCharacters(text, CHINESE, LONGEST_ZH))
    .filter(({ text: part }) => part !== " ")
    .map(({ text: part }) => ({ text: part, classes: CHINESE.get(part) ?? [] }));
