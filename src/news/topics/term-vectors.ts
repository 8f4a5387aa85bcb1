import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Step } from "../../compute/job-runner.ts";
import { TERM_KINDS } from "../../language/terms.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { type Headline, HeadlineMemory, type Reading, termAt } from "./headline-memory.ts";

/** A sparse vector: term numbers and their weights, the heaviest first. */
export type Vector = { readonly terms: Uint32Array; readonly weights: Float64Array };

/** A headline as a point: a unit vector of all its terms. */
export interface Point {
  readonly vector: Vector;
  readonly neutralLength: number; // Length of its language-independent part, 0 to 1.
  readonly lang: Language;
  readonly at: number;
  readonly reading: Reading;
}

const { weights: WEIGHTS, shares: SHARES, background: BACKGROUND } = CLUSTERING;
const LANGUAGES = { en: 1, zh: 2 };
const BLOCK = 65_536; // Terms per shared array. One array per vector would take twice the memory.

/** TF-IDF vectors (binary tf, idf = ln(1 + N / df) over the corpus and the background, cosine length; Manning, Raghavan, Schütze, sections 6.2–6.4). */
export async function vectorsOf(headlines: readonly Headline[], step: Step, memory = new HeadlineMemory()) {
  const readings = await memory.readAll(headlines, step);
  const corpus = new Corpus(memory.terms());
  for (const reading of readings) corpus.add(reading);
  return readings.map((reading, index) => corpus.pointOf(headlines[index]!, reading));
}

/** The statistics of the terms of all headlines. Once these are added, it creates their points. */
class Corpus {
  readonly #frequency: Uint32Array;
  readonly #kinds: Uint8Array;
  readonly #languages: Uint8Array;
  readonly #weights: Float64Array; // Weight of each term in a title; 0 until it is computed.
  #size = 0;
  readonly #pool = new VectorPool();
  readonly #terms = new Uint32Array(CLUSTERING.most.terms); // Scratch arrays for one point.
  readonly #values = new Float64Array(CLUSTERING.most.terms);

  /** @param terms number of known terms */
  constructor(terms: number) {
    this.#frequency = new Uint32Array(terms);
    [this.#kinds, this.#languages] = [new Uint8Array(terms), new Uint8Array(terms)];
    this.#weights = new Float64Array(terms);
  }

  add({ terms, lang }: Reading): void {
    this.#size += 1;
    for (const code of terms) {
      const { number, kind } = termAt(code);
      this.#frequency[number]! += 1;
      this.#kinds[number] = Math.max(this.#kinds[number]!, kind); // A rounded number may be both small and not.
      this.#languages[number]! |= LANGUAGES[lang];
    }
  }

  pointOf({ lang, at }: Headline, reading: Reading): Point {
    let [neutral, all, count] = [0, 0, 0];
    for (const code of reading.terms) {
      const { number, isInTitle } = termAt(code);
      const value = this.#weightOf(number) * (isInTitle ? 1 : SHARES.summary);
      this.#terms[count] = number;
      this.#values[count++] = value;
      all += value ** 2;
      if (this.#isNeutral(number)) neutral += value ** 2;
    }
    const vector = this.#pool.unitVector(this.#terms, this.#values, count);
    return { vector, neutralLength: Math.sqrt(neutral / (all || 1)), lang, at, reading };
  }

  #weightOf(number: number): number {
    if (this.#weights[number]! > 0) return this.#weights[number]!;
    const kind = TERM_KINDS[this.#kinds[number]!]!;
    const seen = this.#frequency[number]! + BACKGROUND.documents * BACKGROUND[kind];
    const isOwn = kind === "concept" && this.#languages[number] === LANGUAGES.en;
    const idf = Math.log(1 + (this.#size + BACKGROUND.documents) / seen);
    return (this.#weights[number] = WEIGHTS[kind] * (isOwn ? SHARES.own : 1) * idf);
  }

  /** Whether a term is language-independent. Latin words in Chinese texts are names, so they are. */
  #isNeutral(number: number): boolean {
    const kind = TERM_KINDS[this.#kinds[number]!]!;
    return kind !== "han" && (kind !== "word" || this.#languages[number] === LANGUAGES.en + LANGUAGES.zh);
  }
}

/** Allocates vectors in shared arrays. */
export class VectorPool {
  #terms = new Uint32Array();
  #weights = new Float64Array();
  #used = 0;

  /** The unit vector of the first `count` of these distinct terms, or of the `most` heaviest of them, by falling weight.
   * Terms of equal weight keep their order. */
  unitVector(terms: Uint32Array, values: Float64Array, count: number, most = count): Vector {
    if (this.#used + most > this.#terms.length) {
      const length = Math.max(BLOCK, most);
      [this.#terms, this.#weights, this.#used] = [new Uint32Array(length), new Float64Array(length), 0];
    }
    const [own, weights, from] = [this.#terms, this.#weights, this.#used];
    let end = from;
    for (let at = 0; at < count; at++) {
      const value = values[at]!;
      if (end < from + most) end += 1;
      else if (value <= weights[end - 1]!) continue;
      let place = end - 1;
      for (; place > from && weights[place - 1]! < value; place--) {
        own[place] = own[place - 1]!;
        weights[place] = weights[place - 1]!;
      }
      own[place] = terms[at]!;
      weights[place] = value;
    }
    this.#used = end;
    let sum = 0;
    for (let at = from; at < end; at++) sum += weights[at]! ** 2;
    for (let at = from; at < end; at++) weights[at] = weights[at]! / (Math.sqrt(sum) || 1);
    return { terms: own.subarray(from, end), weights: weights.subarray(from, end) };
  }
}
