import { groupBy } from "../../runtime/group-by.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { createHeap } from "./heap.ts";
import { type Headline, HeadlineMemory } from "./headline-memory.ts";
import { createNeighbours, type Neighbour } from "./neighbours.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import type { Step } from "../../compute/job-runner.ts";
import { type Point, type Vector, VectorPool, vectorsOf } from "./term-vectors.ts";

const { context: CONTEXT, candidates: CANDIDATES, need: NEED, apart: APART, most: MOST, known: KNOWN } = CLUSTERING;
const NO_STEP: Step = () => undefined;
type Neighbours = ReadonlyMap<number, readonly Neighbour[]>;
type Groups = readonly (readonly number[])[]; // Of each point.

/**
 * Stories: groups of indices of headlines that report the same event, of one or of two languages. The groups are ordered
 * by their first index, the members of each by how central they are.
 *
 * 1. TF-IDF vectors of words, Han character pairs, concepts, quantities and tickers.
 * 2. Each vector is blended with those of its nearest neighbours (pseudo-relevance feedback after Rocchio 1971), which
 *    report the same in other words, and in the other language.
 * 3. Agglomerative clustering by the cosine of centroids over the graph of these neighbours, best margin first. What two
 *    clusters need to merge falls with the size of the larger, whose centroid is less noisy, and rises with the time between
 *    them (a linear form of the time decay of Miranda et al. 2018, Multilingual Clustering of Streaming News).
 *
 * Clusters of which members report different events by their own words ({@link HeadlineMemory.likeness}) do not merge, however near.
 * The cost grows with n times the neighbours, and the same input gives the same groups in any order. Known groups are
 * continued: fresh headlines join them, and each other. Small groups near to these are taken apart first, as they were
 * formed by little evidence. Only what is fresh, or taken apart, is compared.
 *
 * @param known the group of each headline, undefined for a fresh one; without, all are fresh
 */
export async function clusterHeadlines(
  headlines: readonly Headline[],
  step = NO_STEP,
  memory = new HeadlineMemory(),
  known?: readonly (string | undefined)[],
) {
  const order = Array.from(headlines.keys()).sort((a, b) => inTime(headlines[a]!, headlines[b]!) || a - b);
  const sorted = order.map((index) => headlines[index]!);
  const points = await vectorsOf(sorted, step, memory);
  const names = order.map((index) => known?.[index]);
  const members = groupBy(Array.from(order.keys()), (place) => names[place] ?? place);
  const groupOf = names.map((name, place) => members.get(name ?? place)!);
  const neighbours = await neighboursOfOpen(createNeighbours(points, memory.terms()), names, groupOf, step);
  const context = inContext(points, neighbours, memory.terms());
  const sum = workingSum(memory.terms());
  const clusters = clustersOf(context, groupOf, neighbours, sum);
  await agglomerate({ clusters, points, memory, sum, queue: createHeap<Merge>(isBetter) }, step);
  const left = clusters.filter((cluster) => cluster !== undefined);
  // Most members of a known group have no context.
  const groups = left.map((cluster) => byCloseness(cluster, known ? points : context, sum));
  return groups.map((group) => group.map((index) => order[index]!)).sort((a, b) => Math.min(...a) - Math.min(...b));
}

/** An order that does not depend on the order of arrival, by which ties are broken. */
function inTime(a: Headline, b: Headline): number {
  const byText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return a.at - b.at || byText(a.title, b.title) || byText(a.summary, b.summary);
}

/** The neighbours of what is open: the fresh points, and the members of small groups among their neighbours. */
async function neighboursOfOpen(
  nearest: ReturnType<typeof createNeighbours>,
  names: readonly (string | undefined)[],
  groupOf: Groups,
  step: Step,
): Promise<Neighbours> {
  const found = new Map<number, readonly Neighbour[]>();
  const find = async (indices: Iterable<number>): Promise<void> => {
    for (const index of indices) {
      if (found.has(index)) continue;
      found.set(index, nearest(index));
      await step();
    }
  };
  await find(names.flatMap((name, index) => (name === undefined ? index : [])));
  const near = new Set(Array.from(found.values()).flatMap((list) => list.map(({ index }) => index)));
  await find(Array.from(near).flatMap((index) => (groupOf[index]!.length <= KNOWN.small ? groupOf[index]! : [])));
  return found;
}

/** The points, those with known neighbours blended with them. */
function inContext(points: readonly Point[], neighbours: Neighbours, size: number): Point[] {
  const [blend, terms, values] = [new Float64Array(size), new Uint32Array(size), new Float64Array(size)];
  const pool = new VectorPool();
  return points.map((point, index) => {
    const near = neighbours.get(index);
    if (near === undefined) return point;
    const total = near.reduce((sum, { similarity }) => sum + similarity, 0);
    const each = CONTEXT.share / Math.max(CONTEXT.full, total);
    let count = 0;
    for (const { index: other, similarity } of [{ index, similarity: 1 / each }, ...near]) {
      const { vector } = points[other]!;
      for (let at = 0; at < vector.terms.length; at++) {
        const term = vector.terms[at]!;
        if (blend[term] === 0) terms[count++] = term;
        blend[term] = blend[term]! + each * similarity * vector.weights[at]!;
      }
    }
    for (let at = 0; at < count; at++) {
      values[at] = blend[terms[at]!]!;
      blend[terms[at]!] = 0;
    }
    return { ...point, vector: pool.unitVector(terms, values, count, Math.min(count, CONTEXT.terms)) };
  });
}

interface Cluster {
  members: number[];
  terms: Uint32Array; // Sum of the members' vectors; of a single member its own, which must not be changed.
  weights: Float64Array;
  length: number;
  days: number; // Sum of the members' times, days.
  readonly near: Set<number>; // Those that it may merge with.
}

/** Outdated once the two have more members than `size`. */
type Merge = Readonly<Record<"margin" | "a" | "b" | "size", number>>;
const isBetter = (x: Merge, y: Merge): boolean =>
  x.margin > y.margin || (x.margin === y.margin && (x.a < y.a || (x.a === y.a && x.b < y.b)));

/** Passed on, as the code of closures over it would be compiled again in each refresh. */
type Merging = {
  clusters: (Cluster | undefined)[];
  points: readonly Point[];
  memory: HeadlineMemory;
  sum: WorkingSum;
  queue: ReturnType<typeof createHeap<Merge>>;
};

async function agglomerate(merging: Merging, step: Step): Promise<void> {
  const { clusters, queue } = merging;
  for (const [index, cluster] of clusters.entries()) {
    for (const other of cluster?.near ?? []) if (index < other) propose(merging, index, other);
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) if (merge(merging, next)) await step();
}

function propose({ clusters, points, memory, sum, queue }: Merging, first: number, second: number): void {
  const [a, b] = first < second ? [first, second] : [second, first];
  const [x, y] = [clusters[a]!, clusters[b]!];
  open(sum, clusters[first]!);
  const similar = marginOf(x, y, productWith(sum, clusters[second]!));
  const margin = similar < 0 ? similar : marginLeft(similar, [x, y], points, memory);
  if (margin >= 0) queue.push({ margin, a, b, size: x.members.length + y.members.length });
}

/** Whether the two have merged. */
function merge(merging: Merging, next: Merge): boolean {
  const { clusters, sum } = merging;
  const [a, b] = [clusters[next.a], clusters[next.b]];
  if (a === undefined || b === undefined || a.members.length + b.members.length > next.size) return false;
  const [kept, gone] = a.members.length >= b.members.length ? [next.a, next.b] : [next.b, next.a];
  open(sum, clusters[kept]!);
  absorb(clusters, kept, gone, sum);
  for (const other of Array.from(clusters[kept]!.near).slice(0, MOST.proposed)) propose(merging, kept, other);
  return true;
}

/** The sum of one cluster at a time, its weights in an array by term: it makes products and additions cheap. */
type WorkingSum = ReturnType<typeof workingSum>;
const workingSum = (size: number) => ({
  ...{ own: new Float64Array(size), terms: new Uint32Array(size), count: 0 },
  at: undefined as Cluster | undefined,
  isChanged: false, // Since it was opened.
});

function open(sum: WorkingSum, cluster: Cluster): void {
  const { at, own, terms, count, isChanged } = sum;
  if (at === cluster) return;
  if (isChanged) [at!.terms, at!.weights] = [terms.slice(0, count), new Float64Array(count)];
  for (let index = 0; index < count; index++) {
    if (isChanged) at!.weights[index] = own[terms[index]!]!;
    own[terms[index]!] = 0;
  }
  terms.set(cluster.terms);
  for (let index = 0; index < cluster.terms.length; index++) own[terms[index]!] = cluster.weights[index]!;
  Object.assign(sum, { at: cluster, count: cluster.terms.length, isChanged: false });
}

function productWith({ own }: WorkingSum, { terms, weights }: Vector): number {
  let product = 0;
  for (let index = 0; index < terms.length; index++) product += own[terms[index]!]! * weights[index]!;
  return product;
}

function add(sum: WorkingSum, { terms, weights }: Vector): void {
  const { own } = sum;
  for (let index = 0; index < terms.length; index++) {
    const term = terms[index]!;
    if (own[term] === 0) sum.terms[sum.count++] = term;
    own[term] = own[term]! + weights[index]!;
  }
  sum.isChanged = true;
}

/** The clusters to begin with, each at its first member: one for each open point, and one for each other group. */
function clustersOf(points: readonly Point[], groupOf: Groups, neighbours: Neighbours, sum: WorkingSum) {
  const placeOf = (index: number): number => (neighbours.has(index) ? index : groupOf[index]![0]!);
  const clusters = groupOf.map((group, index) => {
    const members = neighbours.has(index) ? [index] : group;
    return index === members[0] ? clusterOf(members, points, sum) : undefined;
  });
  for (const [index, near] of neighbours) {
    for (const other of near.slice(0, CANDIDATES.count).map((neighbour) => placeOf(neighbour.index))) {
      clusters[index]!.near.add(other);
      clusters[other]!.near.add(index);
    }
  }
  return clusters;
}

function clusterOf(group: readonly number[], points: readonly Point[], sum: WorkingSum): Cluster {
  const near = new Set<number>(); // Of the first alone: the others are gone soon.
  const [first, ...others] = group.map((index): Cluster => {
    const { vector, at } = points[index]!;
    return { members: [index], terms: vector.terms, weights: vector.weights, length: 1, days: at / DAY_MS, near };
  });
  if (others.length === 0) return first!;
  open(sum, first!);
  for (const other of others) join(first!, other, sum);
  first!.members = byCloseness(first!, points, sum);
  return first!;
}

/** The members of a cluster, the most central first. */
function byCloseness(cluster: Cluster, points: readonly Point[], sum: WorkingSum): number[] {
  const { members } = cluster;
  if (members.length === 1) return members;
  open(sum, cluster);
  const central = members.map((index) => ({ index, closeness: productWith(sum, points[index]!.vector) }));
  return central.sort((x, y) => y.closeness - x.closeness || x.index - y.index).map(({ index }) => index);
}

/** The excess of the similarity of two clusters over what a merge needs; negative when they do not merge. */
function marginOf(a: Cluster, b: Cluster, product: number): number {
  const similarity = product / (a.length * b.length || 1);
  const [smaller, larger] = [a.members.length, b.members.length].sort((x, y) => x - y) as [number, number];
  const need = Math.max(NEED.least, NEED.single - NEED.step * Math.log2(larger)) + NEED.both * Math.log2(smaller);
  const apart = Math.abs(a.days / a.members.length - b.days / b.members.length);
  return similarity - need - APART.day * Math.max(0, apart - APART.freeDays);
}

/** The margin that is left after what is taken off for the pairs of the first members of each that report different
 * events, but for a few of many pairs; negative as soon as they do not merge. */
function marginLeft(margin: number, [a, b]: [Cluster, Cluster], points: readonly Point[], memory: HeadlineMemory) {
  const [first, second] = [a.members.slice(0, APART.members), b.members.slice(0, APART.members)];
  const firsts = first.length * second.length;
  const doublings = Math.log2(a.members.length * b.members.length);
  let [pairs, left] = [0, margin];
  for (const x of first) {
    for (const y of second) {
      const [one, other] = [points[Math.min(x, y)]!, points[Math.max(x, y)]!];
      if (memory.likeness(one.reading, other.reading, doublings) >= 0) continue;
      pairs += 1;
      left = margin - APART.events * Math.max(0, pairs / firsts - APART.free * (1 - 1 / firsts));
      if (left < 0) return left;
    }
  }
  return left;
}

/** @param sum that of the cluster which is kept */
function absorb(clusters: (Cluster | undefined)[], kept: number, gone: number, sum: WorkingSum): void {
  const target = clusters[kept]!;
  const source = clusters[gone]!;
  clusters[gone] = undefined;
  join(target, source, sum);
  for (const other of source.near) {
    clusters[other]!.near.delete(gone);
    if (other === kept || target.near.has(other)) continue;
    target.near.add(other);
    clusters[other]!.near.add(kept);
  }
}

/** @param sum that of the target */
function join(target: Cluster, source: Cluster, sum: WorkingSum): void {
  target.members.push(...source.members);
  // |a + b|² = |a|² + 2ab + |b|²: the sum of a large cluster is not walked at every merge.
  target.length = Math.sqrt(target.length ** 2 + 2 * productWith(sum, source) + source.length ** 2);
  add(sum, source);
  target.days += source.days;
}
