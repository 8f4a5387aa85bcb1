import { readWordVectors, type WordVectors } from "../../language/word-vectors.ts";
import { product } from "../../runtime/product.ts";

/** Vectors of terms, and how rare each is in what is said about services, as `scripts/make-encoder.js` makes and describes them. */
const FILE = new URL("term-vectors.br", import.meta.url);
export const DIMENSIONS = 100;

let opened: WordVectors | undefined; // The same for the whole process.

/** Reads the vectors, where there is more time than when they are first asked for. */
export const openEncoder = () => (opened ??= readWordVectors(FILE, DIMENSIONS));

/** Share of some terms that what is said about services has: of others a vector tells less. */
export const knownOf = (terms: readonly string[]): number =>
  terms.filter((term) => openEncoder().rarityOf(term) < 1).length / (terms.length || 1);

/** What a text is about, as the sum of its terms' vectors, of length 1 (0 where no term is known): texts that share no
 * word may be alike, in either language. Terms count as often as they are given.
 * @param parts terms, and what each of them weighs */
export function encode(...parts: readonly (readonly [terms: Iterable<string>, weight: number])[]): Float32Array {
  const vectors = openEncoder();
  const sum = new Float32Array(DIMENSIONS);
  for (const [terms, weight] of parts) for (const term of terms) vectors.addTo(sum, term, weight);
  return scaled(sum, 1);
}

/** A vector of the same direction, of another length. */
export function scaled(vector: Float32Array, length: number): Float32Array {
  const own = Math.sqrt(product(vector, vector)) || 1;
  return vector.map((x) => (x / own) * length);
}
