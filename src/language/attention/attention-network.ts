import { readNumberedLines } from "../../runtime/text/numbered-lines.ts";
import { product } from "../../runtime/product.ts";
import { hasHan } from "../detect-language.ts";
import { differenceOf, FLAGS, MEASURES, type ReadText, type WeighedUnit, writeFlags } from "./difference.ts";
import { type Unit, unitsOf } from "./units.ts";

/** Lengths of a vector, of what is said of a unit, and of what is said of two texts. */
export const SIZES = { vector: 32, unit: 32, pair: 24 };
export const SHARPNESS = 3; // By which cosines become shares of attention.
export const SUMS = 3; // By which sums over units are divided.
const { vector: V, unit: U, pair: P } = SIZES;
const KEPT = 50_000; // Units that are remembered.

/** A unit with what does not depend on the other text, computed when first needed: its vector, its direction, and what the
 * layer of units makes of it as the own vector and as an aligned one. */
interface NetworkUnit extends WeighedUnit {
  values?: Readonly<Record<"vector" | "direction" | "own" | "aligned", Float32Array>>;
}
export type NetworkText = ReadText<NetworkUnit>;
type Sides = readonly [readonly NetworkUnit[], readonly NetworkUnit[]];
const of = (length: number): Float32Array => new Float32Array(length);
/** Used by one comparison after the other: arrays of numbers are dear to make. */
const [FIRST, SECOND, SAID, MET, HIDDEN, SAYS] = [of(U), of(U), of(U), of(V), of(P + 1), of(FLAGS + 1).fill(1)];

/** Judges whether two texts belong together: a decomposable attention model (Parikh, Täckström, Das & Uszkoreit 2016) of
 * what each says and the other does not. `scripts/attention-trainer.js` makes and describes its file. */
export class AttentionNetwork {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #bytes: Buffer;
  readonly #vectors: Int8Array;
  readonly #layers: Record<"own" | "aligned" | "product" | "flags" | "pair" | "last" | "given", Float32Array>;
  readonly #given: ((word: string) => Float32Array) | undefined;
  readonly #units = new Map<string, NetworkUnit>();

  /** @param more how many measures the caller gives
   * @param given vectors for words that the file has none for, of `length` numbers */
  constructor(
    file: URL,
    more: number,
    given?: { readonly length: number; readonly of: (word: string) => Float32Array },
  ) {
    const { numbers, bytes } = readNumberedLines(file);
    const [{ size }, { buffer, byteOffset }] = [numbers, bytes];
    this.#numbers = numbers;
    this.#bytes = bytes;
    this.#vectors = new Int8Array(buffer, byteOffset + 5 * size, V * size);
    let from = (5 + V) * size;
    const layer = (length: number): Float32Array => {
      const values = Float32Array.from({ length }, (_, at) => bytes.readFloatLE(from + 4 * at));
      from += 4 * length;
      return values;
    };
    // Each output has its weights in a row, the last of them the constant.
    const [own, aligned, product, flags] = [layer(V * U), layer(V * U), layer(V * U), layer((FLAGS + 1) * U)];
    const [pair, last] = [layer((2 * U + MEASURES + more + 1) * P), layer(P + 1)];
    this.#layers = { own, aligned, product, flags, pair, last, given: layer(V * (given?.length ?? 0)) };
    this.#given = given?.of;
  }

  read(text: string): NetworkText {
    const units = unitsOf(text, (word) => this.#numbers.has(word)).map((unit) => this.#unit(unit));
    return { units, isChinese: hasHan(text) };
  }

  #unit(unit: Unit): NetworkUnit {
    const name = `${unit.isName ? "^" : ""}${unit.key} ${unit.parts.join(" ")}`; // Words of one stem may be of other classes.
    let known = this.#units.get(name);
    if (known === undefined) {
      if (this.#units.size >= KEPT) this.#units.clear();
      const number = this.#numbers.get(unit.key);
      known = { ...unit, rarity: number === undefined ? 1 : this.#bytes[number]! / 255 };
      this.#units.set(name, known);
    }
    return known;
  }

  #valuesOf(unit: NetworkUnit) {
    if (unit.values !== undefined) return unit.values;
    const vector = new Float32Array(V);
    for (const part of unit.parts) {
      const number = this.#numbers.get(part);
      if (number === undefined) continue;
      const scale = this.#bytes.readFloatLE(this.#numbers.size + 4 * number);
      for (let at = 0; at < V; at++) vector[at]! += scale * this.#vectors[V * number + at]!;
    }
    const isWord = unit.sort === "word" || unit.sort === "han";
    if (this.#given !== undefined && isWord && !this.#numbers.has(unit.key))
      addTimes(vector, this.#layers.given, this.#given(unit.key));
    const length = Math.hypot(...vector) || 1;
    const { own, aligned } = this.#layers;
    const direction = vector.map((x) => x / length);
    const through = (layer: Float32Array): Float32Array => addTimes(new Float32Array(U), layer, vector);
    return (unit.values = { vector, direction, own: through(own), aligned: through(aligned) });
  }

  /** The logit of whether two texts belong together.
   * @param more measures by the caller */
  compare(a: NetworkText, b: NetworkText, more: readonly number[] = []): number {
    const { only, measures } = differenceOf(a, b, more);
    const [mine, theirs] = [only[0].map((unit) => this.#valuesOf(unit)), only[1].map((unit) => this.#valuesOf(unit))];
    const powers = new Float32Array(mine.length * theirs.length);
    let number = 0;
    for (const one of mine)
      for (const other of theirs) powers[number++] = Math.exp(SHARPNESS * product(one.direction, other.direction));
    const [first, second, hidden] = [FIRST.fill(0), SECOND.fill(0), HIDDEN.fill(0)];
    const input = new Float32Array(2 * U + measures.length + 1);
    this.#addUp(first, only, powers, false);
    this.#addUp(second, [only[1], only[0]], powers, true);
    for (let at = 0; at < U; at++) {
      input[at] = (first[at]! + second[at]!) / SUMS;
      input[U + at] = Math.abs(first[at]! - second[at]!) / SUMS;
    }
    input.set([...measures, 1], 2 * U);
    addTimes(hidden, this.#layers.pair, input);
    for (let at = 0; at < P; at++) hidden[at] = Math.max(0, hidden[at]!);
    hidden[P] = 1;
    return product(this.#layers.last, hidden);
  }

  /** Adds what is said of the units that one text alone has, each beside those of the other that it is aligned with.
   * @param powers of e, by the cosines of each unit of the first text and each of the second */
  #addUp(sum: Float32Array, [units, others]: Sides, powers: Float32Array, isSecond: boolean): void {
    for (let number = 0; number < units.length; number++) {
      const { vector, own } = this.#valuesOf(units[number]!);
      const [from, step] = isSecond ? [number, units.length] : [number * others.length, 1];
      SAID.fill(0);
      MET.fill(0);
      let [total, most] = [0, 1];
      for (let other = 0; other < others.length; other++) {
        const power = powers[from + step * other]!;
        const { vector: theirOwn, aligned } = others[other]!.values!;
        for (let at = 0; at < U; at++) SAID[at]! += power * aligned[at]!;
        for (let at = 0; at < V; at++) MET[at]! += power * theirOwn[at]!;
        total += power;
        if (power > most) most = power;
      }
      for (let at = 0; at < U; at++) SAID[at] = own[at]! + SAID[at]! / (total || 1);
      for (let at = 0; at < V; at++) MET[at]! *= (2 * vector[at]!) / (total || 1);
      writeFlags(SAYS, 0, units[number]!, others, isSecond, Math.log(most) / SHARPNESS);
      addTimes(addTimes(SAID, this.#layers.product, MET), this.#layers.flags, SAYS);
      for (let at = 0; at < U; at++) if (SAID[at]! > 0) sum[at]! += SAID[at]!;
    }
  }
}

/** Adds the product of a matrix, by rows, and a vector: four rows at once, as one sum waits for itself. */
function addTimes(target: Float32Array, matrix: Float32Array, vector: Float32Array): Float32Array {
  const { length } = vector;
  for (let row = 0, from = 0; from < matrix.length; row += 4, from += 4 * length) {
    let [a, b, c, d] = [0, 0, 0, 0];
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
