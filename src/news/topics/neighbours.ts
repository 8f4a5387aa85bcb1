import type { Step } from "../../compute/job-runner.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import type { Point } from "./term-vectors.ts";

/** Another point and its similarity, 0 to 1. */
export type Neighbour = { readonly index: number; readonly similarity: number };
const { common: COMMON, across: ACROSS, most: MOST } = CLUSTERING;
type Options = { readonly count: number; readonly least: number };

/** The nearest points of each by cosine, at most `count`, through the terms they share (the heaviest, where many are
 * common) and not by all pairs; those of two languages by their neutral parts alone. */
export async function nearest(points: readonly Point[], options: Options, step: Step): Promise<Neighbour[][]> {
  const search = new NeighbourSearch(points, options);
  const result: Neighbour[][] = [];
  for (const index of points.keys()) {
    result.push(search.nearestOf(index));
    await step();
  }
  return result;
}

class NeighbourSearch {
  readonly #points: readonly Point[];
  readonly #options: Options;
  readonly #postings: ReturnType<typeof postingsOf>;
  readonly #limit: number; // Terms of more points do not count.
  readonly #enough: number; // The least product that makes a similarity.
  /** Of one point at a time: the products with the others, how many terms they share, which share any, its own weights. */
  readonly #sums;
  readonly #shared;
  readonly #touched;
  readonly #own;

  constructor(points: readonly Point[], options: Options) {
    this.#points = points;
    this.#options = options;
    this.#postings = postingsOf(points);
    this.#limit = Math.min(COMMON.most, Math.max(COMMON.count, points.length * COMMON.share));
    this.#enough = Math.min(options.least, ACROSS.similarity * ACROSS.neutral ** 2);
    this.#sums = new Float64Array(points.length);
    this.#shared = new Uint16Array(points.length);
    this.#touched = new Uint32Array(points.length);
    this.#own = new Float64Array(this.#postings.starts.length);
  }

  nearestOf(index: number): Neighbour[] {
    const { reached, isCut } = this.#addUp(index);
    const { count } = this.#options;
    const [sums, shared, enough] = [this.#sums, this.#shared, this.#enough];
    const near: Neighbour[] = [];
    const most = isCut ? MOST.exact * count : count;
    for (let at = 0; at < reached; at++) {
      const other = this.#touched[at]!;
      const product = sums[other]!;
      if (product >= enough && other !== index) {
        const similarity = this.#similarity(index, other, product, shared[other]!);
        const isNear = near.length < most || similarity >= near[most - 1]!.similarity;
        if (similarity > 0 && isNear) insert(near, { index: other, similarity }, most);
      }
      sums[other] = shared[other] = 0;
    }
    return isCut ? this.#exactly(index, near).slice(0, count) : near;
  }

  /** Adds up the products with the points that share a term: how many these are, and whether terms are left. */
  #addUp(index: number): { reached: number; isCut: boolean } {
    const { terms, weights } = this.#points[index]!.vector;
    const [sums, shared, touched] = [this.#sums, this.#shared, this.#touched];
    const { starts, points, weights: others } = this.#postings;
    let reached = 0;
    let work = 0;
    for (let at = 0; at < terms.length; at++) {
      const weight = weights[at]!;
      const [from, to] = [starts[terms[at]!]!, starts[terms[at]! + 1]!];
      if (to - from > this.#limit) continue;
      work += to - from;
      if (work > MOST.work) return { reached, isCut: true };
      for (let entry = from; entry < to; entry++) {
        const other = points[entry]!;
        if (shared[other] === 0) touched[reached++] = other;
        sums[other] = sums[other]! + weight * others[entry]!;
        shared[other] = shared[other]! + 1;
      }
    }
    return { reached, isCut: false };
  }

  /** The same neighbours by all terms of both. */
  #exactly(index: number, near: readonly Neighbour[]): Neighbour[] {
    const { terms, weights } = this.#points[index]!.vector;
    const [own, { starts }] = [this.#own, this.#postings];
    for (let at = 0; at < terms.length; at++) {
      const isCommon = starts[terms[at]! + 1]! - starts[terms[at]!]! > this.#limit;
      own[terms[at]!] = isCommon ? 0 : weights[at]!;
    }
    const result = near.map(({ index: other }) => {
      const { vector } = this.#points[other]!;
      let product = 0;
      let shared = 0;
      for (let at = 0; at < vector.terms.length; at++) {
        const weight = own[vector.terms[at]!]!;
        product += weight * vector.weights[at]!;
        if (weight > 0) shared += 1;
      }
      return { index: other, similarity: this.#similarity(index, other, product, shared) };
    });
    for (const term of terms) own[term] = 0;
    return result.sort(nearerFirst);
  }

  #similarity(index: number, other: number, product: number, shared: number): number {
    const [a, b] = [this.#points[index]!, this.#points[other]!];
    if (a.lang !== b.lang) return acrossLanguages(a, b, product, shared);
    return product >= this.#options.least ? product : 0;
  }
}

const nearerFirst = (a: Neighbour, b: Neighbour): number => b.similarity - a.similarity || a.index - b.index;

/** Keeps the nearest ones, in order. */
function insert(near: Neighbour[], one: Neighbour, most: number): void {
  if (near.length === most && nearerFirst(one, near.at(-1)!) > 0) return;
  if (near.length === most) near.pop();
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
export function countTerms(points: readonly Point[]): number {
  return points.reduce((count, { vector }) => vector.terms.reduce((a, b) => Math.max(a, b + 1), count), 0);
}

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
