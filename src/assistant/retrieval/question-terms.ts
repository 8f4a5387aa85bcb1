import type { Passage } from "../passage.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import { segment, toChinese, toEnglish } from "../../language/dictionary/dictionary.ts";
import { fold, stem, tokenizeFolded } from "../../language/tokenize.ts";
import { QUESTION_WORDS, STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../../language/stop-words.ts";
import type { Meaning } from "../../language/thesaurus.ts";
import type { AnswerIndex } from "./answer-index.ts";
import { openEncoder } from "../encoder/encoder.ts";
import type { Nearness } from "./vector-index.ts";
import TUNING from "./tuning.json" with { type: "json" };
import { termsOfWord, type Alternative, type TermGroup } from "./language-index.ts";

const { alternatives: ALTERNATIVE, groups: GROUP, questions: MOST } = TUNING;

export interface Search {
  readonly question: string;
  readonly lang: Language; // The language of the question; its articles come first.
  readonly now: number; // Milliseconds since the Unix epoch: news and notices age.
  /** The previous question, if the question is incomplete without it (`isNeeded`), or so short that it may be. */
  readonly previous?: { readonly question: string; readonly isNeeded: boolean } | undefined;
  readonly symbol?: string | undefined; // Ticker of the asset on the user's page, used if the question names no asset.
  readonly page?: string | undefined; // Scene of the user's page.
  readonly wide?: boolean; // Whether the answer quotes several articles.
  readonly accept?: (passage: Passage) => boolean; // Limits the search.
  readonly near?: Nearness | undefined; // Fused with the ranking by words if present.
}

/** The term groups of a question for one language; with lower weights, those of the previous question or the page. */
export function groupsOf(index: AnswerIndex, { question, previous, symbol = "", page = "" }: Search, lang: Language) {
  const groups = readGroups(index, question, lang);
  const add = (text: string, weight: number): void => {
    for (const [key, group] of readGroups(index, text, lang))
      if (!groups.has(key)) groups.set(key, { ...group, weight: group.weight * weight });
  };
  if (previous !== undefined) add(previous.question, previous.isNeeded ? GROUP.previous : GROUP.context);
  if (assetsInQuestion(question).size === 0) add(symbol.toUpperCase(), GROUP.symbol);
  add(page, GROUP.page);
  return Array.from(groups.values())
    .filter(({ weight }) => weight > 0)
    .slice(0, MOST.groups);
}

function readGroups(index: AnswerIndex, question: string, lang: Language): Map<string, TermGroup> {
  const groups = new Groups();
  const tokens = tokenizeFolded(fold(question));
  for (const symbol of assetsInQuestion(question, tokens))
    groups.add(`asset ${symbol}`, GROUP.meaning, weighted(namesOfAsset(symbol), 1));
  const words = tokens.flatMap(({ text, han }) => (han ? [] : [text]));
  readEnglish(index, groups, words, lang);
  for (const { text, han } of tokens) {
    if (!han) continue;
    const taken = readMeanings(index, groups, text, lang);
    if (lang === "zh") readCharacters(index, groups, text, taken);
    else readChineseWords(groups, text);
  }
  return groups;
}

function readEnglish(index: AnswerIndex, groups: Groups, words: readonly string[], lang: Language): void {
  const [thesaurus, { vocabulary }] = [index.thesaurus(), index];
  const { zh, en } = index.languages;
  const stems = words.map((word) => stem(word));
  const inPhrase = new Set<number>();
  for (const { meaning, phrase, places } of thesaurus.mentionsInEnglish(stems)) {
    const isPhrase = places.length > 1;
    groups.add(`meaning ${meaning.id}`, isPhrase ? GROUP.phrase : GROUP.meaning, wordsFor(meaning, lang, phrase));
    if (isPhrase) for (const at of places) inPhrase.add(at);
  }
  let corrections = 0;
  for (const [i, word] of words.entries()) {
    const own = stems[i]!;
    if (STOP_WORDS.has(own) || QUESTION_WORDS.has(own)) continue;
    const isAbsent = zh.documentFrequency(own) + en.documentFrequency(own) === 0;
    const isUnknown = isAbsent && !thesaurus.isKnownStem(own);
    const corrected = isUnknown && ++corrections <= MOST.corrections ? vocabulary.corrections(word) : [];
    for (const meaning of corrected.flatMap((one) => thesaurus.meaningsOf(one)))
      groups.add(`meaning ${meaning.id}`, GROUP.meaning, wordsFor(meaning, lang));
    const alternatives = [
      ...weighted([own], 1),
      ...weighted(corrected, ALTERNATIVE.corrected),
      ...weighted(isAbsent ? vocabulary.expansions(word) : [], ALTERNATIVE.short),
      ...(isAbsent ? otherSpellingsOf(word) : []),
      ...(lang === "zh" ? translationsOf(index, own) : []),
    ];
    groups.add(own, inPhrase.has(i) ? GROUP.inPhrase : 1, alternatives, Math.sqrt(openEncoder().rarityOf(own)));
  }
}

/** Other spellings of a code: "E-205" for "e205", "09581" for "9581". */
function otherSpellingsOf(word: string): Alternative[] {
  const [, letters, digits = ""] = /^([a-z]*)(\d+)$/.exec(word) ?? [];
  if (letters === undefined) return [];
  return letters === "" ? weighted([`0${digits}`, `00${digits}`], 1) : [{ terms: [letters, digits], weight: 1 }];
}

function translationsOf(index: AnswerIndex, englishStem: string): Alternative[] {
  const { zh } = index.languages;
  return toChinese(englishStem)
    .filter(([word, weight]) => {
      if (Array.from(word).length === 1 && weight < 1) return false;
      return word.length <= 4 && termsOfWord(word).every((term) => zh.documentFrequency(term) > 0);
    })
    .slice(0, MOST.translations)
    .map(([word, weight]) =>
      alternative(word, weight * ALTERNATIVE.translated * (word.length === 1 ? GROUP.partlyTelling : 1)),
    );
}

/** Adds the meanings that a run of Chinese mentions; returns the positions of their words. */
function readMeanings(index: AnswerIndex, groups: Groups, run: string, lang: Language): ReadonlySet<number> {
  const taken = new Set<number>();
  for (const { meaning, phrase, places } of index.thesaurus().mentionsInChinese(run)) {
    const weight = lang === "zh" ? GROUP.chineseMeaning : GROUP.phrase;
    groups.add(`meaning ${meaning.id}`, weight, wordsFor(meaning, lang, phrase));
    for (const at of places) taken.add(at);
  }
  return taken;
}

function readCharacters(index: AnswerIndex, groups: Groups, run: string, taken: ReadonlySet<number>): void {
  const characters = Array.from(run);
  for (const [at, character] of characters.entries()) {
    if (!STOP_CHARACTERS.has(character)) groups.add(character, GROUP.character, weighted([character], 1));
    const next = characters[at + 1];
    if (next === undefined) continue;
    const pair = character + next;
    const weight = weightOfPair(pair) * (taken.has(at) && taken.has(at + 1) ? GROUP.inChineseMeaning : 1);
    if (weight === 0) continue;
    const isKnown = index.languages.zh.documentFrequency(pair) > 0;
    const sounding = isKnown ? [] : index.homophonesOf(pair).slice(0, MOST.homophones);
    groups.add(pair, weight, [...weighted([pair], 1), ...weighted(sounding, ALTERNATIVE.homophone)]);
  }
}

function readChineseWords(groups: Groups, run: string): void {
  for (const word of segment(run)) {
    if (STOP_PAIRS.has(word) || Array.from(word).every((character) => STOP_CHARACTERS.has(character))) continue;
    const translations = toEnglish(word).filter(([english]) => !STOP_WORDS.has(english));
    const alternatives = translations
      .slice(0, MOST.translations)
      .map(([english, weight]) => alternative(english, weight * ALTERNATIVE.translated));
    groups.add(word, Array.from(word).length === 1 ? GROUP.partlyTelling : 1, alternatives);
  }
}

/** Groups by their meaning; a repeated group keeps its highest weights. */
class Groups extends Map<string, TermGroup> {
  add(key: string, weight: number, alternatives: readonly Alternative[], salience = 1): void {
    if (alternatives.length === 0) return;
    const before = this.get(key);
    const merged = new Map<string, Alternative>();
    for (const one of [...(before?.alternatives ?? []), ...alternatives]) {
      const name = one.terms.join(" ");
      if (one.weight > (merged.get(name)?.weight ?? 0)) merged.set(name, one);
    }
    const greatest = Math.max(weight, before?.weight ?? 0);
    this.set(key, { weight: greatest, alternatives: Array.from(merged.values()), salience });
  }
}

const alternative = (word: string, weight: number): Alternative => ({ terms: termsOfWord(word), weight });
const weighted = (words: readonly string[], weight: number) => words.map((word) => alternative(word, weight));

function wordsFor({ en, zh }: Meaning, lang: Language, phrase?: string): Alternative[] {
  const own = lang === "zh" ? zh : en;
  const isForeign = phrase !== undefined && !own.includes(phrase);
  // A word inside the phrase counts as used in the question: "充值" in "怎么充值".
  const isUsed = (word: string): boolean =>
    phrase !== undefined && (lang === "zh" ? phrase.includes(word) : ` ${phrase} `.includes(` ${word} `));
  const unused = isForeign ? ALTERNATIVE.translated : ALTERNATIVE.synonym;
  const words = own.map((word) => alternative(word, isUsed(word) ? 1 : unused));
  // Chinese articles use English words too.
  const borrowed = lang === "zh" ? en.filter((word) => !word.includes(" ")) : [];
  return [...words, ...borrowed.map((word) => alternative(word, word === phrase ? 1 : ALTERNATIVE.synonym))];
}

function weightOfPair(pair: string): number {
  if (STOP_PAIRS.has(pair)) return 0;
  const functional = Array.from(pair).filter((character) => STOP_CHARACTERS.has(character)).length;
  return functional === 0 ? 1 : functional === 1 ? GROUP.partlyTelling : 0;
}
