import { segment, toChinese, toEnglish, type Translation } from "../../language/dictionary/dictionary.ts";
import { STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../../language/stop-words.ts";
import { openThesaurus, type Mention } from "../../language/thesaurus.ts";
import { fold, stem, tokenizeFolded } from "../../language/tokenize.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { readWords } from "../../runtime/text/data-rows.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import { NUMBER_WORDS, UNIT_NAMES } from "./figures.ts";
import { searchTerms, termsOfWord } from "../retrieval/language-index.ts";

/** The words of a text as terms (stems, Chinese characters and their pairs) and ids of thesaurus meanings. */
export type Wording = { readonly terms: ReadonlySet<string>; readonly meanings: ReadonlySet<number> };
/** The content words of a statement, and the phrases among them whose meaning is known. */
export type ContentWords = { readonly words: readonly string[]; readonly mentions: readonly Omit<Mention, "phrase">[] };
const { credits: CREDIT } = BOUNDS;
const KEPT = 5000;

export const wordingOf = memoized((text: string): Wording => {
  const meanings = new Set<number>();
  const stems: string[] = [];
  for (const { text: token, han } of tokenizeFolded(fold(text))) {
    if (!han) stems.push(stem(token));
    else for (const { meaning } of openThesaurus().mentionsInChinese(token)) meanings.add(meaning.id);
  }
  for (const { meaning } of openThesaurus().mentionsInEnglish(stems)) meanings.add(meaning.id);
  return { terms: new Set(searchTerms(text)), meanings };
}, KEPT);

export const contentOf = memoized((statement: string): ContentWords => {
  const words = tokenizeFolded(fold(statement)).flatMap(({ text: token, han }) => {
    if (han) return segment(token).filter((word) => !isFunctionWord(word) && !EMPTY_WORDS.has(word));
    const word = stem(token);
    return /^[\d.,]+$/.test(word) || EMPTY_WORDS.has(word) || EMPTY_WORDS.has(token) || word.length < 2 ? [] : [word];
  });
  const thesaurus = openThesaurus();
  const inChinese = words.flatMap((word, at) =>
    thesaurus.mentionsInChinese(word).map(({ meaning }) => ({ meaning, places: [at] })),
  );
  return { words, mentions: [...thesaurus.mentionsInEnglish(words), ...inChinese] };
}, KEPT);

/** The share of a statement's content words that one of the sources has, 0 to 1. */
export function shareOf({ words, mentions }: ContentWords, ...sources: readonly Wording[]): number {
  if (words.length === 0) return 1;
  const credits = words.map((word) => Math.max(...sources.map((source) => creditOf(word, source))));
  for (const { meaning, places } of mentions) {
    if (!sources.some(({ meanings }) => meanings.has(meaning.id))) continue;
    for (const at of places) credits[at] = Math.max(credits[at]!, CREDIT.meaning);
  }
  return credits.reduce((sum, credit) => sum + credit, 0) / words.length;
}

/** 1 if the source has the word; less if it only has a word of the same meaning, or the word's characters. */
function creditOf(word: string, { terms }: Wording): number {
  if (termsOfWord(word).every((term) => terms.has(term))) return 1;
  if (relatedTo(word).some((other) => terms.has(other))) return CREDIT.translated;
  const characters = /^\p{Script=Han}/u.test(word) ? Array.from(word) : [];
  const found = characters.filter((character) => terms.has(character)).length;
  return characters.length > 1 ? (CREDIT.characters * found) / characters.length : 0;
}

/** Translations of a word, and words of its own language with the same translations. */
const relatedTo = memoized((word: string): readonly string[] => {
  const [there, back] = /^\p{Script=Han}/u.test(word) ? [toEnglish, toChinese] : [toChinese, toEnglish];
  const first = (found: readonly Translation[]) => found.slice(0, CREDIT.translations).map(([other]) => other);
  const translated = first(there(word));
  return [...new Set([...translated, ...translated.flatMap((other) => first(back(other)))])];
}, KEPT);

/** Words that are not content: units and numbers (compared as figures), negations (compared apart), and connectives. */
const EMPTY_WORDS: ReadonlySet<string> = new Set([
  ...UNIT_NAMES.flatMap((name) => name.split(" ")),
  ...NUMBER_WORDS,
  ...STOP_WORDS,
  ...readWords(new URL("data/empty-words.txt", import.meta.url)),
]);

function isFunctionWord(word: string): boolean {
  const characters = Array.from(word);
  return (
    STOP_PAIRS.has(word) ||
    characters.length === 1 ||
    characters.every((c) => STOP_CHARACTERS.has(c) || "一不二三四五六七八九十百千万亿".includes(c))
  );
}
