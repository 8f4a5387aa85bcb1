import CLUSTERING from "./clustering.json" with { type: "json" };
import { createDistinction } from "./distinctions.ts";
import { createHeap } from "./heap.ts";
import { type Neighbour, nearest } from "./neighbours.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import type { Step } from "../../compute/job-runner.ts";
import { dot, type Headline, lengthOf, type Point, type Vector, vectorsOf } from "./term-vectors.ts";

const { context: CONTEXT, candidates: CANDIDATES, need: NEED, apart: APART, most: MOST } = CLUSTERING;
const NO_STEP: Step = () => undefined;

/**
 * Stories: groups of indices of headlines that report the same event, of one or of two languages. The groups are ordered
 * by their first index, the members of each by how central they are.
 *
 * 1. TF-IDF vectors of words, Han character pairs, concepts, quantities and tickers.
 * 2. Each vector is blended with those of its nearest neighbours (pseudo-relevance feedback after Rocchio 1971): a
 *    headline is short, its neighbours report the same in other words, and in the other language.
 * 3. Agglomerative clustering by the cosine of centroids over the sparse neighbour graph, best margin first. What two
 *    clusters need to merge falls with the size of the larger, since the centroid of many headlines is less noisy than
 *    that of one, and rises with the time between them (a linear form of the time decay that topic tracking uses;
 *    Miranda et al. 2018, Multilingual Clustering of Streaming News).
 *
 * Clusters of which members report different events by their own words ({@link createDistinction}) do not merge, however near.
 *
 * No pair is compared that is not near, and what is near is bounded: the cost grows with n times the neighbours. The same
 * input gives the same groups in any order.
 */
export async function clusterHeadlines(headlines: readonly Headline[], step = NO_STEP): Promise<number[][]> {
  const order = Array.from(headlines.keys()).sort((a, b) => inTime(headlines[a]!, headlines[b]!) || a - b);
  const points = await describe(
    order.map((index) => headlines[index]!),
    step,
  );
  const groups = await agglomerate(points, await nearest(points, { ...CANDIDATES, across: false }, step), step);
  return groups.map((members) => members.map((index) => order[index]!)).sort((a, b) => Math.min(...a) - Math.min(...b));
}

/** An order that does not depend on the order of arrival, by which ties are broken. */
function inTime(a: Headline, b: Headline): number {
  const byText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return a.at - b.at || byText(a.title, b.title) || byText(a.summary, b.summary);
}

/** The vectors in their context. Those without it are not kept: of 20,000 headlines they take 100 MB. */
async function describe(headlines: readonly Headline[], step: Step): Promise<Point[]> {
  const points = await vectorsOf(headlines, step);
  return inContext(points, await nearest(points, { ...CONTEXT, across: true }, step));
}

function inContext(points: readonly Point[], neighbours: readonly Neighbour[][]): Point[] {
  return points.map((point, index) => {
    const near = neighbours[index]!;
    const total = Math.max(
      CONTEXT.full,
      near.reduce((sum, { similarity }) => sum + similarity, 0),
    );
    const blend: Vector = new Map(point.vector);
    for (const { index: other, similarity } of near) {
      const share = (CONTEXT.share * similarity) / total;
      for (const [term, weight] of points[other]!.vector) blend.set(term, (blend.get(term) ?? 0) + share * weight);
    }
    const kept = Array.from(blend)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, CONTEXT.terms);
    const vector: Vector = new Map(kept);
    const length = lengthOf(vector) || 1;
    for (const [term, weight] of vector) vector.set(term, weight / length);
    return { ...point, vector };
  });
}

interface Cluster {
  readonly members: number[];
  /** Sum of the members' vectors; of a single member its own, which must not be changed. */
  sum: Vector;
  length: number;
  /** Sum of the members' times, days. */
  days: number;
  readonly near: Set<number>;
  /** Grows with every merge, so that outdated entries of the queue are recognized. */
  version: number;
}

async function agglomerate(
  points: readonly Point[],
  neighbours: readonly Neighbour[][],
  step: Step,
): Promise<number[][]> {
  const clusters: (Cluster | undefined)[] = singleClusters(points, neighbours);
  const areApart = createDistinction();
  const isApart = (x: number, y: number): boolean => areApart(points[x]!.traits, points[y]!.traits);
  type Merge = Readonly<Record<"margin" | "a" | "b" | "versionA" | "versionB", number>>;
  const queue = createHeap<Merge>(
    (x, y) => x.margin > y.margin || (x.margin === y.margin && (x.a < y.a || (x.a === y.a && x.b < y.b))),
  );
  const propose = (first: number, second: number): void => {
    const [a, b] = first < second ? [first, second] : [second, first];
    const similar = marginOf(clusters[a]!, clusters[b]!);
    const margin = similar < 0 ? similar : similar - APART.events * shareApart(clusters[a]!, clusters[b]!, isApart);
    if (margin >= 0) queue.push({ margin, a, b, versionA: clusters[a]!.version, versionB: clusters[b]!.version });
  };
  for (const [index, cluster] of clusters.entries()) {
    for (const other of cluster!.near) if (index < other) propose(index, other);
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [a, b] = [clusters[next.a], clusters[next.b]];
    if (a?.version !== next.versionA || b?.version !== next.versionB) continue;
    const [kept, gone] = a.members.length >= b.members.length ? [next.a, next.b] : [next.b, next.a];
    absorb(clusters, kept, gone);
    let proposed = 0;
    for (const other of clusters[kept]!.near) {
      if ((proposed += 1) > MOST.proposed) break;
      propose(kept, other);
    }
    await step();
  }
  return groupsOf(
    clusters.filter((cluster) => cluster !== undefined),
    points,
  );
}

function singleClusters(points: readonly Point[], neighbours: readonly Neighbour[][]): Cluster[] {
  const clusters = points.map(({ vector, at }, index): Cluster => ({
    members: [index],
    sum: vector,
    length: lengthOf(vector),
    days: at / DAY_MS,
    near: new Set(),
    version: 0,
  }));
  for (const [index, near] of neighbours.entries()) {
    for (const { index: other } of near) {
      clusters[index]!.near.add(other);
      clusters[other]!.near.add(index);
    }
  }
  return clusters;
}

function groupsOf(clusters: readonly Cluster[], points: readonly Point[]): number[][] {
  return clusters.map(({ members, sum }) => {
    const central = members.map((index) => ({ index, closeness: dot(points[index]!.vector, sum) }));
    central.sort((x, y) => y.closeness - x.closeness || x.index - y.index);
    return central.map(({ index }) => index);
  });
}

/** The excess of the similarity of two clusters over what a merge needs; negative when they do not merge. */
function marginOf(a: Cluster, b: Cluster): number {
  const similarity = dot(a.sum, b.sum) / (a.length * b.length || 1);
  const larger = Math.max(a.members.length, b.members.length);
  const need = Math.max(NEED.least, NEED.single - NEED.step * Math.log2(larger));
  const apart = Math.abs(a.days / a.members.length - b.days / b.members.length);
  return similarity - need - APART.day * Math.max(0, apart - APART.freeDays);
}

/** The share of pairs of the first members of each that report different events. */
function shareApart(a: Cluster, b: Cluster, isApart: (x: number, y: number) => boolean): number {
  const [first, second] = [a.members.slice(0, APART.members), b.members.slice(0, APART.members)];
  let apart = 0;
  for (const x of first) for (const y of second) if (isApart(x, y)) apart++;
  return apart / (first.length * second.length);
}

function absorb(clusters: (Cluster | undefined)[], kept: number, gone: number): void {
  const target = clusters[kept]!;
  const source = clusters[gone]!;
  clusters[gone] = undefined;
  if (target.members.length === 1) target.sum = new Map(target.sum);
  target.members.push(...source.members);
  // |a + b|² = |a|² + 2ab + |b|²: the sum of a large cluster is not walked at every merge.
  target.length = Math.sqrt(target.length ** 2 + 2 * dot(target.sum, source.sum) + source.length ** 2);
  for (const [term, weight] of source.sum) target.sum.set(term, (target.sum.get(term) ?? 0) + weight);
  target.days += source.days;
  target.version += 1;
  for (const other of source.near) {
    clusters[other]!.near.delete(gone);
    if (other === kept) continue;
    target.near.add(other);
    clusters[other]!.near.add(kept);
  }
}
