import { product } from "../../runtime/product.ts";
import { readNumberedLines } from "../../runtime/text/numbered-lines.ts";

/** Vectors of terms, as `scripts/make-encoder.js` makes and describes them. */
const FILE = new URL("term-vectors.br", import.meta.url);
export const DIMENSIONS = 100;
const SCALE_BYTES = 4;

let opened: ReturnType<typeof readTable> | undefined; // The same for the whole process.

function readTable() {
  const { numbers, bytes } = readNumberedLines(FILE);
  const { size } = numbers;
  const values = size + SCALE_BYTES * size;
  return {
    numbers,
    rarities: bytes.subarray(0, size),
    scaleOf: (number: number): number => bytes.readFloatLE(size + SCALE_BYTES * number),
    values: new Int8Array(bytes.buffer, bytes.byteOffset + values, size * DIMENSIONS),
  };
}

/** Reads the vectors, where there is more time than when they are first asked for. */
export const openEncoder = () => (opened ??= readTable());

/** How rare a term is in what is said about services, 0 to 1: 1 if nothing that the encoder learned from has it. */
export function rarityOf(term: string): number {
  const { numbers, rarities } = openEncoder();
  const number = numbers.get(term);
  return number === undefined ? 1 : rarities[number]! / 255;
}

/** Whether a term has a vector. */
export const hasVector = (term: string): boolean => openEncoder().numbers.has(term);

/** Share of some terms that what is said about services has: of others a vector tells less. */
export const knownOf = (terms: readonly string[]): number =>
  terms.filter((term) => rarityOf(term) < 1).length / (terms.length || 1);

/** What a text is about, as the sum of its terms' vectors, of length 1 (0 where no term is known): texts that share no
 * word may be alike, in either language. Terms count as often as they are given.
 * @param parts terms, and what each of them weighs */
export function encode(...parts: readonly (readonly [terms: Iterable<string>, weight: number])[]): Float32Array {
  const { numbers, scaleOf, values } = openEncoder();
  const sum = new Float32Array(DIMENSIONS);
  for (const [terms, weight] of parts) {
    for (const term of terms) {
      const number = numbers.get(term);
      if (number === undefined) continue;
      const scale = weight * scaleOf(number);
      const from = number * DIMENSIONS;
      for (let at = 0; at < DIMENSIONS; at++) sum[at]! += scale * values[from + at]!;
    }
  }
  return scaled(sum, 1);
}

/** A vector of the same direction, of another length. */
export function scaled(vector: Float32Array, length: number): Float32Array {
  const own = Math.sqrt(product(vector, vector)) || 1;
  return vector.map((x) => (x / own) * length);
}
