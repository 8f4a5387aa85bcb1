import { groupBy } from "../../runtime/group-by.ts";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { createHeap } from "./heap.ts";
import { type Headline, HeadlineMemory } from "./headline-memory.ts";
import { countTerms, createNeighbours, type Neighbour } from "./neighbours.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import type { Step } from "../../compute/job-runner.ts";
import { type Point, VectorPool, vectorsOf } from "./term-vectors.ts";

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
  const neighbours = await neighboursOfOpen(points, names, groupOf, step);
  const context = inContext(points, neighbours);
  const sum = createWorkingSum(countTerms(points));
  const clusters = clustersOf(context, groupOf, neighbours, sum);
  await agglomerate(clusters, (x, y, d) => memory.likeness(points[x]!.reading, points[y]!.reading, d), sum, step);
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
  points: readonly Point[],
  names: readonly (string | undefined)[],
  groupOf: Groups,
  step: Step,
): Promise<Neighbours> {
  const nearest = createNeighbours(points);
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
function inContext(points: readonly Point[], neighbours: Neighbours): Point[] {
  const size = countTerms(points);
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
  /** Sum of the members' vectors; of a single member its own, which must not be changed. */
  terms: number[] | Uint32Array;
  weights: ArrayLike<number>;
  length: number;
  days: number; // Sum of the members' times, days.
  readonly near: Set<number>; // Those that it may merge with.
}

type Likeness = (x: number, y: number, doublings: number) => number;

async function agglomerate(clusters: (Cluster | undefined)[], likeness: Likeness, sum: WorkingSum, step: Step) {
  /** Outdated once the two have more members than `size`. */
  type Merge = Readonly<Record<"margin" | "a" | "b" | "size", number>>;
  const queue = createHeap<Merge>(
    (x, y) => x.margin > y.margin || (x.margin === y.margin && (x.a < y.a || (x.a === y.a && x.b < y.b))),
  );
  const sizeOf = (a: number, b: number): number => clusters[a]!.members.length + clusters[b]!.members.length;
  const propose = (first: number, second: number): void => {
    const [a, b] = first < second ? [first, second] : [second, first];
    sum.open(clusters[first]!);
    const similar = marginOf(clusters[a]!, clusters[b]!, sum.productWith(clusters[second]!));
    if (similar < 0) return;
    const margin = similar - penaltyOf(clusters[a]!, clusters[b]!, likeness);
    if (margin >= 0) queue.push({ margin, a, b, size: sizeOf(a, b) });
  };
  for (const [index, cluster] of clusters.entries()) {
    for (const other of cluster?.near ?? []) if (index < other) propose(index, other);
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [a, b] = [clusters[next.a], clusters[next.b]];
    if (a === undefined || b === undefined || a.members.length + b.members.length > next.size) continue;
    const [kept, gone] = a.members.length >= b.members.length ? [next.a, next.b] : [next.b, next.a];
    sum.open(clusters[kept]!);
    absorb(clusters, kept, gone, sum);
    for (const other of Array.from(clusters[kept]!.near).slice(0, MOST.proposed)) propose(kept, other);
    await step();
  }
}

type WorkingSum = ReturnType<typeof createWorkingSum>;

/** The sum of one cluster at a time, its weights in an array by term: it makes products and additions cheap. */
function createWorkingSum(size: number) {
  const own = new Float64Array(size);
  let at: Cluster | undefined;

  function open(cluster: Cluster): void {
    if (at === cluster) return;
    if (at !== undefined && at.members.length > 1) at.weights = Array.from(at.terms, (term) => own[term]!);
    if (at !== undefined) for (const term of at.terms) own[term] = 0;
    for (let index = 0; index < cluster.terms.length; index++) own[cluster.terms[index]!] = cluster.weights[index]!;
    at = cluster;
  }

  function productWith({ terms, weights }: Pick<Cluster, "terms" | "weights">): number {
    let product = 0;
    for (let index = 0; index < terms.length; index++) product += own[terms[index]!]! * weights[index]!;
    return product;
  }

  function add({ terms, weights }: Cluster): void {
    const all = Array.isArray(at!.terms) ? at!.terms : Array.from(at!.terms);
    for (let index = 0; index < terms.length; index++) {
      if (own[terms[index]!] === 0) all.push(terms[index]!);
      own[terms[index]!] = own[terms[index]!]! + weights[index]!;
    }
    at!.terms = all;
  }

  return { open, productWith, add };
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
  const [first, ...others] = group.map((index): Cluster => {
    const { vector, at } = points[index]!;
    return { members: [index], ...vector, length: 1, days: at / DAY_MS, near: new Set() };
  });
  if (others.length === 0) return first!;
  sum.open(first!);
  for (const other of others) join(first!, other, sum);
  first!.members = byCloseness(first!, points, sum);
  return first!;
}

/** The members of a cluster, the most central first. */
function byCloseness(cluster: Cluster, points: readonly Point[], sum: WorkingSum): number[] {
  const { members } = cluster;
  if (members.length === 1) return members;
  sum.open(cluster);
  const central = members.map((index) => ({ index, closeness: sum.productWith(points[index]!.vector) }));
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

/** What is taken off a margin for the pairs of the first members of each that report different events, but for a few of
 * many pairs. */
function penaltyOf(a: Cluster, b: Cluster, likeness: Likeness): number {
  const [first, second] = [a.members.slice(0, APART.members), b.members.slice(0, APART.members)];
  const firsts = first.length * second.length;
  const doublings = Math.log2(a.members.length * b.members.length);
  let pairs = 0;
  for (const x of first)
    for (const y of second) if (likeness(Math.min(x, y), Math.max(x, y), doublings) < 0) pairs += 1;
  return APART.events * Math.max(0, pairs / firsts - APART.free * (1 - 1 / firsts));
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
  target.length = Math.sqrt(target.length ** 2 + 2 * sum.productWith(source) + source.length ** 2);
  sum.add(source);
  target.days += source.days;
}
