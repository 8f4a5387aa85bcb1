import type { Language } from "../../contract/schemas/shared-fields.ts";
import { nearestLanguage } from "../../language/detect-language.ts";
import { createHomophones } from "../../language/dictionary/dictionary.ts";
import { openSearchThesaurus, type MeaningRows, type Thesaurus } from "../../language/thesaurus.ts";
import { canonical, fold, stem } from "../../language/tokenize.ts";
import { plainText } from "../../language/plain-text.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { keyOf, titlesOf, type Passage, type PassageChanges } from "../passage.ts";
import { LanguageIndex, searchTerms, type FoldedText } from "./language-index.ts";
import { encode, knownOf, scaleTo } from "../encoder/encoder.ts";
import TUNING from "./tuning.json" with { type: "json" };
import { unitsOf } from "./text-units.ts";
import { Vocabulary } from "./vocabulary.ts";
import { patternsOf, rewriter } from "../../runtime/text/patterns.ts";
import PATTERNS from "./title-form-patterns.json" with { type: "json" };

export interface IndexedPassage {
  readonly passage: Passage;
  readonly number: number;
  readonly lang: Language;
  readonly details: () => ReturnType<typeof readDetails>;
  readonly subject: () => ReturnType<typeof readSubject>;
}

const CACHED = { details: 1000, subjects: 10_000 };
const { said: SAID, trust: TRUST } = TUNING.meaning;

/** The search index of the passages in both languages. The cost of an update depends on the changes only; afterwards the
 * index gives the same results as one built from scratch. */
export class AnswerIndex {
  readonly languages: Readonly<Record<Language, LanguageIndex>> = { zh: new LanguageIndex(), en: new LanguageIndex() };
  readonly vocabulary = new Vocabulary();
  readonly thesaurus: () => Thesaurus;
  readonly #homophones = createHomophones();
  #soundsAt = 0; // Version of the Chinese index that the homophones contain.
  readonly #numbers = new Map<string, number>();
  readonly #passages: (IndexedPassage | undefined)[] = [];
  readonly #free: number[] = []; // Numbers of removed passages, to be reused.
  readonly #detailsOf = memoized(readDetails, CACHED.details);
  readonly #subjectOf = memoized(readSubject, CACHED.subjects);
  readonly #counterparts = new Map<string, number>();
  readonly #lasting = new Set<number>(); // Help and notices.
  #characters = 0; // Total length of help and notices.
  readonly #terms = { zh: 0, en: 0 }; // Of the beginnings of help and notices.
  readonly #known = { zh: 0, en: 0 }; // Those of them that occur in texts about services.
  readonly #titled = new Map<string, Set<number>>(); // Passages by canonical title or alias, and help and notices by its forms.

  /** @param lexicon the operator's synonyms, added to the built-in ones */
  constructor(passages: readonly Passage[] = [], lexicon: MeaningRows = []) {
    this.thesaurus = openSearchThesaurus(lexicon);
    this.change({ removed: [], added: passages });
  }

  change({ removed, added }: PassageChanges): void {
    for (const key of removed) this.#remove(key);
    for (const passage of added) this.#add(passage);
    if (added.length > 0) this.thesaurus(); // Loaded now, because an update may take longer than a question.
    for (const { details, subject } of Array.from(this.few() ?? [], (number) => this.passage(number))) {
      details();
      subject();
    }
  }

  passage(number: number): IndexedPassage {
    return this.#passages[number]!;
  }

  /** All passages, in no particular order. */
  indexed(): IndexedPassage[] {
    return this.#passages.filter((indexed) => indexed !== undefined);
  }

  /** The passage with the same id in the other language. */
  counterpart({ passage, lang }: IndexedPassage): IndexedPassage | undefined {
    const number = this.#counterparts.get(counterpartKey(passage, lang === "zh" ? "en" : "zh"));
    return number === undefined ? undefined : this.passage(number);
  }

  /** The help and notices, if they are few enough to compare a question with each of them. */
  few(): ReadonlySet<number> | undefined {
    const { passages, characters } = TUNING.ranking.few;
    return this.#lasting.size <= passages && this.#characters <= characters ? this.#lasting : undefined;
  }

  /** How much the vectors say about help and notices, 0 to 1: 1 if they use words as usual in texts about services. */
  trust(): number {
    const usual = this.#known.zh / TRUST.usual.zh + this.#known.en / TRUST.usual.en;
    return Math.min(1, usual / (this.#terms.zh + this.#terms.en || 1)) ** TRUST.power;
  }

  /** The passages whose title or alias equals a question; else those that it asks for in the plainest way. */
  titled(question: string): IndexedPassage[] {
    const found = this.#titled.get(canonical(question)) ?? this.#titled.get(titleForm(question) ?? "");
    return Array.from(found ?? [], (number) => this.passage(number));
  }

  /** The two-character words of the Chinese passages that sound like `pair`. */
  homophonesOf(pair: string): string[] {
    const { zh } = this.languages;
    if (this.#soundsAt !== zh.changes)
      for (const term of zh.terms()) if (/^\p{Script=Han}$/u.test(term)) this.#homophones.add(term);
    this.#soundsAt = zh.changes;
    return this.#homophones.pairsLike(pair).filter((other) => zh.documentFrequency(other) > 0);
  }

  #add(passage: Passage): void {
    const key = keyOf(passage);
    this.#remove(key);
    const number = this.#free.pop() ?? this.#passages.length;
    const lang = nearestLanguage(passage.lang);
    const folded = foldPassage(passage);
    this.languages[lang].add(number, folded);
    this.vocabulary.count(folded, 1);
    this.#numbers.set(key, number);
    this.#counterparts.set(counterpartKey(passage, lang), number);
    for (const title of titleKeysOf(passage))
      this.#titled.set(title, (this.#titled.get(title) ?? new Set()).add(number));
    const reading = { details: () => this.#detailsOf(passage), subject: () => this.#subjectOf(passage) };
    this.#passages[number] = { passage, number, lang, ...reading };
    if (passage.kind === "news") return;
    this.#lasting.add(number);
    this.#characters += passage.text.length;
    this.#countTerms(folded, lang, 1);
  }

  #remove(key: string): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    const { passage, lang } = this.passage(number);
    const folded = foldPassage(passage);
    this.languages[lang].remove(number, folded);
    this.vocabulary.count(folded, -1);
    this.#numbers.delete(key);
    const own = counterpartKey(passage, lang);
    if (this.#counterparts.get(own) === number) this.#counterparts.delete(own);
    for (const title of titleKeysOf(passage)) {
      this.#titled.get(title)?.delete(number);
      if (this.#titled.get(title)?.size === 0) this.#titled.delete(title);
    }
    this.#passages[number] = undefined;
    this.#free.push(number);
    if (!this.#lasting.delete(number)) return;
    this.#characters -= passage.text.length;
    this.#countTerms(folded, lang, -1);
  }

  #countTerms({ body }: FoldedText, lang: Language, step: 1 | -1): void {
    const terms = searchTerms(body.slice(0, SAID.beginning));
    this.#terms[lang] += step * terms.length;
    this.#known[lang] += step * Math.round(knownOf(terms) * terms.length);
  }
}

/** The parts of a passage's subject vector: the terms of its titles, opening and body, with their weights. */
export function partsOfSubject(passage: Passage): (readonly [terms: readonly string[], weight: number])[] {
  const body = plainText(passage.text.slice(0, 2 * SAID.characters)).slice(0, SAID.characters);
  return [
    [searchTerms(titlesOf(passage).join("\n")), SAID.title],
    [searchTerms(body.slice(0, SAID.beginning)), SAID.opening],
    [searchTerms(body), SAID.body],
  ];
}

function readSubject(passage: Passage) {
  const parts = partsOfSubject(passage);
  const vectors = parts.map(([terms, weight]) => scaleTo(encode([terms, 1]), weight));
  const meaning = vectors[0]!.map((_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0));
  return { titleTerms: new Set(parts[0]![0]), meaning };
}

/** The details of a passage, computed when a question needs them. `units`: its sentences, list items and table rows. */
const readDetails = ({ text }: Passage) => ({ bodyTerms: new Set(searchTerms(plainText(text))), units: unitsOf(text) });

/** What a question may equal to name a passage: its titles and aliases, canonical, except those without letters and digits,
 * and their forms. A headline is asked for in too many ways to have any. */
function titleKeysOf(passage: Passage): string[] {
  const titles = titlesOf(passage);
  const forms = passage.kind === "news" ? [] : titles.flatMap(formsOfTitle);
  return [...titles.map(canonical).filter(Boolean), ...forms];
}

const foldPassage = (passage: Passage): FoldedText => ({
  title: fold(titlesOf(passage).join("\n")),
  body: fold(plainText(passage.text)),
});

const counterpartKey = ({ kind, id }: Passage, lang: Language): string => keyOf({ kind, lang, id });

const MAX_LENGTH = 120; // Of a text that may be a title, UTF-16 units.
const MIN = { words: 2, characters: 3 }; // In the form of a text: words, or Chinese characters.
const { openings, ...lists } = PATTERNS;
const open = rewriter(openings, "gu");
const IS = patternsOf(lists, "gu");

/** The form that a title shares with the plainest questions for its article, as `how deposit crypto` of "How to deposit
 * crypto" and "How do I deposit crypto?": what is asked (how, why, how long …; `what` for a bare title), then the words
 * without those that carry no meaning, stemmed. Undefined for a text with too few words, and for one about the caller's
 * own things that asks for no way to do something. */
export function titleForm(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const opened = open(fold(text));
  const [marked, asked = "what"] = /#(\w+)/.exec(opened) ?? [];
  if (/^(?:what|how\w+|is)$/.test(asked) && opened.search(IS.own) >= 0) return undefined;
  const rest = opened.replace(marked ?? "", " ").replace(IS.dropped, " ");
  const words = rest.match(/\p{Script=Han}|[^\p{Script=Han} ]+/gu) ?? [];
  const characters = words.filter((word) => /\p{Script=Han}/u.test(word)).length;
  const isLong = characters >= MIN.characters || words.length - characters + characters / 2 >= MIN.words;
  return isLong ? [asked, ...words.map(stem)].join(" ") : undefined;
}

/** The forms of a title, and of its first part if it names two things ("What fees are, and how to pay them"). */
export const formsOfTitle = (title: string): string[] =>
  Array.from(new Set([fold(title), fold(title).replace(IS.second, "")]), (part) => titleForm(part) ?? []).flat();
