import type { Language } from "../../contract/schemas/shared-fields.ts";
import { nearestLanguage } from "../../language/detect-language.ts";
import { fold } from "../../language/tokenize.ts";
import { plainText } from "../../language/plain-text.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { keyOf, titlesOf, type Passage, type PassageChanges } from "../passage.ts";
import { LanguageIndex, termsOfFolded, type DocumentTerms } from "./language-index.ts";
import { unitsOf, type TextUnit } from "./text-units.ts";
import { Vocabulary, type FoldedText } from "./vocabulary.ts";

/** What is computed of a passage when a question reads it. */
interface Details {
  readonly titleTerms: ReadonlySet<string>;
  readonly bodyTerms: ReadonlySet<string>;
  /** The text in sentences, list items and table rows. */
  readonly units: readonly TextUnit[];
}

/** A passage in the index. */
export interface IndexedPassage {
  readonly passage: Passage;
  readonly number: number;
  readonly lang: Language;
  readonly details: () => Details;
}

const DETAILS_KEPT = 1000;

/** The passages that answers may quote, ready for search in both languages. Changes cost what changes; after them the
 * index gives the same results as one built anew. */
export class EvidenceIndex {
  readonly languages: Readonly<Record<Language, LanguageIndex>> = { zh: new LanguageIndex(), en: new LanguageIndex() };
  readonly vocabulary = new Vocabulary();
  readonly #numbers = new Map<string, number>();
  readonly #passages: (IndexedPassage | undefined)[] = [];
  /** Numbers of passages that were removed: they are given again. */
  readonly #free: number[] = [];
  readonly #detailsOf = memoized(readDetails, DETAILS_KEPT);
  readonly #counterparts = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Applies changes, at the cost of what changes. */
  change({ removed, added }: PassageChanges): void {
    for (const key of removed) this.#remove(key);
    for (const passage of added) this.#add(passage);
  }

  passage(number: number): IndexedPassage {
    return this.#passages[number]!;
  }

  /** All passages, in no particular order. */
  passages(): Passage[] {
    return this.#passages.flatMap((indexed) => indexed?.passage ?? []);
  }

  /** The passage of the same id in the other language. */
  counterpart({ passage, lang }: IndexedPassage): IndexedPassage | undefined {
    const number = this.#counterparts.get(counterpartKey(passage, lang === "zh" ? "en" : "zh"));
    return number === undefined ? undefined : this.passage(number);
  }

  #add(passage: Passage): void {
    const key = keyOf(passage);
    this.#remove(key);
    const number = this.#free.pop() ?? this.#passages.length;
    const lang = nearestLanguage(passage.lang);
    const folded = foldPassage(passage);
    this.languages[lang].add(number, termsOf(folded));
    this.vocabulary.count(folded, 1);
    this.#numbers.set(key, number);
    this.#counterparts.set(counterpartKey(passage, lang), number);
    this.#passages[number] = { passage, number, lang, details: () => this.#detailsOf(passage) };
  }

  #remove(key: string): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    const { passage, lang } = this.passage(number);
    const folded = foldPassage(passage);
    this.languages[lang].remove(number, termsOf(folded));
    this.vocabulary.count(folded, -1);
    this.#numbers.delete(key);
    const own = counterpartKey(passage, lang);
    if (this.#counterparts.get(own) === number) this.#counterparts.delete(own);
    this.#passages[number] = undefined;
    this.#free.push(number);
  }
}

function readDetails(passage: Passage): Details {
  const { title, body } = termsOf(foldPassage(passage));
  return { titleTerms: new Set(title), bodyTerms: new Set(body), units: unitsOf(passage.text) };
}

const foldPassage = (passage: Passage): FoldedText => ({
  title: fold(titlesOf(passage).join("\n")),
  body: fold(plainText(passage.text)),
});

const termsOf = ({ title, body }: FoldedText): DocumentTerms => ({
  title: termsOfFolded(title),
  body: termsOfFolded(body),
});

const counterpartKey = ({ kind, id }: Passage, lang: Language): string => keyOf({ kind, lang, id });
