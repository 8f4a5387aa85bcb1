import { hasHan } from "../detect-language.ts";
import type { NameTable, NamedThing } from "../name-table.ts";
import { readWordVectors, type WordVectors } from "../word-vectors.ts";
import { differenceOf, FLAGS, MEASURES, type ReadText, type WeighedUnit, writeFlags } from "./difference.ts";
import { MOST, type Unit, unitsOf } from "./units.ts";
import { type Layer, VectorKernel, WIDTH } from "./vector-kernel.ts";

/** Layer widths: a word vector, the hidden layer of a unit, and the hidden layer of a pair of texts. */
export const SIZES = { vector: WIDTH, unit: WIDTH, pair: 24 };
export const SHARPNESS = 3; // Inverse temperature of the attention softmax over cosines.
export const SUMS = 3; // Divisor that scales the sums over units.
const { vector: V, unit: U, pair: P } = SIZES;
const CACHED_UNITS = 50_000; // Their values take 26 of the kernel's 32 MB.

/** A unit with the address of its values, which do not depend on the other text: its vector, the output of layer `aligned`,
 * its normalized vector, the output of layer `own`. The units of a later generation overwrite them. */
interface NetworkUnit extends WeighedUnit {
  address: number;
  generation: number;
}
const BYTES = 4 * WIDTH; // Of a vector.
const [ALIGNED, DIRECTION, OWN, VALUES] = [BYTES, 2 * BYTES, 3 * BYTES, 4 * BYTES];
export type NetworkText = ReadText<NetworkUnit>;

/** Scores whether two texts belong together: a decomposable attention model (Parikh, Täckström, Das & Uszkoreit 2016)
 * over the units that only one of them has. `scripts/attention-trainer.js` trains it and documents its file. */
export class AttentionNetwork {
  readonly #vectors: WordVectors;
  readonly #kernel = new VectorKernel();
  readonly #layers: Record<"own" | "aligned" | "product" | "flags" | "pair" | "given", Layer>;
  readonly #last: Float32Array;
  readonly #given: ((word: string) => Float32Array) | undefined;
  readonly #units = new Map<string, NetworkUnit>();
  /** Addresses: lists of the units of both texts, weights of these, the sums of both, and the values of all units. */
  readonly #at: Readonly<Record<"first" | "second" | "weights" | "firstSum" | "secondSum" | "values", number>>;
  readonly #powers = new Float32Array(MOST.units * MOST.units);
  readonly #cachedUnits: number;
  #generation = 0;
  #placed = 0; // Number of units of this generation.

  /** @param more number of measures that the caller passes to {@link compare}
   * @param given vectors, of `length` numbers, for words without a vector in the file */
  constructor(
    file: URL,
    more: number,
    given?: { length: number; of: (word: string) => Float32Array },
    cachedUnits = CACHED_UNITS,
  ) {
    this.#cachedUnits = cachedUnits;
    this.#vectors = readWordVectors(file, V);
    const { rest } = this.#vectors;
    let from = 0;
    // The file has a row of weights for each output. In `flags`, `pair` and `last` the last weight of a row is the bias.
    const layer = (inputs: number, outputs: number): Layer => {
      const start = from;
      from += 4 * inputs * outputs;
      return this.#kernel.layer(inputs, outputs, (input, output) =>
        rest.readFloatLE(start + 4 * (output * inputs + input)),
      );
    };
    const [own, aligned, product, flags] = [layer(V, U), layer(V, U), layer(V, U), layer(FLAGS + 1, U)];
    const pair = layer(2 * U + MEASURES + more + 1, P);
    this.#last = Float32Array.from({ length: P + 1 }, (_, at) => rest.readFloatLE(from + 4 * at));
    from += 4 * this.#last.length;
    this.#layers = { own, aligned, product, flags, pair, given: layer(given?.length ?? 0, V) };
    this.#given = given?.of;
    const room = (numbers: number): number => this.#kernel.reserve(numbers);
    const lists = { first: room(MOST.units), second: room(MOST.units), weights: room(MOST.units) };
    this.#at = { ...lists, firstSum: room(U), secondSum: room(U), values: room(0) };
  }

  /** @param names the table that the model was trained with, see {@link unitsOf} */
  read(text: string, names?: NameTable<NamedThing>): NetworkText {
    return { units: unitsOf(text, this.#vectors.has, names).map((unit) => this.#unit(unit)), isChinese: hasHan(text) };
  }

  #unit(unit: Unit): NetworkUnit {
    const name = `${unit.isName ? "^" : ""}${unit.key} ${unit.parts.join(" ")}`; // Words with one stem may differ in class.
    let known = this.#units.get(name);
    if (known === undefined) {
      if (this.#units.size >= this.#cachedUnits) this.#units.clear();
      const { key, sort, isName, figure, parts } = unit; // A spread would give every unit a hidden class of its own.
      known = { key, sort, isName, figure, parts, rarity: this.#vectors.rarityOf(key), address: 0, generation: -1 };
      this.#units.set(name, known);
    }
    return known;
  }

  /** Writes the addresses of the units' values to a list; values that are not there are computed. */
  #place(units: readonly NetworkUnit[], list: number): void {
    for (let at = 0; at < units.length; at++) {
      const unit = units[at]!;
      if (unit.generation !== this.#generation) {
        unit.address = this.#at.values + VALUES * this.#placed++;
        unit.generation = this.#generation;
        this.#writeValues(unit);
      }
      this.#kernel.integers[list / 4 + at] = unit.address;
    }
  }

  #writeValues({ address, key, sort, parts }: NetworkUnit): void {
    const { floats } = this.#kernel;
    for (let offset = 0; offset < VALUES; offset += BYTES) this.#kernel.clear(address + offset);
    const vector = floats.subarray(address >> 2, (address >> 2) + V);
    for (const part of parts) this.#vectors.addTo(vector, part);
    if (this.#given !== undefined && (sort === "word" || sort === "han") && !this.#vectors.has(key)) {
      floats.set(this.#given(key), this.#kernel.input >> 2);
      this.#kernel.addOutputs(address, this.#layers.given);
    }
    const length = Math.hypot(...vector) || 1;
    for (let at = 0; at < V; at++) floats[((address + DIRECTION) >> 2) + at] = vector[at]! / length;
    floats.set(vector, this.#kernel.input >> 2);
    this.#kernel.addOutputs(address + ALIGNED, this.#layers.aligned);
    this.#kernel.addOutputs(address + OWN, this.#layers.own);
  }

  /** The logit of the probability that two texts belong together. @param more the caller's measures */
  compare(a: NetworkText, b: NetworkText, more: readonly number[] = []): number {
    const { only, measures } = differenceOf(a, b, more);
    if (this.#placed + only[0].length + only[1].length > this.#cachedUnits) {
      this.#generation++;
      this.#placed = 0;
    }
    this.#place(only[0], this.#at.first);
    this.#place(only[1], this.#at.second);
    this.#attend(only[0], only[1].length);
    this.#sum(only[0], only[1], false);
    this.#sum(only[1], only[0], true);
    const { floats, input } = this.#kernel;
    const [first, second, start] = [this.#at.firstSum >> 2, this.#at.secondSum >> 2, input >> 2];
    for (let at = 0; at < U; at++) {
      floats[start + at] = (floats[first + at]! + floats[second + at]!) / SUMS;
      floats[start + U + at] = Math.abs(floats[first + at]! - floats[second + at]!) / SUMS;
    }
    for (let at = 0; at < measures.length; at++) floats[start + 2 * U + at] = measures[at]!;
    floats[start + 2 * U + measures.length] = 1;
    this.#kernel.clear(this.#at.firstSum);
    this.#kernel.addOutputs(this.#at.firstSum, this.#layers.pair);
    let logit = this.#last[P]!;
    for (let at = 0; at < P; at++) logit += this.#last[at]! * Math.max(0, floats[first + at]!);
    return logit;
  }

  /** Computes the unnormalized attention weights: units of the first text × units of the second. */
  #attend(units: readonly NetworkUnit[], others: number): void {
    const { floats, call } = this.#kernel;
    const { weights, second } = this.#at;
    for (let number = 0; number < units.length; number++) {
      call.products(weights, second, others, DIRECTION, units[number]!.address + DIRECTION);
      for (let other = 0; other < others; other++)
        this.#powers[number * others + other] = Math.exp(SHARPNESS * floats[(weights >> 2) + other]!);
    }
  }

  /** Sums the hidden layers of the units that only one text has, each compared with its attended mean of `others`. */
  #sum(units: readonly NetworkUnit[], others: readonly NetworkUnit[], isSecond: boolean): void {
    const { floats, input, call } = this.#kernel;
    const { flags, product } = this.#layers;
    const { first, second, weights, firstSum, secondSum } = this.#at;
    const sum = isSecond ? secondSum : firstSum;
    this.#kernel.clear(sum);
    floats[(input >> 2) + FLAGS] = 1;
    for (let number = 0; number < units.length; number++) {
      const unit = units[number]!;
      const [start, step] = isSecond ? [number, units.length] : [number * others.length, 1];
      let total = 0;
      let most = 1;
      for (let other = 0; other < others.length; other++) {
        const power = this.#powers[start + step * other]!;
        total += power;
        if (power > most) most = power;
      }
      for (let other = 0; other < others.length; other++)
        floats[(weights >> 2) + other] = this.#powers[start + step * other]! / total;
      writeFlags(floats, input >> 2, unit, others, isSecond, Math.log(most) / SHARPNESS);
      const other = [isSecond ? first : second, others.length, weights] as const;
      call.addHidden(sum, unit.address, ...other, input, flags.rows, flags.inputs, product.rows);
    }
  }
}
