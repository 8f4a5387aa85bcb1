import type { Step } from "../../compute/job-runner.ts";
import { TERM_KINDS } from "../../language/terms.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { type Headline, HeadlineMemory, type Reading, termAt } from "./headline-memory.ts";

/** A sparse vector: term numbers and their weights, the heaviest first. */
export type Vector = { readonly terms: Uint32Array; readonly weights: Float64Array };

/** A headline as a point: a unit vector of all its terms. */
export type Point = Readonly<Awaited<ReturnType<typeof vectorsOf>>[number]>;

const { weights: WEIGHTS, shares: SHARES, background: BACKGROUND } = CLUSTERING;
const LANGUAGES = { en: 1, zh: 2 };
const BLOCK = 65_536; // Terms per shared array. One array per vector would take twice the memory.

/** TF-IDF vectors (binary tf, idf = ln(1 + N / df) over the corpus and the background, cosine length; Manning, Raghavan, Schütze, sections 6.2–6.4). */
export async function vectorsOf(headlines: readonly Headline[], step: Step, memory = new HeadlineMemory()) {
  const readings = await memory.readAll(headlines, step);
  const { weights, neutrals } = statisticsOf(readings, memory.terms());
  const pool = new VectorPool();
  const numbers = new Uint32Array(CLUSTERING.most.terms); // Scratch arrays for one point.
  const values = new Float64Array(CLUSTERING.most.terms);
  return readings.map((reading, index) => {
    let [neutral, all] = [0, 0];
    for (const [place, code] of reading.terms.entries()) {
      const { number, isInTitle } = termAt(code);
      const value = weights[number]! * (isInTitle ? 1 : SHARES.summary);
      numbers[place] = number;
      values[place] = value;
      all += value ** 2;
      if (neutrals[number] === 1) neutral += value ** 2;
    }
    const vector = pool.unitVector(numbers, values, reading.terms.length);
    const neutralLength = Math.sqrt(neutral / (all || 1)); // Of its language-independent part, 0 to 1.
    return { vector, neutralLength, lang: reading.lang, at: headlines[index]!.at, reading };
  });
}

/** The weight of each term in a title, and 1 for a language-independent one. @param size number of known terms */
function statisticsOf(readings: readonly Reading[], size: number) {
  const [frequencies, kinds, languages] = [new Uint32Array(size), new Uint8Array(size), new Uint8Array(size)];
  for (const { terms, lang } of readings) {
    for (const code of terms) {
      const { number, kind } = termAt(code);
      frequencies[number]! += 1;
      kinds[number] = Math.max(kinds[number]!, kind); // A rounded number may be both small and not.
      languages[number]! |= LANGUAGES[lang];
    }
  }
  const [weights, neutrals] = [new Float64Array(size), new Uint8Array(size)];
  for (const [number, frequency] of frequencies.entries()) {
    const kind = TERM_KINDS[kinds[number]!]!;
    const isOwn = kind === "concept" && languages[number] === LANGUAGES.en;
    const seen = frequency + BACKGROUND.documents * BACKGROUND[kind];
    const idf = Math.log(1 + (readings.length + BACKGROUND.documents) / seen);
    weights[number] = WEIGHTS[kind] * (isOwn ? SHARES.own : 1) * idf;
    // Latin words in Chinese texts are names.
    const isName = kind === "word" && languages[number] === LANGUAGES.en + LANGUAGES.zh;
    neutrals[number] = Number(isName || (kind !== "word" && kind !== "han"));
  }
  return { weights, neutrals };
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
