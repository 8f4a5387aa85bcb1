import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Point } from "./term-vectors.ts";

/** Another point and its similarity, 0 to 1. */
export type Neighbour = { readonly index: number; readonly similarity: number };
const { common: COMMON, across: ACROSS, most: MOST } = CLUSTERING;
const { count, least } = CLUSTERING.context;

/** Finds the nearest points of each by cosine, some, through the terms they share (the heaviest, where many are common)
 * and not by all pairs; those of two languages by their neutral parts alone. */
export function createNeighbours(points: readonly Point[]): (index: number) => Neighbour[] {
  const { starts, points: others, weights } = postingsOf(points);
  const limit = Math.min(COMMON.most, Math.max(COMMON.count, points.length * COMMON.share)); // Points of a term that counts.
  const enough = Math.min(least, ACROSS.similarity * ACROSS.neutral ** 2); // The least product that makes a similarity.
  /** Of one point at a time: the products with the others, how many terms they share, and which share any. */
  const [sums, shared] = [new Float64Array(points.length), new Uint16Array(points.length)];
  const touched = new Uint32Array(points.length);

  /** Adds up the products with the points that share a term: how many these are. */
  const addUp = ({ vector }: Point): number => {
    let [reached, work] = [0, 0];
    for (let at = 0; at < vector.terms.length; at++) {
      const [term, weight] = [vector.terms[at]!, vector.weights[at]!];
      const [from, to] = [starts[term]!, starts[term + 1]!];
      if (to - from > limit) continue;
      work += to - from;
      if (work > MOST.work) break;
      for (let entry = from; entry < to; entry++) {
        const other = others[entry]!;
        if (shared[other] === 0) touched[reached++] = other;
        sums[other] = sums[other]! + weight * weights[entry]!;
        shared[other] = shared[other]! + 1;
      }
    }
    return reached;
  };
  const similarityOf = (a: Point, b: Point, product: number, terms: number): number =>
    a.lang === b.lang ? (product >= least ? product : 0) : acrossLanguages(a, b, product, terms);

  return (index) => {
    const point = points[index]!;
    const near: Neighbour[] = [];
    for (let reached = addUp(point), at = 0; at < reached; at++) {
      const other = touched[at]!;
      const product = sums[other]!;
      if (product >= enough && other !== index) {
        const similarity = similarityOf(point, points[other]!, product, shared[other]!);
        const isNear = near.length < count || similarity >= near[count - 1]!.similarity;
        if (similarity > 0 && isNear) insert(near, { index: other, similarity });
      }
      sums[other] = shared[other] = 0;
    }
    return near;
  };
}

const nearerFirst = (a: Neighbour, b: Neighbour): number => b.similarity - a.similarity || a.index - b.index;

/** Keeps the nearest ones, in order. */
function insert(near: Neighbour[], one: Neighbour): void {
  if (near.length === count && nearerFirst(one, near.at(-1)!) > 0) return;
  if (near.length === count) near.pop();
  let at = near.length;
  while (at > 0 && nearerFirst(one, near[at - 1]!) < 0) at--;
  near.splice(at, 0, one);
}

/** Cosine of the neutral parts. Texts of two languages have no other terms in common, so the dot product is known. */
function acrossLanguages(a: Point, b: Point, product: number, shared: number): number {
  if (shared < ACROSS.terms) return 0;
  const lengthOf = ({ neutralLength }: Point): number => Math.max(neutralLength, ACROSS.neutral);
  const similarity = product / (lengthOf(a) * lengthOf(b));
  return similarity >= ACROSS.similarity ? Math.min(1, similarity) : 0;
}

/** The number after the last term. */
export const countTerms = (points: readonly Point[]): number =>
  points.reduce((count, { vector }) => vector.terms.reduce((a, b) => Math.max(a, b + 1), count), 0);

/** The points that have each term, with its weights: those of term t are at `starts[t]` to `starts[t + 1]`. */
function postingsOf(points: readonly Point[]) {
  const count = countTerms(points);
  const starts = new Uint32Array(count + 1);
  for (const { vector } of points) for (const term of vector.terms) starts[term + 1]! += 1;
  for (let term = 0; term < count; term++) starts[term + 1]! += starts[term]!;
  const next = starts.slice();
  const result = { starts, points: new Uint32Array(starts[count]!), weights: new Float64Array(starts[count]!) };
  for (const [index, { vector }] of points.entries()) {
    for (let at = 0; at < vector.terms.length; at++) {
      const entry = next[vector.terms[at]!]!++;
      result.points[entry] = index;
      result.weights[entry] = vector.weights[at]!;
    }
  }
  return result;
}
