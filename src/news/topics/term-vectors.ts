import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Step } from "../../compute/job-runner.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { type Traits, traitsOf } from "./distinctions.ts";
import { type TermKind, headlineTermsOf } from "../../language/terms.ts";

/** What clustering reads of an item. */
export interface Headline {
  readonly title: string;
  readonly summary: string;
  readonly lang: Language;
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

const { weights: WEIGHTS, shares: SHARES, background: BACKGROUND, most: MOST } = CLUSTERING;

/** TF-IDF vectors (binary tf, idf = ln(1 + N / df) over the corpus and the background, cosine length; Manning, Raghavan, Schütze, sections 6.2–6.4). */
export async function vectorsOf(headlines: readonly Headline[], step: Step): Promise<Point[]> {
  const numbers = new Map<string, number>();
  const frequency: number[] = [];
  const kinds: TermKind[] = [];
  /** Numbers of the terms of each, doubled, and one more for those of the title: objects would take 60 MB of 20,000. */
  const documents: number[][] = [];
  /** The language of a term, or both. */
  const languages: (Language | "both")[] = [];
  const traits: Traits[] = [];
  for (const { title, summary, assets, lang } of headlines) {
    const titleTerms = headlineTermsOf(title, assets);
    const inTitle = new Set(titleTerms.map(({ key }) => key));
    traits.push(traitsOf(title, lang, inTitle));
    const allTerms = summary === "" ? titleTerms : headlineTermsOf(`${title}\n${summary}`, assets);
    const terms = allTerms.slice(0, MOST.terms).map(({ key, kind }) => {
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
      }
      frequency[number] = (frequency[number] ?? 0) + 1;
      languages[number] = (languages[number] ?? lang) === lang ? lang : "both";
      kinds[number] = kind;
      return 2 * number + (inTitle.has(key) ? 1 : 0);
    });
    documents.push(terms);
    await step();
  }
  return documents.map((terms, index): Point => {
    const vector: Vector = new Map();
    const neutral: number[] = [];
    for (const term of terms) {
      const number = term >> 1;
      const kind = kinds[number]!;
      const weight = WEIGHTS[kind] * (term % 2 === 1 ? 1 : SHARES.summary);
      const seen = frequency[number]! + BACKGROUND.documents * BACKGROUND[kind];
      const isOwn = kind === "concept" && languages[number] === "en";
      const value = weight * (isOwn ? SHARES.own : 1) * Math.log(1 + (headlines.length + BACKGROUND.documents) / seen);
      vector.set(number, value);
      // Latin words that Chinese texts use are names, so they count as neutral too.
      if (kind !== "han" && (kind !== "word" || languages[number] === "both")) neutral.push(value);
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
