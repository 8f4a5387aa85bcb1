import { product } from "../../runtime/product.ts";
import { hasHan } from "../detect-language.ts";
import type { NameTable, NamedThing } from "../name-table.ts";
import { readWordVectors, type WordVectors } from "../word-vectors.ts";
import { differenceOf, FLAGS, MEASURES, type ReadText, type WeighedUnit, writeFlags } from "./difference.ts";
import { MOST, type Unit, unitsOf } from "./units.ts";

/** Layer widths: a word vector, the hidden layer of a unit, and the hidden layer of a pair of texts. */
export const SIZES = { vector: 32, unit: 32, pair: 24 };
export const SHARPNESS = 3; // Inverse temperature of the attention softmax over cosines.
export const SUMS = 3; // Divisor that scales the sums over units.
const { vector: V, unit: U, pair: P } = SIZES;
const CACHED_UNITS = 50_000;

/** A unit with the values that do not depend on the other text, computed on first use: `direction` is its normalized
 * vector, `own` the output of layer `own`, `both` its vector followed by the output of layer `aligned`. */
interface NetworkUnit extends WeighedUnit {
  values?: Readonly<Record<"direction" | "own", Float32Array> & Record<"both", Float64Array>>;
}
export type NetworkText = ReadText<NetworkUnit>;

/** Scores whether two texts belong together: a decomposable attention model (Parikh, Täckström, Das & Uszkoreit 2016)
 * over the units that only one of them has. `scripts/attention-trainer.js` trains it and documents its file. */
export class AttentionNetwork {
  readonly #vectors: WordVectors;
  readonly #layers: Record<"own" | "aligned" | "product" | "flags" | "pair" | "last" | "given", Float64Array>;
  readonly #given: ((word: string) => Float32Array) | undefined;
  readonly #units = new Map<string, NetworkUnit>();
  readonly #otherValues = new Float64Array(MOST.units * (V + U)); // Scratch buffer, reused by each comparison.

  /** @param more number of measures that the caller passes to {@link compare}
   * @param given vectors, of `length` numbers, for words without a vector in the file */
  constructor(file: URL, more: number, given?: { length: number; of: (word: string) => Float32Array }) {
    this.#vectors = readWordVectors(file, V);
    const { rest } = this.#vectors;
    let from = 0;
    // The file has float32; stored as float64, the weights need no conversion at each read.
    const layer = (length: number): Float64Array => {
      const values = Float64Array.from({ length }, (_, at) => rest.readFloatLE(from + 4 * at));
      from += 4 * length;
      return values;
    };
    // Each output has one row of weights; in `flags`, `pair` and `last` the last weight of a row is the bias.
    const [own, aligned, product, flags] = [layer(V * U), layer(V * U), layer(V * U), layer((FLAGS + 1) * U)];
    const [pair, last] = [layer((2 * U + MEASURES + more + 1) * P), layer(P + 1)];
    this.#layers = { own, aligned, product, flags, pair, last, given: layer(V * (given?.length ?? 0)) };
    this.#given = given?.of;
  }

  /** @param names the table that the model was trained with, see {@link unitsOf} */
  read(text: string, names?: NameTable<NamedThing>): NetworkText {
    return { units: unitsOf(text, this.#vectors.has, names).map((unit) => this.#unit(unit)), isChinese: hasHan(text) };
  }

  #unit(unit: Unit): NetworkUnit {
    const name = `${unit.isName ? "^" : ""}${unit.key} ${unit.parts.join(" ")}`; // Words with one stem may differ in class.
    let known = this.#units.get(name);
    if (known === undefined) {
      if (this.#units.size >= CACHED_UNITS) this.#units.clear();
      known = { ...unit, rarity: this.#vectors.rarityOf(unit.key) };
      this.#units.set(name, known);
    }
    return known;
  }

  #valuesOf(unit: NetworkUnit) {
    if (unit.values !== undefined) return unit.values;
    const vector = new Float32Array(V);
    for (const part of unit.parts) this.#vectors.addTo(vector, part);
    const isWord = unit.sort === "word" || unit.sort === "han";
    if (this.#given !== undefined && isWord && !this.#vectors.has(unit.key))
      addTimes(vector, this.#layers.given, this.#given(unit.key));
    const length = Math.hypot(...vector) || 1;
    const direction = vector.map((value) => value / length);
    const own = addTimes(new Float32Array(U), this.#layers.own, vector);
    const both = new Float64Array(V + U);
    both.set(vector);
    both.set(addTimes(new Float32Array(U), this.#layers.aligned, vector), V);
    return (unit.values = { direction, own, both });
  }

  /** The logit of the probability that two texts belong together. @param more the caller's measures */
  compare(a: NetworkText, b: NetworkText, more: readonly number[] = []): number {
    const { only, measures } = differenceOf(a, b, more);
    const input = new Float32Array(2 * U + measures.length + 1);
    const powers = new Float32Array(only[0].length * only[1].length);
    let number = 0;
    for (const one of only[0]) {
      const { direction } = this.#valuesOf(one);
      for (const other of only[1])
        powers[number++] = Math.exp(SHARPNESS * product(direction, this.#valuesOf(other).direction));
    }
    const [first, second] = [this.#sumOf(only[0], only[1], powers), this.#sumOf(only[1], only[0], powers, true)];
    for (let at = 0; at < U; at++) {
      input[at] = (first[at]! + second[at]!) / SUMS;
      input[U + at] = Math.abs(first[at]! - second[at]!) / SUMS;
    }
    input.set([...measures, 1], 2 * U);
    const hidden = addTimes(new Float32Array(P + 1), this.#layers.pair, input);
    hidden[P] = 1;
    let logit = 0;
    for (let at = 0; at <= P; at++) logit += this.#layers.last[at]! * Math.max(0, hidden[at]!);
    return logit;
  }

  /** Sums the hidden layers of the units that only one text has, each compared with its attended mean of `others`.
   * @param powers unnormalized attention weights: units of the first text × units of the second */
  #sumOf(units: readonly NetworkUnit[], others: readonly NetworkUnit[], powers: Float32Array, isSecond = false) {
    const [sum, attended] = [new Float32Array(U), new Float32Array(V + U)];
    const [aligned, hiddenUnit] = [attended.subarray(0, V), attended.subarray(V)];
    const [weights, flags] = [new Float64Array(others.length), new Float32Array(FLAGS + 1).fill(1)];
    for (let at = 0; at < others.length; at++) this.#otherValues.set(this.#valuesOf(others[at]!).both, at * (V + U));
    for (let number = 0; number < units.length; number++) {
      const unit = units[number]!;
      const { both, own } = this.#valuesOf(unit);
      let total = 0;
      let most = 1;
      for (let other = 0; other < weights.length; other++) {
        const power = powers[isSecond ? number + units.length * other : number * weights.length + other]!;
        weights[other] = power;
        total += power;
        if (power > most) most = power;
      }
      sumRows(attended, this.#otherValues, weights);
      for (let at = 0; at < U; at++) hiddenUnit[at] = own[at]! + hiddenUnit[at]! / (total || 1);
      for (let at = 0; at < V; at++) aligned[at]! *= (2 * both[at]!) / (total || 1);
      writeFlags(flags, 0, unit, others, isSecond, Math.log(most) / SHARPNESS);
      addTimes(addTimes(hiddenUnit, this.#layers.product, aligned), this.#layers.flags, flags);
      for (let at = 0; at < U; at++) if (hiddenUnit[at]! > 0) sum[at]! += hiddenUnit[at]!;
    }
    return sum;
  }
}

/** Writes the weighted sum of a matrix's rows in float32. Four columns at once: one sum alone is a dependency chain. */
function sumRows(target: Float32Array, matrix: Float64Array, weights: Float64Array): void {
  for (let column = 0; column < target.length; column += 4) {
    let a, b, c, d;
    a = b = c = d = 0;
    for (let row = 0, i = column; row < weights.length; row++, i += target.length) {
      const weight = weights[row]!;
      a = Math.fround(a + weight * matrix[i]!);
      b = Math.fround(b + weight * matrix[i + 1]!);
      c = Math.fround(c + weight * matrix[i + 2]!);
      d = Math.fround(d + weight * matrix[i + 3]!);
    }
    target[column] = a;
    target[column + 1] = b;
    target[column + 2] = c;
    target[column + 3] = d;
  }
}

/** Adds the product of a row-major matrix and a vector to `target`, four rows at once for the same reason. */
function addTimes(target: Float32Array, matrix: Float64Array, vector: Float32Array): Float32Array {
  const { length } = vector;
  for (let row = 0, from = 0; from < matrix.length; row += 4, from += 4 * length) {
    let a, b, c, d;
    a = b = c = d = 0;
    for (let at = 0, i = from; at < length; at++, i++) {
      const x = vector[at]!;
      a += matrix[i]! * x;
      b += matrix[i + length]! * x;
      c += matrix[i + 2 * length]! * x;
      d += matrix[i + 3 * length]! * x;
    }
    target[row]! += a;
    target[row + 1]! += b;
    target[row + 2]! += c;
    target[row + 3]! += d;
  }
  return target;
}
