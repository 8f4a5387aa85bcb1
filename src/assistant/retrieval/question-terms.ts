import type { Language } from "../../contract/schemas/shared-fields.ts";
import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import type { Dictionary } from "../../language/dictionary/dictionary.ts";
import { fold, stem, tokenizeFolded } from "../../language/tokenize.ts";
import { createHomophones, type Homophones } from "../../language/homophones.ts";
import { QUESTION_WORDS, STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../../language/stop-words.ts";
import { Thesaurus, type Meaning } from "../../language/thesaurus.ts";
import type { EvidenceIndex } from "./evidence-index.ts";
import TUNING from "./tuning.json" with { type: "json" };
import { termsOfWord, type Alternative, type TermGroup } from "./language-index.ts";

const { alternatives: ALTERNATIVE, groups: GROUP, questions: MOST } = TUNING;

/** What a question is asked in. */
export interface QuestionContext {
  readonly previous?: string | undefined;
  /** Ticker of the asset on the user's page: it counts where the question names none. */
  readonly symbol?: string | undefined;
}

/** Reads questions as groups of terms, for the passages of one language, with the words that these use. */
export class QuestionTerms {
  readonly #index: EvidenceIndex;
  readonly #dictionary: Dictionary;
  readonly #homophones: Homophones;
  readonly #thesaurus: Thesaurus;
  #known = 0;

  constructor(index: EvidenceIndex, dictionary: Dictionary, thesaurus: Thesaurus) {
    this.#index = index;
    this.#thesaurus = thesaurus;
    this.#dictionary = dictionary;
    this.#homophones = createHomophones(dictionary);
  }

  /** The groups of a question, and, with less weight, those that only the question before says, or the user's page. */
  groupsOf(question: string, lang: Language, { previous = "", symbol = "" }: QuestionContext = {}): TermGroup[] {
    const groups = this.#read(question, lang);
    const add = (text: string, weight: number): void => {
      for (const [key, group] of this.#read(text, lang)) {
        if (!groups.has(key)) groups.set(key, { ...group, weight: group.weight * weight });
      }
    };
    add(previous, GROUP.previous);
    if (assetsInQuestion(question).size === 0) add(symbol.toUpperCase(), GROUP.symbol);
    return Array.from(groups.values())
      .filter(({ weight }) => weight > 0)
      .slice(0, MOST.groups);
  }

  #read(question: string, lang: Language): Map<string, TermGroup> {
    const groups = new Groups();
    const tokens = tokenizeFolded(fold(question));
    for (const symbol of assetsInQuestion(question, tokens)) {
      groups.add(`asset ${symbol}`, GROUP.meaning, weighted(namesOfAsset(symbol), 1));
    }
    const words = tokens.flatMap(({ text, han }) => (han ? [] : [text]));
    this.#readEnglish(groups, words, lang);
    for (const { text, han } of tokens) {
      if (!han) continue;
      const taken = this.#readMeanings(groups, text, lang);
      if (lang === "zh") this.#readCharacters(groups, text, taken);
      else this.#readChineseWords(groups, text);
    }
    return groups;
  }

  #readEnglish(groups: Groups, words: readonly string[], lang: Language): void {
    const stems = words.map((word) => stem(word));
    const inPhrase = new Set<number>();
    for (const { meaning, phrase, at, length } of this.#thesaurus.mentionsInEnglish(stems)) {
      groups.add(`meaning ${meaning.id}`, length > 1 ? GROUP.phrase : GROUP.meaning, wordsFor(meaning, lang, phrase));
      if (length > 1) for (let i = at; i < at + length; i++) inPhrase.add(i);
    }
    let corrections = 0;
    for (const [i, word] of words.entries()) {
      const own = stems[i]!;
      if (STOP_WORDS.has(own) || QUESTION_WORDS.has(own)) continue;
      const corrected =
        this.#isUnknown(own) && ++corrections <= MOST.corrections ? this.#index.vocabulary.corrections(word) : [];
      for (const meaning of corrected.flatMap((one) => this.#thesaurus.meaningsOf(one))) {
        groups.add(`meaning ${meaning.id}`, GROUP.meaning, wordsFor(meaning, lang));
      }
      groups.add(own, inPhrase.has(i) ? GROUP.inPhrase : 1, [
        ...weighted([own], 1),
        ...weighted(corrected, ALTERNATIVE.corrected),
        ...weighted(this.#frequency(own) === 0 ? this.#index.vocabulary.expansions(word) : [], ALTERNATIVE.short),
        ...(lang === "zh" ? this.#translations(own) : []),
      ]);
    }
  }

  #frequency(englishStem: string): number {
    const { zh, en } = this.#index.languages;
    return zh.documentFrequency(englishStem) + en.documentFrequency(englishStem);
  }

  #isUnknown(englishStem: string): boolean {
    return this.#frequency(englishStem) === 0 && !this.#thesaurus.isKnownStem(englishStem);
  }

  #translations(englishStem: string): Alternative[] {
    const { zh } = this.#index.languages;
    return this.#dictionary
      .toChinese(englishStem)
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
  #readMeanings(groups: Groups, run: string, lang: Language): ReadonlySet<number> {
    const taken = new Set<number>();
    for (const { meaning, phrase, at, length } of this.#thesaurus.mentionsInChinese(run)) {
      const weight = lang === "zh" ? GROUP.chineseMeaning : GROUP.phrase;
      groups.add(`meaning ${meaning.id}`, weight, wordsFor(meaning, lang, phrase));
      for (let i = at; i < at + length; i++) taken.add(i);
    }
    return taken;
  }

  #readCharacters(groups: Groups, run: string, taken: ReadonlySet<number>): void {
    const characters = Array.from(run);
    for (const [at, character] of characters.entries()) {
      if (!STOP_CHARACTERS.has(character)) groups.add(character, GROUP.character, weighted([character], 1));
      const next = characters[at + 1];
      if (next === undefined) continue;
      const pair = character + next;
      const weight = weightOfPair(pair) * (taken.has(at) && taken.has(at + 1) ? GROUP.inChineseMeaning : 1);
      if (weight > 0) groups.add(pair, weight, weighted([pair], 1).concat(this.#soundingLike(pair)));
    }
  }

  #soundingLike(pair: string): Alternative[] {
    const { zh } = this.#index.languages;
    if (zh.documentFrequency(pair) > 0) return [];
    // The characters that came with the latest passages are added to those that a misspelt word may stand for.
    if (this.#known !== zh.changes) {
      for (const term of zh.terms()) if (/^\p{Script=Han}$/u.test(term)) this.#homophones.add(term);
    }
    this.#known = zh.changes;
    const used = this.#homophones.pairsLike(pair).filter((other) => zh.documentFrequency(other) > 0);
    return weighted(used.slice(0, MOST.homophones), ALTERNATIVE.homophone);
  }

  #readChineseWords(groups: Groups, run: string): void {
    for (const word of this.#dictionary.segment(run)) {
      if (STOP_PAIRS.has(word) || Array.from(word).every((character) => STOP_CHARACTERS.has(character))) continue;
      const translations = this.#dictionary.toEnglish(word).filter(([english]) => !STOP_WORDS.has(english));
      const alternatives = translations
        .slice(0, MOST.translations)
        .map(([english, weight]) => alternative(english, weight * ALTERNATIVE.translated));
      groups.add(word, Array.from(word).length === 1 ? GROUP.partlyTelling : 1, alternatives);
    }
  }
}

/** Groups by what they stand for; a repeated one keeps its greatest weights. */
class Groups extends Map<string, TermGroup> {
  add(key: string, weight: number, alternatives: readonly Alternative[]): void {
    if (alternatives.length === 0) return;
    const before = this.get(key);
    const merged = new Map<string, Alternative>();
    for (const one of [...(before?.alternatives ?? []), ...alternatives]) {
      const name = one.terms.join(" ");
      if (one.weight > (merged.get(name)?.weight ?? 0)) merged.set(name, one);
    }
    this.set(key, { weight: Math.max(weight, before?.weight ?? 0), alternatives: Array.from(merged.values()) });
  }
}

const alternative = (word: string, weight: number): Alternative => ({ terms: termsOfWord(word), weight });
const weighted = (words: readonly string[], weight: number) => words.map((word) => alternative(word, weight));

/** The words for a meaning in one language; the question's own phrase counts whole. */
function wordsFor({ en, zh }: Meaning, lang: Language, phrase?: string): Alternative[] {
  const english = en.map((stems) => stems.join(" "));
  const own = lang === "zh" ? zh : english;
  const isForeign = phrase !== undefined && !own.includes(phrase);
  const words = own.map((word) =>
    alternative(word, word === phrase ? 1 : isForeign ? ALTERNATIVE.translated : ALTERNATIVE.synonym),
  );
  // Chinese articles use English words too.
  const borrowed = lang === "zh" ? english.filter((word) => !word.includes(" ")) : [];
  return [...words, ...borrowed.map((word) => alternative(word, word === phrase ? 1 : ALTERNATIVE.synonym))];
}

function weightOfPair(pair: string): number {
  if (STOP_PAIRS.has(pair)) return 0;
  const functional = Array.from(pair).filter((character) => STOP_CHARACTERS.has(character)).length;
  return functional === 0 ? 1 : functional === 1 ? GROUP.partlyTelling : 0;
}
