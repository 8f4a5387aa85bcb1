import { plainText } from "../../language/plain-text.ts";
import { product } from "../../runtime/product.ts";
import { sha256 } from "../../runtime/json/canonical-json.ts";
import { titlesOf, type Passage } from "../passage.ts";
import type { IndexedPassage } from "./answer-index.ts";

/** Nearness of passages to a question, by number: the standard score of the nearest piece's cosine, divided by the expected
 * maximum of as many unrelated passages (about √(2 ln n) for n normally distributed ones). */
export type Nearness = ReadonlyMap<number, number>;
const MOST_PIECES = 16; // Maximum number of pieces of a passage.

interface WantedVectors {
  readonly vectors: readonly (readonly [hash: string, vector: Int8Array | null])[]; // New vectors; null for a refused text.
  readonly most: number; // Maximum number of texts to return.
  readonly size: number; // Maximum characters of a text without its title.
  readonly from: number; // Start position, as a share of all passages: processes with different starts rarely overlap.
}

/** The vectors of the help articles and notices of an index. News changes too fast to be worth the calls. */
export class VectorIndex {
  readonly #hashes = new WeakMap<Passage, readonly string[]>(); // Hashes of a passage's texts.
  readonly #vectors = new Map<string, Int8Array | null>();

  /** Adds vectors. @returns the first texts without one, by hash; the number of passages without vectors, and of all */
  take(indexed: readonly IndexedPassage[], { vectors, most, size, from }: WantedVectors) {
    for (const [hash, vector] of vectors) this.#vectors.set(hash, vector);
    const passages = indexed.flatMap(({ passage }) => (passage.kind === "news" ? [] : passage));
    const start = Math.floor(from * passages.length);
    const texts = new Map<string, string>();
    let waiting = 0;
    for (const passage of [...passages.slice(start), ...passages.slice(0, start)]) {
      if (this.#hashes.get(passage)?.every((hash) => this.#vectors.has(hash)) === true) continue;
      waiting += 1;
      if (texts.size >= most) continue;
      const pieces = piecesOf(passage, size);
      const hashes = pieces.map(([hash]) => hash);
      this.#hashes.set(passage, hashes);
      for (const [hash, text] of pieces) if (!this.#vectors.has(hash)) texts.set(hash, text);
    }
    return { texts: [...texts].slice(0, most), waiting, all: passages.length };
  }

  /** The hashes of all texts. Vectors of other texts, and refusals, are dropped. */
  renew(indexed: readonly IndexedPassage[]): string[] {
    const needed = new Set(indexed.flatMap(({ passage }) => this.#hashes.get(passage) ?? []));
    for (const [hash, vector] of this.#vectors) if (!vector || !needed.has(hash)) this.#vectors.delete(hash);
    return [...needed];
  }

  nearTo(question: Int8Array, indexed: readonly IndexedPassage[]): Nearness {
    const near = indexed.flatMap(({ passage, number }): [number, number][] => {
      const vectors = (this.#hashes.get(passage) ?? []).flatMap((hash) => this.#vectors.get(hash) ?? []);
      const alike = vectors.filter(({ length }) => length === question.length);
      return alike.length === 0 ? [] : [[number, Math.max(...alike.map((vector) => product(question, vector)))]];
    });
    const mean = near.reduce((sum, [, one]) => sum + one, 0) / near.length;
    const variance = near.reduce((sum, [, one]) => sum + (one - mean) ** 2, 0) / near.length;
    const unit = Math.sqrt(2 * Math.log(near.length + 1) * variance) || 1;
    return new Map(near.map(([number, one]) => [number, (one - mean) / unit]));
  }
}

/** Splits a passage into texts of `size` characters, each preceded by its titles. */
function piecesOf(passage: Passage, size: number): [hash: string, text: string][] {
  const [titles, body] = [titlesOf(passage).join("\n").slice(0, size), plainText(passage.text)];
  return Array.from({ length: Math.min(MOST_PIECES, Math.ceil(body.length / size) || 1) }, (_, at) => {
    const text = `${titles}\n${body.slice(at * size, (at + 1) * size)}`.toWellFormed();
    return [sha256(text), text];
  });
}
