import { plainText } from "../../language/plain-text.ts";
import { product } from "../../runtime/product.ts";
import { sha256 } from "../../runtime/json/canonical-json.ts";
import { titlesOf, type Passage } from "../passage.ts";
import type { IndexedPassage } from "./answer-index.ts";

/** How near passages are to a question, by number: the standard score of the cosine of the nearest piece, as a share of
 * the highest that so many unrelated passages would have (about √(2 ln n) for n normally distributed ones). */
export type Nearness = ReadonlyMap<number, number>;
const MOST_PIECES = 16; // Of a passage.

interface WantedVectors {
  readonly vectors: readonly (readonly [hash: string, vector: Int8Array | null])[]; // Those found; null where refused.
  readonly most: number; // Texts that are to be returned.
  readonly size: number; // Most characters of one, besides its title.
  readonly from: number; // Where to begin, as a share of all: processes that begin elsewhere hardly make the same.
}

/** The vectors of the help articles and notices of an index. News comes and goes too fast to be worth its calls. */
export class VectorIndex {
  readonly #hashes = new WeakMap<Passage, readonly string[]>(); // Of a passage's texts, which are not kept.
  readonly #vectors = new Map<string, Int8Array | null>();

  /** Takes vectors. @returns the first texts without one, by hash, and how many passages have none, of how many */
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

  /** The hashes of all texts; the vectors of others are forgotten, and which were refused. */
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

/** A passage as texts of so many characters, each behind its titles. */
function piecesOf(passage: Passage, size: number): [hash: string, text: string][] {
  const [titles, body] = [titlesOf(passage).join("\n").slice(0, size), plainText(passage.text)];
  return Array.from({ length: Math.min(MOST_PIECES, Math.ceil(body.length / size) || 1) }, (_, at) => {
    const text = `${titles}\n${body.slice(at * size, (at + 1) * size)}`.toWellFormed();
    return [sha256(text), text];
  });
}
