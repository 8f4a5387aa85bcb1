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
  readonly at: number; // Milliseconds since the epoch.
}

/** A sparse vector: term numbers and their weights, the heaviest first. */
export type Vector = { readonly terms: Uint32Array; readonly weights: Float64Array };
/** A sum of vectors: term number → weight. */
export type Sum = Map<number, number>;

/** A headline as a point: a unit vector of all its terms. */
export interface Point {
  readonly vector: Vector;
  readonly neutralLength: number; // Length of its part that means the same in every language, 0 to 1.
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
  const languages: (Language | "both")[] = []; // The language of a term, or both.
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
    const neutral: number[] = [];
    const values = terms.map((term) => {
      const number = term >> 1;
      const kind = kinds[number]!;
      const weight = WEIGHTS[kind] * (term % 2 === 1 ? 1 : SHARES.summary);
      const seen = frequency[number]! + BACKGROUND.documents * BACKGROUND[kind];
      const isOwn = kind === "concept" && languages[number] === "en";
      const value = weight * (isOwn ? SHARES.own : 1) * Math.log(1 + (headlines.length + BACKGROUND.documents) / seen);
      // Latin words that Chinese texts use are names, so they count as neutral too.
      if (kind !== "han" && (kind !== "word" || languages[number] === "both")) neutral.push(value);
      return value;
    });
    const { lang, at } = headlines[index]!;
    const numbers = terms.map((term) => term >> 1);
    const vector = unitVector(numbers, new Float64Array(values));
    const neutralLength = Math.hypot(...neutral) / (Math.hypot(...values) || 1);
    return { vector, neutralLength, lang, at, traits: traits[index]! };
  });
}

/** The vector of length 1 of these different terms, or of the `most` heaviest. */
export function unitVector(terms: ArrayLike<number>, values: Float64Array, most = Infinity): Vector {
  const least = values.length > most ? values.slice().sort()[values.length - most]! : 0;
  let order: number[] = [];
  for (let at = 0; at < values.length; at++) if (values[at]! >= least) order.push(at);
  order = order.sort((a, b) => values[b]! - values[a]! || terms[a]! - terms[b]!).slice(0, most);
  const length = Math.hypot(...order.map((at) => values[at]!)) || 1;
  return {
    terms: new Uint32Array(order.map((at) => terms[at]!)),
    weights: new Float64Array(order.map((at) => values[at]! / length)),
  };
}

/** Calls back for each term and weight. */
export function eachTerm(vector: Vector | Sum, call: (term: number, weight: number) => void): void {
  if (vector instanceof Map) for (const [term, weight] of vector) call(term, weight);
  else for (let at = 0; at < vector.terms.length; at++) call(vector.terms[at]!, vector.weights[at]!);
}

/** A vector as a sum, which is its own unless it is one already. */
export function toSum(vector: Vector | Sum): Sum {
  if (vector instanceof Map) return vector;
  const sum: Sum = new Map();
  eachTerm(vector, (term, weight) => sum.set(term, weight));
  return sum;
}

/** The dot product, by the terms of the first. */
export function dot(few: Vector | Sum, many: Sum): number {
  let product = 0;
  eachTerm(few, (term, weight) => (product += weight * (many.get(term) ?? 0)));
  return product;
}
