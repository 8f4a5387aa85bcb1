import TinyQueue from "tinyqueue";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { type Headline, HeadlineMemory, judgementOf } from "./headline-memory.ts";
import { indexNeighbours, type Neighbour } from "./neighbours.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { groupBy } from "../../runtime/group-by.ts";
import type { Step } from "../../compute/job-runner.ts";
import { type Point, type Vector, VectorPool, vectorsOf } from "./term-vectors.ts";

const { context: CONTEXT, candidates: CANDIDATES, need: NEED, lift: LIFT, apart: APART } = CLUSTERING;
const { network: NETWORK, evidence: EVIDENCE, most: MOST, known: KNOWN } = CLUSTERING;
type Nearest = ReturnType<typeof indexNeighbours>;
type Neighbours = ReadonlyMap<number, readonly Neighbour[]>;
type Groups = readonly (readonly number[])[]; // The group of each point.

/**
 * Clusters headlines into stories: groups of indices of headlines that report the same event, in one or two languages. The
 * groups are ordered by their lowest index, the members of each by their closeness to its centroid.
 *
 * 1. TF-IDF vectors of words, Han character pairs, concepts, quantities and tickers.
 * 2. Each vector is blended with those of its nearest neighbours (pseudo-relevance feedback after Rocchio 1971), which
 *    report the same event in other words or in the other language.
 * 3. Agglomerative clustering by the cosine of centroids over the graph of these neighbours, best margin first. A merge needs
 *    less similarity the larger the larger cluster is, whose centroid is less noisy, and more the further apart the two are
 *    in time (a linear form of the time decay of Miranda et al. 2018, Multilingual Clustering of Streaming News).
 *
 * Pairs of members are also scored by {@link judgementOf}: pairs that report different events prevent a merge,
 * and pairs that report one event lower the threshold a little. The cost grows with n times the neighbours. The result does
 * not depend on the order of the input. New headlines join known groups or each other. Small groups near them are split
 * first, because these rest on little evidence. Only new headlines and members of split groups are compared.
 *
 * @param known the group of each headline, undefined for a new one; if absent, all headlines are new */
export async function clusterHeadlines(
  headlines: readonly Headline[],
  step: Step = () => undefined,
  memory = new HeadlineMemory(),
  known?: readonly (string | undefined)[],
) {
  const sorted = Array.from(headlines.entries()).sort(inTime);
  const ordered = sorted.map(([, headline]) => headline);
  const points = await vectorsOf(ordered, step, memory);
  const names = sorted.map(([index], place) => known?.[index] ?? place); // A new headline is a group of its own.
  const members = groupBy(names.keys(), (place) => names[place]!);
  const groupOf = names.map((name) => members.get(name)!);
  const fresh = names.filter((name) => typeof name === "number");
  const neighbours = await neighboursOfOpen(indexNeighbours(points, memory.terms()), fresh, groupOf, step);
  const sum = createWorkingSum(memory.terms());
  const context = inContext(points, neighbours, sum);
  const clusters = clustersOf(context, groupOf, neighbours, sum);
  await agglomerate(clusters, points, sum, step);
  const groups: number[][] = []; // Each at its first index.
  for (const cluster of clusters) {
    if (cluster === undefined) continue;
    // Most members of a known group have no blended vector.
    const group = byCloseness(cluster, known ? points : context, sum).map((place) => sorted[place]![0]);
    groups[Math.min(...group)] = group;
  }
  return Object.values(groups);
}

type Indexed = readonly [index: number, headline: Headline];
const byText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);

/** A total order that does not depend on the order of the input; it breaks ties. */
const inTime = ([i, a]: Indexed, [j, b]: Indexed): number =>
  a.at - b.at || byText(a.title, b.title) || byText(a.summary, b.summary) || i - j;

/** The neighbours of the open points: new points, and the members of small groups among their neighbours. */
async function neighboursOfOpen(nearest: Nearest, fresh: readonly number[], groupOf: Groups, step: Step) {
  const found = new Map<number, readonly Neighbour[]>();
  async function find(place: number): Promise<void> {
    if (found.has(place)) return;
    found.set(place, nearest(place));
    await step();
  }
  for (const place of fresh) await find(place);
  const near = new Set(Array.from(found.values(), (neighbours) => neighbours.map(({ index }) => index)).flat());
  const small = Array.from(near, (place) => groupOf[place]!).filter(({ length }) => length <= KNOWN.small);
  for (const member of small.flat()) await find(member);
  return found;
}

/** The points; each one that is listed in `neighbours` is blended with its neighbours. */
function inContext(points: readonly Point[], neighbours: Neighbours, sum: WorkingSum): Point[] {
  const pool = new VectorPool();
  const result = Array.from(points);
  for (const [index, near] of neighbours) {
    const point = points[index]!;
    let total = 0;
    for (const { similarity } of near) total += similarity;
    const each = CONTEXT.share / Math.max(CONTEXT.full, total);
    sum.clear();
    sum.add(point.vector, each * (1 / each));
    for (const { index: other, similarity } of near) sum.add(points[other]!.vector, each * similarity);
    result[index] = { ...point, vector: sum.unitVector(pool, CONTEXT.terms) };
  }
  return result;
}

type Cluster = ReturnType<typeof singleCluster>;
const singleCluster = (index: number, { vector, at }: Point) => ({
  members: [index],
  vector, // Sum of the members' vectors.
  length: 1,
  days: at / DAY_MS, // Sum of the members' times, days.
  near: new Set<number>(), // Merge candidates.
});

type Clusters = (Cluster | undefined)[]; // Each at the index of its first member.

/** A proposed merge, outdated once the two clusters have more members than `size`. */
type Merge = Readonly<Record<"margin" | "a" | "b" | "size", number>>;
const byMargin = (x: Merge, y: Merge): number => y.margin - x.margin || x.a - y.a || x.b - y.b;

/** Merges clusters, each stored at the index of its first member. */
async function agglomerate(clusters: Clusters, points: readonly Point[], sum: WorkingSum, step: Step): Promise<void> {
  const queue = new TinyQueue<Merge>([], byMargin);
  function propose(first: number, second: number): void {
    sum.open(clusters[first]!);
    const product = sum.productWith(clusters[second]!.vector);
    const [a, b] = [Math.min(first, second), Math.max(first, second)];
    const [one, other] = [clusters[a]!, clusters[b]!];
    const margin = adjusted(marginOf(one, other, product), one, other, points);
    if (margin >= 0) queue.push({ margin, a, b, size: one.members.length + other.members.length });
  }
  for (const [index, cluster] of clusters.entries()) {
    for (const other of cluster?.near ?? []) if (index < other) propose(index, other);
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [a, b] = [clusters[next.a], clusters[next.b]];
    if (a === undefined || b === undefined || a.members.length + b.members.length > next.size) continue;
    const [kept, gone] = a.members.length >= b.members.length ? [next.a, next.b] : [next.b, next.a];
    absorb(clusters, kept, gone, sum);
    for (const other of Array.from(clusters[kept]!.near).slice(0, MOST.proposed)) propose(kept, other);
    await step();
  }
}

/** Adjusts a margin by the judgements on all pairs of the clusters' first members: the share of similar pairs raises a
 * negative margin; the share of pairs that report different events lowers it, above a tolerance for large clusters, and so
 * does the evidence that pairs lack on average. */
function adjusted(similar: number, a: Cluster, b: Cluster, points: readonly Point[]): number {
  const lift = similar < 0 ? LIFT.most : 0;
  if (similar + lift < 0) return similar;
  const [first, second] = [a.members.slice(0, APART.members), b.members.slice(0, APART.members)];
  const firsts = first.length * second.length;
  const doublings = Math.log2(a.members.length * b.members.length);
  const least = EVIDENCE.least - EVIDENCE.step * doublings;
  let [far, apart, cost, missing] = [0, 0, 0, 0]; // Far: not judged to be similar.
  for (const x of first) {
    for (const y of second) {
      const [one, other] = [points[Math.min(x, y)]!, points[Math.max(x, y)]!];
      const { likeness, evidence } = judgementOf(one.reading, other.reading);
      missing += least - evidence;
      if (likeness < 0 || likeness === Infinity) far += 1;
      if (likeness + NETWORK.step * doublings < 0) {
        apart += 1;
        cost = APART.events * Math.max(0, apart / firsts - APART.free * (1 - 1 / firsts));
      }
      if (similar + lift * (1 - far / firsts) < cost) return similar - cost; // Saves most of the judgements.
    }
  }
  if (least > 0) cost += (EVIDENCE.missing * Math.max(0, missing)) / firsts;
  return similar + lift * (1 - far / firsts) - cost;
}

function absorb(clusters: Clusters, kept: number, gone: number, sum: WorkingSum): void {
  const [target, source] = [clusters[kept]!, clusters[gone]!];
  clusters[gone] = undefined;
  sum.open(target);
  sum.join(source);
  for (const other of source.near) {
    clusters[other]!.near.delete(gone);
    if (other === kept || target.near.has(other)) continue;
    target.near.add(other);
    clusters[other]!.near.add(kept);
  }
}

type WorkingSum = ReturnType<typeof createWorkingSum>;

/** A dense sum of sparse vectors, indexed by term, which makes products and additions cheap. It holds the sum of one cluster
 * at a time, the open one. @param size number of known terms */
function createWorkingSum(size: number) {
  const [weights, terms] = [new Float64Array(size), new Uint32Array(size)];
  const values = new Float64Array(size); // Scratch array.
  let count = 0; // Number of terms in the sum.
  let opened: Cluster | undefined;
  let isChanged = false; // Since the cluster was opened.

  function clear(): void {
    for (let at = 0; at < count; at++) weights[terms[at]!] = 0;
    count = 0;
  }

  function add(vector: Vector, share = 1): void {
    for (let at = 0; at < vector.terms.length; at++) {
      const term = vector.terms[at]!;
      if (weights[term] === 0) terms[count++] = term;
      weights[term]! += share * vector.weights[at]!;
    }
  }

  /** Writes the weights in the order of the terms. */
  function gather(into: Float64Array): Float64Array {
    for (let at = 0; at < count; at++) into[at] = weights[terms[at]!]!;
    return into;
  }

  function productWith(vector: Vector): number {
    let product = 0;
    for (let at = 0; at < vector.terms.length; at++) product += weights[vector.terms[at]!]! * vector.weights[at]!;
    return product;
  }

  return {
    clear,
    add,
    productWith,
    /** The unit vector of its `most` heaviest terms. */
    unitVector: (pool: VectorPool, most: number) =>
      pool.unitVector(terms, gather(values), count, Math.min(count, most)),
    open(cluster: Cluster): void {
      if (opened === cluster) return;
      if (isChanged) opened!.vector = { terms: terms.slice(0, count), weights: gather(new Float64Array(count)) };
      clear();
      add(cluster.vector);
      [opened, isChanged] = [cluster, false];
    },
    /** Adds another cluster to the open one. */
    join({ members, vector, length, days }: Cluster): void {
      const cluster = opened!;
      for (const member of members) cluster.members.push(member);
      // |a + b|² = |a|² + 2ab + |b|², which avoids iterating over the sum of a large cluster at every merge.
      cluster.length = Math.sqrt(cluster.length ** 2 + 2 * productWith(vector) + length ** 2);
      cluster.days += days;
      add(vector);
      isChanged = true;
    },
  };
}

/** The initial clusters, each at the index of its first member: one per open point, and one per remaining group. */
function clustersOf(points: readonly Point[], groupOf: Groups, neighbours: Neighbours, sum: WorkingSum) {
  const clusters = groupOf.map((group, index) => {
    if (neighbours.has(index)) return clusterOf([index], points, sum);
    return index === group[0] ? clusterOf(group, points, sum) : undefined;
  });
  for (const [index, near] of neighbours) {
    for (const neighbour of near.slice(0, CANDIDATES.count)) {
      const other = neighbours.has(neighbour.index) ? neighbour.index : groupOf[neighbour.index]![0]!;
      clusters[index]!.near.add(other);
      clusters[other]!.near.add(index);
    }
  }
  return clusters;
}

function clusterOf(group: readonly number[], points: readonly Point[], sum: WorkingSum): Cluster {
  const [cluster, ...others] = group.map((index) => singleCluster(index, points[index]!));
  if (others.length > 0) sum.open(cluster!);
  for (const other of others) sum.join(other);
  cluster!.members = byCloseness(cluster!, points, sum);
  return cluster!;
}

function byCloseness(cluster: Cluster, points: readonly Point[], sum: WorkingSum): number[] {
  const { members } = cluster;
  if (members.length === 1) return members;
  sum.open(cluster);
  const central = members.map((index) => ({ index, closeness: sum.productWith(points[index]!.vector) }));
  return central.sort((x, y) => y.closeness - x.closeness || x.index - y.index).map(({ index }) => index);
}

/** The similarity of two clusters minus the threshold of their merge; negative when they do not merge. */
function marginOf(a: Cluster, b: Cluster, product: number): number {
  const similarity = product / (a.length * b.length || 1);
  const smaller = Math.min(a.members.length, b.members.length);
  const larger = Math.max(a.members.length, b.members.length);
  const need = Math.max(NEED.least, NEED.single - NEED.step * Math.log2(larger)) + NEED.both * Math.log2(smaller);
  const apart = Math.abs(a.days / a.members.length - b.days / b.members.length);
  return similarity - need - APART.day * Math.max(0, apart - APART.freeDays);
}
