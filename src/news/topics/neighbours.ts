import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Point, Vector } from "./term-vectors.ts";

/** Another point and its similarity, 0 to 1. */
export type Neighbour = { readonly index: number; readonly similarity: number };
const { common: COMMON, across: ACROSS, most: MOST } = CLUSTERING;
const { count, least } = CLUSTERING.context;
const ENOUGH = Math.min(least, ACROSS.similarity * ACROSS.neutral ** 2); // Minimum dot product for a similarity above 0.

/** Finds the nearest points by cosine, with an inverted index of terms (only the heaviest, if many are common) instead of
 * all pairs. Points in different languages are compared by their neutral parts only. */
export class NeighbourIndex {
  readonly #points: readonly Point[];
  readonly #limit: number; // Maximum number of points of a term that counts.
  /** Posting lists: the points with term t, and its weights in these, are at `starts[t]` to `ends[t]`. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #others: Uint32Array;
  readonly #weights: Float64Array;
  /** Scratch arrays for one point: dot products with the others, numbers of shared terms, and the points that share any. */
  readonly #sums: Float64Array;
  readonly #shared: Uint16Array;
  readonly #touched: Uint32Array;

  /** @param terms number of known terms */
  constructor(points: readonly Point[], terms: number) {
    this.#points = points;
    this.#limit = Math.min(COMMON.most, Math.max(COMMON.count, points.length * COMMON.share));
    [this.#starts, this.#ends] = [new Uint32Array(terms), new Uint32Array(terms)];
    for (const { vector } of points) for (const term of vector.terms) this.#ends[term]! += 1;
    let entries = 0;
    for (const [term, frequency] of this.#ends.entries()) {
      this.#starts[term] = this.#ends[term] = entries;
      entries += frequency;
    }
    [this.#others, this.#weights] = [new Uint32Array(entries), new Float64Array(entries)];
    for (const [index, { vector }] of points.entries()) this.#add(index, vector);
    [this.#sums, this.#shared] = [new Float64Array(points.length), new Uint16Array(points.length)];
    this.#touched = new Uint32Array(points.length);
  }

  #add(index: number, { terms, weights }: Vector): void {
    for (let at = 0; at < terms.length; at++) {
      const entry = this.#ends[terms[at]!]!++;
      this.#others[entry] = index;
      this.#weights[entry] = weights[at]!;
    }
  }

  nearest(index: number): Neighbour[] {
    const point = this.#points[index]!;
    const near: Neighbour[] = [];
    for (let reached = this.#addUp(point), at = 0; at < reached; at++) {
      const other = this.#touched[at]!;
      const product = this.#sums[other]!;
      if (product >= ENOUGH && other !== index) {
        const similarity = similarityOf(point, this.#points[other]!, product, this.#shared[other]!);
        if (similarity > 0) near.push({ index: other, similarity });
      }
      this.#sums[other] = this.#shared[other] = 0;
    }
    return near.sort(nearerFirst).slice(0, count);
  }

  /** Accumulates the dot products with the points that share a term. @returns the number of these points */
  #addUp({ vector: { terms, weights } }: Point): number {
    let [reached, work] = [0, 0];
    for (let at = 0; at < terms.length; at++) {
      const [term, weight] = [terms[at]!, weights[at]!];
      const [from, to] = [this.#starts[term]!, this.#ends[term]!];
      if (to - from > this.#limit) continue;
      work += to - from;
      if (work > MOST.work) break;
      for (let entry = from; entry < to; entry++) {
        const other = this.#others[entry]!;
        if (this.#shared[other] === 0) this.#touched[reached++] = other;
        this.#sums[other] = this.#sums[other]! + weight * this.#weights[entry]!;
        this.#shared[other] = this.#shared[other]! + 1;
      }
    }
    return reached;
  }
}

const nearerFirst = (a: Neighbour, b: Neighbour): number => b.similarity - a.similarity || a.index - b.index;

/** The cosine; for two languages, that of the neutral parts, which have the same dot product: no other terms are shared. */
function similarityOf(a: Point, b: Point, product: number, shared: number): number {
  if (a.lang === b.lang) return product >= least ? product : 0;
  if (shared < ACROSS.terms) return 0;
  const similarity = product / (neutralLengthOf(a) * neutralLengthOf(b));
  return similarity >= ACROSS.similarity ? Math.min(1, similarity) : 0;
}

const neutralLengthOf = ({ neutralLength }: Point): number => Math.max(neutralLength, ACROSS.neutral);
