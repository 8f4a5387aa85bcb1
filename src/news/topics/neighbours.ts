import type { Step } from "../../compute/job-runner.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Point, Vector } from "./term-vectors.ts";

/** Another point and its similarity, 0 to 1. */
export interface Neighbour {
  readonly index: number;
  readonly similarity: number;
}

const { common: COMMON, across: ACROSS, most: MOST } = CLUSTERING;

/** The nearest points of each by cosine, at most `count`, found through the terms they share and not by comparing all
 * pairs. Points of two languages are compared by their neutral parts alone, when `across` is set. */
export async function nearest(
  points: readonly Point[],
  options: { count: number; least: number; across: boolean },
  step: Step,
): Promise<Neighbour[][]> {
  const postings = postingsOf(points.map(({ vector }) => vector));
  const limit = Math.min(COMMON.most, Math.max(COMMON.count, points.length * COMMON.share));
  const sums = new Float64Array(points.length);
  const shared = new Uint16Array(points.length);
  const result: Neighbour[][] = [];
  for (const [index, point] of points.entries()) {
    const touched: number[] = [];
    let work = 0;
    for (const [term, weight] of point.vector) {
      const posting = postings.get(term)!;
      if (posting.points.length > limit) continue;
      work += posting.points.length;
      if (work > MOST.work) break;
      for (let at = 0; at < posting.points.length; at++) {
        const other = posting.points[at]!;
        if (other === index) continue;
        if (shared[other] === 0) touched.push(other);
        sums[other] = sums[other]! + weight * posting.weights[at]!;
        shared[other] = shared[other]! + 1;
      }
    }
    const near: Neighbour[] = [];
    for (const other of touched) {
      const similarity =
        options.across && points[other]!.lang !== point.lang
          ? acrossLanguages(point, points[other]!, sums[other]!, shared[other]!)
          : sums[other]! >= options.least
            ? sums[other]!
            : 0;
      if (similarity > 0) near.push({ index: other, similarity });
      sums[other] = 0;
      shared[other] = 0;
    }
    near.sort((a, b) => b.similarity - a.similarity || a.index - b.index);
    result.push(near.slice(0, options.count));
    await step();
  }
  return result;
}

/** Cosine of the neutral parts. Texts of two languages have no other terms in common, so the dot product is known. */
function acrossLanguages(a: Point, b: Point, product: number, shared: number): number {
  if (shared < ACROSS.terms) return 0;
  const lengthOf = ({ neutralLength }: Point): number => Math.max(neutralLength, ACROSS.neutral);
  const similarity = product / (lengthOf(a) * lengthOf(b));
  return similarity >= ACROSS.similarity ? Math.min(1, similarity) : 0;
}

function postingsOf(vectors: readonly Vector[]): Map<number, { points: number[]; weights: number[] }> {
  const postings = new Map<number, { points: number[]; weights: number[] }>();
  for (const [index, vector] of vectors.entries()) {
    for (const [term, weight] of vector) {
      const posting = postings.get(term);
      if (posting === undefined) postings.set(term, { points: [index], weights: [weight] });
      else {
        posting.points.push(index);
        posting.weights.push(weight);
      }
    }
  }
  return postings;
}
