import { product } from "../../runtime/product.ts";
import { hasHan } from "../detect-language.ts";
import type { NameTable, NamedThing } from "../name-table.ts";
import { readWordVectors, type WordVectors } from "../word-vectors.ts";
import { differenceOf, FLAGS, MEASURES, type ReadText, type WeighedUnit, writeFlags } from "./difference.ts";
import { MOST, type Unit, unitsOf } from "./units.ts";

/** Lengths of a vector, of what is said of a unit, and of what is said of two texts. */
export const SIZES = { vector: 32, unit: 32, pair: 24 };
export const SHARPNESS = 3; // By which cosines become shares of attention.
export const SUMS = 3; // By which sums over units are divided.
const { vector: V, unit: U, pair: P } = SIZES;
const KEPT = 50_000; // Units that are remembered.

/** A unit with what does not depend on the other text, computed when first needed: its direction, what the layer of units
 * makes of it as the own vector, and its vector with what that makes of it as an aligned one behind it. */
interface NetworkUnit extends WeighedUnit {
  values?: Readonly<Record<"direction" | "own", Float32Array> & Record<"both", Float64Array>>;
}
export type NetworkText = ReadText<NetworkUnit>;

/** Judges whether two texts belong together: a decomposable attention model (Parikh, Täckström, Das & Uszkoreit 2016) of
 * what each says and the other does not. `scripts/attention-trainer.js` makes and describes its file. */
export class AttentionNetwork {
  readonly #vectors: WordVectors;
  readonly #layers: Record<"own" | "aligned" | "product" | "flags" | "pair" | "last" | "given", Float64Array>;
  readonly #given: ((word: string) => Float32Array) | undefined;
  readonly #units = new Map<string, NetworkUnit>();
  readonly #theirs = new Float64Array(MOST.units * (V + U)); // Used again by each comparison.

  /** @param more how many measures the caller gives
   * @param given vectors for words that the file has none for, of `length` numbers */
  constructor(file: URL, more: number, given?: { length: number; of: (word: string) => Float32Array }) {
    this.#vectors = readWordVectors(file, V);
    const { rest } = this.#vectors;
    let from = 0;
    // In 64 bits, though they have 32: they are read much more often than they would be converted.
    const layer = (length: number): Float64Array => {
      const values = Float64Array.from({ length }, (_, at) => rest.readFloatLE(from + 4 * at));
      from += 4 * length;
      return values;
    };
    // Each output has its weights in a row, the last of them the constant.
    const [own, aligned, product, flags] = [layer(V * U), layer(V * U), layer(V * U), layer((FLAGS + 1) * U)];
    const [pair, last] = [layer((2 * U + MEASURES + more + 1) * P), layer(P + 1)];
    this.#layers = { own, aligned, product, flags, pair, last, given: layer(V * (given?.length ?? 0)) };
    this.#given = given?.of;
  }

  /** @param names see {@link unitsOf}: those that it was learned with */
  read(text: string, names?: NameTable<NamedThing>): NetworkText {
    return { units: unitsOf(text, this.#vectors.has, names).map((unit) => this.#unit(unit)), isChinese: hasHan(text) };
  }

  #unit(unit: Unit): NetworkUnit {
    const name = `${unit.isName ? "^" : ""}${unit.key} ${unit.parts.join(" ")}`; // Words of one stem may be of other classes.
    let known = this.#units.get(name);
    if (known === undefined) {
      if (this.#units.size >= KEPT) this.#units.clear();
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

  /** The logit of whether two texts belong together. @param more measures by the caller */
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

  /** What is said of the units that one text alone has, each beside those of the other that it is aligned with.
   * @param powers of e, by the cosines of each unit of the first text and each of the second */
  #sumOf(units: readonly NetworkUnit[], others: readonly NetworkUnit[], powers: Float32Array, isSecond = false) {
    const [sum, around] = [new Float32Array(U), new Float32Array(V + U)];
    const [met, said] = [around.subarray(0, V), around.subarray(V)];
    const [mine, flags] = [new Float64Array(others.length), new Float32Array(FLAGS + 1).fill(1)];
    for (let at = 0; at < others.length; at++) this.#theirs.set(this.#valuesOf(others[at]!).both, at * (V + U));
    for (let number = 0; number < units.length; number++) {
      const unit = units[number]!;
      const { both, own } = this.#valuesOf(unit);
      let total = 0;
      let most = 1;
      for (let other = 0; other < mine.length; other++) {
        const power = powers[isSecond ? number + units.length * other : number * mine.length + other]!;
        mine[other] = power;
        total += power;
        if (power > most) most = power;
      }
      sumRows(around, this.#theirs, mine);
      for (let at = 0; at < U; at++) said[at] = own[at]! + said[at]! / (total || 1);
      for (let at = 0; at < V; at++) met[at]! *= (2 * both[at]!) / (total || 1);
      writeFlags(flags, 0, unit, others, isSecond, Math.log(most) / SHARPNESS);
      addTimes(addTimes(said, this.#layers.product, met), this.#layers.flags, flags);
      for (let at = 0; at < U; at++) if (said[at]! > 0) sum[at]! += said[at]!;
    }
    return sum;
  }
}

/** Writes the sum of a matrix's rows, each by its weight, in 32 bits: four columns at once, as one sum waits for itself. */
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

/** Adds the product of a matrix, by rows, and a vector: likewise four rows at once. */
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
