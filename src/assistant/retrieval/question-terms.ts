import type { Language } from "../../contract/schemas/shared-fields.ts";
import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import type { Dictionary } from "../../language/dictionary/dictionary.ts";
import { fold, stem, tokenizeFolded } from "../../language/tokenize.ts";
import { Homophones } from "../../language/homophones.ts";
import { STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../../language/stop-words.ts";
import { Thesaurus, type Meaning } from "../../language/thesaurus.ts";
import type { EvidenceIndex } from "./evidence-index.ts";
import { termsOfWord, type Alternative, type TermGroup } from "./language-index.ts";

/** How surely another word means what the question says, compared with the question's own word. */
const ALTERNATIVE = { synonym: 0.55, corrected: 0.8, initials: 0.8, short: 0.7, translated: 0.7, homophone: 0.7 };
/** Weights of groups: a meaning of one word or several, and the words inside a phrase whose meaning counts already. */
const GROUP = { meaning: 0.6, phrase: 1, inPhrase: 0.45, chineseMeaning: 0.8, inChineseMeaning: 0.7, character: 0.25 };
/** Weight of a pair of characters of which one is a function word, and of a single character as a word to translate. */
const PARTLY_TELLING = 0.4;
/** Translations of a word that are considered, among those that occur. */
const TRANSLATIONS = 12;
/** Most words that sound like a pair of characters. */
const HOMOPHONES = 7;
/** Most groups of a question: what follows adds cost, not meaning. */
const MOST_GROUPS = 120;
/** Most unknown words of a question that are corrected. */
const MOST_CORRECTIONS = 8;

/** Words that questions are made of, stemmed; beside those that say nothing anywhere. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  `take takes happen possible hi hello hey thanks thank thx pls plz im ive dont doesnt didnt cant wont isnt whats hows
  wanna gonna gotta really actually help question there here when where why able anyone someone`
    .split(/\s+/)
    .map(stem),
);

/** Weight of what only the question before says. */
const PREVIOUS = 0.8;
/** Weight of the asset on the user's page. */
const SYMBOL = 0.3;
/** A word of at most so many passages may also be the initials of a phrase. */
const RARE = 2;

/** What a question is asked in. */
export interface QuestionContext {
  /** The question before, when this one may need it. */
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
    this.#homophones = new Homophones(dictionary);
  }

  /** The groups of a question, and, with less weight, those that only the question before says, or the user's page. */
  groupsOf(question: string, lang: Language, { previous = "", symbol = "" }: QuestionContext = {}): TermGroup[] {
    const groups = this.#read(question, lang);
    const add = (text: string, weight: number): void => {
      for (const [key, group] of this.#read(text, lang)) {
        if (!groups.has(key)) groups.set(key, { ...group, weight: group.weight * weight });
      }
    };
    add(previous, PREVIOUS);
    if (assetsInQuestion(question).size === 0) add(symbol.toUpperCase(), SYMBOL);
    return Array.from(groups.values())
      .filter(({ weight }) => weight > 0)
      .slice(0, MOST_GROUPS);
  }

  #read(question: string, lang: Language): Map<string, TermGroup> {
    const groups = new Groups();
    const tokens = tokenizeFolded(fold(question));
    for (const symbol of assetsInQuestion(question, tokens)) {
      groups.add(
        `asset ${symbol}`,
        GROUP.meaning,
        namesOfAsset(symbol).map((name) => alternative(name, 1)),
      );
    }
    const words = tokens.flatMap(({ text, han }) => (han ? [] : [text]));
    this.#readEnglish(groups, words, lang, abbreviationsIn(question));
    for (const { text, han } of tokens) {
      if (!han) continue;
      const taken = this.#readMeanings(groups, text, lang);
      if (lang === "zh") this.#readCharacters(groups, text, taken);
      else this.#readChineseWords(groups, text);
    }
    return groups.byKey;
  }

  #readEnglish(groups: Groups, words: readonly string[], lang: Language, capitals: ReadonlySet<string>): void {
    const stems = words.map((word) => stem(word));
    const inPhrase = new Set<number>();
    for (const { meaning, phrase, at, length } of this.#thesaurus.mentionsInEnglish(stems)) {
      groups.add(`meaning ${meaning.id}`, length > 1 ? GROUP.phrase : GROUP.meaning, wordsFor(meaning, lang, phrase));
      if (length > 1) for (let i = at; i < at + length; i++) inPhrase.add(i);
    }
    let corrections = 0;
    for (const [i, word] of words.entries()) {
      const own = stems[i]!;
      const capital = capitals.has(word);
      if (STOP_WORDS.has(own) || QUESTION_WORDS.has(own)) {
        if (capital) groups.add(own, 1, this.#initials(word));
        continue;
      }
      const corrected =
        this.#isUnknown(own) && ++corrections <= MOST_CORRECTIONS ? this.#index.vocabulary.corrections(word) : [];
      for (const meaning of corrected.flatMap((one) => this.#thesaurus.meaningsOf(one))) {
        groups.add(`meaning ${meaning.id}`, GROUP.meaning, wordsFor(meaning, lang));
      }
      groups.add(own, inPhrase.has(i) ? GROUP.inPhrase : 1, [
        alternative(own, 1),
        ...corrected.map((other) => alternative(other, ALTERNATIVE.corrected)),
        ...(capital || this.#frequency(own) <= RARE ? this.#initials(word) : []),
        ...(this.#frequency(own) === 0 ? this.#index.vocabulary.expansions(word) : []).map((other) =>
          alternative(other, ALTERNATIVE.short),
        ),
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

  #initials(word: string): Alternative[] {
    return this.#index.vocabulary.phrases(word).map((phrase) => alternative(phrase, ALTERNATIVE.initials));
  }

  /** Chinese translations of an English stem that the passages use. */
  #translations(englishStem: string): Alternative[] {
    const { zh } = this.#index.languages;
    return this.#dictionary
      .toChinese(englishStem)
      .filter(([word, weight]) => {
        if (Array.from(word).length === 1 && weight < 1) return false;
        return word.length <= 4 && termsOfWord(word).every((term) => zh.documentFrequency(term) > 0);
      })
      .slice(0, TRANSLATIONS)
      .map(([word, weight]) =>
        alternative(word, weight * ALTERNATIVE.translated * (word.length === 1 ? PARTLY_TELLING : 1)),
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

  /** Adds the characters of a run and their pairs, with the pairs that sound like an unknown one. */
  #readCharacters(groups: Groups, run: string, taken: ReadonlySet<number>): void {
    const characters = Array.from(run);
    for (const [at, character] of characters.entries()) {
      if (!STOP_CHARACTERS.has(character)) groups.add(character, GROUP.character, [alternative(character, 1)]);
      const next = characters[at + 1];
      if (next === undefined) continue;
      const pair = character + next;
      const weight = weightOfPair(pair) * (taken.has(at) && taken.has(at + 1) ? GROUP.inChineseMeaning : 1);
      if (weight > 0) groups.add(pair, weight, [alternative(pair, 1), ...this.#soundingLike(pair)]);
    }
  }

  /** The pairs that sound like one that does not occur. */
  #soundingLike(pair: string): Alternative[] {
    const { zh } = this.#index.languages;
    if (zh.documentFrequency(pair) > 0) return [];
    this.#learnCharacters();
    const found: Alternative[] = [];
    for (const other of this.#homophones.pairsLike(pair)) {
      if (zh.documentFrequency(other) > 0) found.push(alternative(other, ALTERNATIVE.homophone));
      if (found.length === HOMOPHONES) break;
    }
    return found;
  }

  /** Adds the characters that came with the latest passages to those that a misspelt word may stand for. */
  #learnCharacters(): void {
    const { zh } = this.#index.languages;
    if (this.#known === zh.changes) return;
    this.#known = zh.changes;
    for (const term of zh.terms()) if (/^\p{Script=Han}$/u.test(term)) this.#homophones.add(term);
  }

  /** Adds the English translations of the words of a run of Chinese. */
  #readChineseWords(groups: Groups, run: string): void {
    for (const word of this.#dictionary.segment(run)) {
      if (STOP_PAIRS.has(word) || Array.from(word).every((character) => STOP_CHARACTERS.has(character))) continue;
      const translations = this.#dictionary.toEnglish(word).filter(([english]) => !STOP_WORDS.has(english));
      const alternatives = translations
        .slice(0, TRANSLATIONS)
        .map(([english, weight]) => alternative(english, weight * ALTERNATIVE.translated));
      if (alternatives.length > 0) groups.add(word, Array.from(word).length === 1 ? PARTLY_TELLING : 1, alternatives);
    }
  }
}

/** Groups by what they stand for; a repeated one keeps its greatest weights. */
class Groups {
  readonly byKey = new Map<string, TermGroup>();

  add(key: string, weight: number, alternatives: readonly Alternative[]): void {
    if (alternatives.length === 0) return;
    const before = this.byKey.get(key);
    const merged = new Map<string, Alternative>();
    for (const one of [...(before?.alternatives ?? []), ...alternatives]) {
      const name = one.terms.join(" ");
      if (one.weight > (merged.get(name)?.weight ?? 0)) merged.set(name, one);
    }
    this.byKey.set(key, { weight: Math.max(weight, before?.weight ?? 0), alternatives: Array.from(merged.values()) });
  }
}

function alternative(word: string, weight: number): Alternative {
  return { terms: termsOfWord(word), weight };
}

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

/** Weight of a pair of characters: none for a function word. */
function weightOfPair(pair: string): number {
  if (STOP_PAIRS.has(pair)) return 0;
  const functional = Array.from(pair).filter((character) => STOP_CHARACTERS.has(character)).length;
  return functional === 0 ? 1 : functional === 1 ? PARTLY_TELLING : 0;
}

/** The words of a question that are written in capitals, folded, where not all of it is. */
function abbreviationsIn(question: string): Set<string> {
  const [small, capital] = [question.match(/[a-z]/g)?.length ?? 0, question.match(/[A-Z]/g)?.length ?? 0];
  if (capital > small && question.length > 12) return new Set();
  return new Set(Array.from(question.matchAll(/(?<![A-Za-z])[A-Z]{2,5}(?![A-Za-z])/g), ([word]) => word.toLowerCase()));
}
