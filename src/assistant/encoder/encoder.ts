import { readWordVectors, type WordVectors } from "../../language/word-vectors.ts";
import { product } from "../../runtime/product.ts";

/** Term vectors, and each term's rarity in texts about services. `scripts/make-encoder.js` trains and documents them. */
const FILE = new URL("term-vectors.br", import.meta.url);
export const DIMENSIONS = 100;

let opened: WordVectors | undefined; // Loaded once per process.

/** Loads the vectors, which may be done before they are needed. */
export const openEncoder = () => (opened ??= readWordVectors(FILE, DIMENSIONS));

/** Share of the terms that occur in texts about services; the vectors of others are less informative. */
export const knownOf = (terms: readonly string[]): number =>
  terms.filter((term) => openEncoder().rarityOf(term) < 1).length / (terms.length || 1);

/** Encodes a text as the sum of its term vectors, of length 1 (0 if no term is known), so that texts without a shared
 * word can be similar, also across languages. Repeated terms are added repeatedly. */
export function encode(...parts: readonly (readonly [terms: Iterable<string>, weight: number])[]): Float32Array {
  const vectors = openEncoder();
  const sum = new Float32Array(DIMENSIONS);
  for (const [terms, weight] of parts) for (const term of terms) vectors.addTo(sum, term, weight);
  return scaleTo(sum, 1);
}

/** A vector scaled to a length. */
export function scaleTo(vector: Float32Array, length: number): Float32Array {
  const own = Math.sqrt(product(vector, vector)) || 1;
  return vector.map((x) => (x / own) * length);
}
