import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Step } from "../../compute/job-runner.ts";
import { type Traits, traitsOf } from "./distinctions.ts";
import { type TermKind, headlineTermsOf } from "../../language/terms.ts";

/** What clustering reads of an item. */
export interface Headline {
  readonly title: string;
  readonly summary: string;
  readonly lang: Language;
  /** Tickers it is about. */
  readonly assets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A sparse vector: term number → weight. */
export type Vector = Map<number, number>;

/** A headline as a point: a unit vector of all its terms. */
export interface Point {
  readonly vector: Vector;
  /** Length of its part that means the same in every language, 0 to 1. */
  readonly neutralLength: number;
  readonly lang: Language;
  readonly at: number;
  readonly traits: Traits;
}

type ByKind = Readonly<Record<TermKind, number>>;

/**
 * Weight of a term by its kind. Pairs of Han characters overlap, so each counts half. A concept gives the sort of
 * event and is shared by many; a number, a name or a ticker identifies the event.
 */
const KIND_WEIGHT: ByKind = { word: 1, han: 0.5, concept: 0.6, number: 1, small: 0.7, asset: 0.7 };
/** An English word is a term itself: a concept that no Chinese text has adds its synonyms only. */
const OWN_SHARE = 0.3;
/** A term of the summary alone, against one of the title: summaries name much that the story is not about. */
const SUMMARY_WEIGHT = 0.3;

/**
 * A background that the term frequencies are smoothed with, so that a small corpus does not mistake the vocabulary of its
 * domain for news: so many documents, of which a known share has any given asset or concept.
 */
const BACKGROUND = 50;
const BACKGROUND_SHARE: ByKind = { word: 0, han: 0, concept: 0.05, number: 0, small: 0.04, asset: 0.1 };

/** TF-IDF vectors (binary tf, idf = ln(1 + N / df) over the corpus and the background, cosine length; Manning, Raghavan, Schütze, sections 6.2–6.4). */
export async function vectorsOf(headlines: readonly Headline[], step: Step): Promise<Point[]> {
  const numbers = new Map<string, number>();
  const frequency: number[] = [];
  const documents: { number: number; kind: TermKind; weight: number }[][] = [];
  const languages: Set<Language>[] = [];
  const traits: Traits[] = [];
  for (const { title, summary, assets, lang } of headlines) {
    const titleTerms = headlineTermsOf(title, assets);
    const inTitle = new Set(titleTerms.map(({ key }) => key));
    traits.push(traitsOf(title, lang, inTitle));
    const allTerms = summary === "" ? titleTerms : headlineTermsOf(`${title}\n${summary}`, assets);
    const terms = allTerms.map(({ key, kind }) => {
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
      }
      frequency[number] = (frequency[number] ?? 0) + 1;
      (languages[number] ??= new Set()).add(lang);
      return { number, kind, weight: KIND_WEIGHT[kind] * (inTitle.has(key) ? 1 : SUMMARY_WEIGHT) };
    });
    documents.push(terms);
    await step();
  }
  return documents.map((terms, index): Point => {
    const vector: Vector = new Map();
    const neutral: number[] = [];
    for (const { number, kind, weight } of terms) {
      const seen = frequency[number]! + BACKGROUND * BACKGROUND_SHARE[kind];
      const isOwn = kind === "concept" && languages[number]!.size === 1 && languages[number]!.has("en");
      const value = weight * (isOwn ? OWN_SHARE : 1) * Math.log(1 + (headlines.length + BACKGROUND) / seen);
      vector.set(number, value);
      // Latin words that Chinese texts use are names, so they count as neutral too.
      if (kind !== "han" && (kind !== "word" || languages[number]!.size > 1)) neutral.push(value);
    }
    const length = lengthOf(vector) || 1;
    for (const [number, value] of vector) vector.set(number, value / length);
    const { lang, at } = headlines[index]!;
    const neutralLength = Math.sqrt(neutral.reduce((sum, value) => sum + (value / length) ** 2, 0));
    return { vector, neutralLength, lang, at, traits: traits[index]! };
  });
}

export function lengthOf(vector: Vector): number {
  let sum = 0;
  for (const value of vector.values()) sum += value * value;
  return Math.sqrt(sum);
}

export function dot(a: Vector, b: Vector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [number, value] of small) sum += value * (large.get(number) ?? 0);
  return sum;
}
