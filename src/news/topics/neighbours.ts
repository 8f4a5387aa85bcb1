import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Point } from "./term-vectors.ts";

/** Another point and its similarity, 0 to 1. */
export type Neighbour = { readonly index: number; readonly similarity: number };
const { common: COMMON, across: ACROSS, most: MOST } = CLUSTERING;
const { count, least } = CLUSTERING.context;
const ENOUGH = Math.min(least, ACROSS.similarity * ACROSS.neutral ** 2); // Minimum dot product for a similarity above 0.

/** Returns a function that finds the points nearest to one by cosine, with an inverted index of terms (only the heaviest, if
 * many are common) instead of all pairs. Points in different languages are compared by their neutral parts only.
 * @param terms number of known terms */
export function indexNeighbours(points: readonly Point[], terms: number): (index: number) => Neighbour[] {
  const limit = Math.min(COMMON.most, Math.max(COMMON.count, points.length * COMMON.share)); // Points of a term that counts.
  const { starts, ends, others, weights } = postingsOf(points, terms);
  /** Scratch arrays for one point: dot products with the others, numbers of shared terms, and the points that share any. */
  const [sums, shared] = [new Float64Array(points.length), new Uint16Array(points.length)];
  const touched = new Uint32Array(points.length);

  /** Accumulates the dot products with the points that share a term. @returns the number of these points */
  function addUp({ vector }: Point): number {
    let [reached, work] = [0, 0];
    for (let at = 0; at < vector.terms.length; at++) {
      const [term, weight] = [vector.terms[at]!, vector.weights[at]!];
      const [from, to] = [starts[term]!, ends[term]!];
      if (to - from > limit) continue;
      work += to - from;
      if (work > MOST.work) break;
      for (let entry = from; entry < to; entry++) {
        const other = others[entry]!;
        if (shared[other] === 0) touched[reached++] = other;
        sums[other]! += weight * weights[entry]!;
        shared[other]! += 1;
      }
    }
    return reached;
  }

  return (index) => {
    const point = points[index]!;
    const near: Neighbour[] = [];
    for (let reached = addUp(point), at = 0; at < reached; at++) {
      const other = touched[at]!;
      const product = sums[other]!;
      if (product >= ENOUGH && other !== index) {
        const similarity = similarityOf(point, points[other]!, product, shared[other]!);
        if (similarity > 0) near.push({ index: other, similarity });
      }
      sums[other] = shared[other] = 0;
    }
    return near.sort(nearerFirst).slice(0, count);
  };
}

/** Posting lists: the points with term t, and its weights in these, are at `starts[t]` to `ends[t]`. */
function postingsOf(points: readonly Point[], terms: number) {
  const [starts, ends] = [new Uint32Array(terms), new Uint32Array(terms)];
  for (const { vector } of points) for (const term of vector.terms) ends[term]! += 1;
  let entries = 0;
  for (const [term, frequency] of ends.entries()) {
    starts[term] = ends[term] = entries;
    entries += frequency;
  }
  const [others, weights] = [new Uint32Array(entries), new Float64Array(entries)];
  for (const [index, { vector }] of points.entries()) {
    for (let at = 0; at < vector.terms.length; at++) {
      const entry = ends[vector.terms[at]!]!++;
      others[entry] = index;
      weights[entry] = vector.weights[at]!;
    }
  }
  return { starts, ends, others, weights };
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
