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
  readonly neutralLength: number; // Length of its part that means the same in every language, 0 to 1.
  readonly lang: Language;
  readonly at: number;
  readonly reading: Reading;
}

const { weights: WEIGHTS, shares: SHARES, background: BACKGROUND } = CLUSTERING;
const BLOCK = 65_536; // Terms of many vectors lie in one array: arrays of their own would take twice the memory.

/** TF-IDF vectors (binary tf, idf = ln(1 + N / df) over the corpus and the background, cosine length; Manning, Raghavan, Schütze, sections 6.2–6.4). */
export async function vectorsOf(headlines: readonly Headline[], step: Step, memory = new HeadlineMemory()) {
  const readings = await memory.readAll(headlines, step);
  const { weights, isNeutral } = weighTerms(readings, memory.terms());
  const pool = new VectorPool();
  const [numbers, values] = [new Uint32Array(CLUSTERING.most.terms), new Float64Array(CLUSTERING.most.terms)];
  return readings.map((reading, index): Point => {
    let [neutral, all] = [0, 0];
    for (const [at, code] of reading.terms.entries()) {
      const { number, isInTitle } = termAt(code);
      const value = weights[number]! * (isInTitle ? 1 : SHARES.summary);
      numbers[at] = number;
      values[at] = value;
      all += value ** 2;
      if (isNeutral[number] === 1) neutral += value ** 2;
    }
    const vector = pool.unitVector(numbers, values, reading.terms.length);
    const { lang, at } = headlines[index]!;
    return { vector, neutralLength: Math.sqrt(neutral / (all || 1)), lang, at, reading };
  });
}

/** The weight of each term in a title, and whether it means the same in every language. */
function weighTerms(readings: readonly Reading[], size: number) {
  const LANGUAGES = { en: 1, zh: 2 };
  const [frequency, kinds, languages] = [new Uint32Array(size), new Uint8Array(size), new Uint8Array(size)];
  for (const { terms, lang } of readings) {
    for (const code of terms) {
      const { number, kind } = termAt(code);
      frequency[number]! += 1;
      kinds[number] = Math.max(kinds[number]!, kind); // A rounded number may be both small and not.
      languages[number]! |= LANGUAGES[lang];
    }
  }
  const [weights, isNeutral] = [new Float64Array(size), new Uint8Array(size)];
  for (let number = 0; number < size; number++) {
    if (frequency[number] === 0) continue;
    const kind = TERM_KINDS[kinds[number]!]!;
    const seen = frequency[number]! + BACKGROUND.documents * BACKGROUND[kind];
    const isOwn = kind === "concept" && languages[number] === LANGUAGES.en;
    const idf = Math.log(1 + (readings.length + BACKGROUND.documents) / seen);
    weights[number] = WEIGHTS[kind] * (isOwn ? SHARES.own : 1) * idf;
    // Latin words that Chinese texts use are names, so they count as neutral too.
    const isBoth = languages[number] === LANGUAGES.en + LANGUAGES.zh;
    isNeutral[number] = Number(kind !== "han" && (kind !== "word" || isBoth));
  }
  return { weights, isNeutral };
}

/** Makes vectors. */
export class VectorPool {
  #terms = new Uint32Array();
  #weights = new Float64Array();
  #used = 0;

  /** The vector of length 1 of the first `count` of these different terms, or of the `most` heaviest of them. Of terms of
   * one weight the first come first. */
  unitVector(terms: Uint32Array, values: Float64Array, count: number, most = count): Vector {
    if (this.#used + most > this.#terms.length) {
      const length = Math.max(BLOCK, most);
      [this.#terms, this.#weights, this.#used] = [new Uint32Array(length), new Float64Array(length), 0];
    }
    const [own, weights] = [this.#terms.subarray(this.#used), this.#weights.subarray(this.#used)];
    let size = 0;
    for (let at = 0; at < count; at++) {
      const value = values[at]!;
      if (size < most) size += 1;
      else if (value <= weights[size - 1]!) continue;
      let place = size - 1;
      for (; place > 0 && weights[place - 1]! < value; place--) {
        own[place] = own[place - 1]!;
        weights[place] = weights[place - 1]!;
      }
      own[place] = terms[at]!;
      weights[place] = value;
    }
    this.#used += size;
    let sum = 0;
    for (let at = 0; at < size; at++) sum += weights[at]! ** 2;
    for (let at = 0; at < size; at++) weights[at] = weights[at]! / (Math.sqrt(sum) || 1);
    return { terms: own.subarray(0, size), weights: weights.subarray(0, size) };
  }
}
