import { LRUCache } from "lru-cache";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { nearestLanguage } from "../../language/detect-language.ts";
import { fold } from "../../language/tokenize.ts";
import { plainText } from "../../language/plain-text.ts";
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
  readonly details: Details;
}

/** Most passages whose details are kept. */
const DETAILS_KEPT = 1000;

/**
 * The passages that answers may quote, ready for search in both languages. Changes cost what changes; after them the
 * index gives the same results as one built anew.
 */
export class EvidenceIndex {
  readonly languages: Readonly<Record<Language, LanguageIndex>> = { zh: new LanguageIndex(), en: new LanguageIndex() };
  readonly vocabulary = new Vocabulary();
  readonly #numbers = new Map<string, number>();
  readonly #passages: (IndexedPassage | undefined)[] = [];
  /** Numbers of passages that were removed: they are given again. */
  readonly #free: number[] = [];
  readonly #details = new LRUCache<Passage, Details>({ max: DETAILS_KEPT });
  /** Passages by kind, id and language. */
  readonly #counterparts = new Map<string, number>();

  /** Number of passages. */
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

  passages(): IndexedPassage[] {
    return this.#passages.filter((passage) => passage !== undefined);
  }

  /** The passage of the same id in the other language. */
  counterpart({ passage, lang }: IndexedPassage): IndexedPassage | undefined {
    const number = this.#counterparts.get(counterpartKey(passage, lang === "zh" ? "en" : "zh"));
    return number === undefined ? undefined : this.passage(number);
  }

  #detailsOf(passage: Passage): Details {
    let details = this.#details.get(passage);
    if (details === undefined) {
      const { title, body } = termsOf(foldPassage(passage));
      details = { titleTerms: new Set(title), bodyTerms: new Set(body), units: unitsOf(passage.text) };
      this.#details.set(passage, details);
    }
    return details;
  }

  #add(passage: Passage): void {
    const key = keyOf(passage);
    this.#remove(key);
    const number = this.#free.pop() ?? this.#passages.length;
    const lang = nearestLanguage(passage.lang);
    const folded = foldPassage(passage);
    this.languages[lang].add(number, termsOf(folded));
    this.vocabulary.add(folded);
    this.#numbers.set(key, number);
    this.#counterparts.set(counterpartKey(passage, lang), number);
    const detailsOf = (): Details => this.#detailsOf(passage);
    this.#passages[number] = {
      passage,
      number,
      lang,
      get details() {
        return detailsOf();
      },
    };
  }

  #remove(key: string): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    const { passage, lang } = this.passage(number);
    const folded = foldPassage(passage);
    this.languages[lang].remove(number, termsOf(folded));
    this.vocabulary.remove(folded);
    this.#numbers.delete(key);
    if (this.#counterparts.get(counterpartKey(passage, lang)) === number) {
      this.#counterparts.delete(counterpartKey(passage, lang));
    }
    this.#passages[number] = undefined;
    this.#free.push(number);
  }
}

function foldPassage(passage: Passage): FoldedText {
  return { title: fold(titlesOf(passage).join("\n")), body: fold(plainText(passage.text)) };
}

function termsOf({ title, body }: FoldedText): DocumentTerms {
  return { title: termsOfFolded(title), body: termsOfFolded(body) };
}

function counterpartKey({ kind, id }: Passage, lang: Language): string {
  return `${kind} ${lang} ${id}`;
}
