import TinyQueue from "tinyqueue";
import CLUSTERING from "./clustering.json" with { type: "json" };
import { type Headline, HeadlineMemory } from "./headline-memory.ts";
import { type Neighbour, NeighbourIndex } from "./neighbours.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import type { Step } from "../../compute/job-runner.ts";
import { type Point, type Vector, VectorPool, vectorsOf } from "./term-vectors.ts";

const { context: CONTEXT, candidates: CANDIDATES, need: NEED, lift: LIFT, apart: APART } = CLUSTERING;
const { network: NETWORK, most: MOST, known: KNOWN } = CLUSTERING;
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
 * Clusters of which members report different events by their own words ({@link HeadlineMemory.likeness}) do not merge, however
 * near; where they report one by these, a little less is enough. The cost grows with n times the neighbours, and the same input
 * gives the same groups in any order. Known groups are continued: fresh headlines join them, and each other. Small groups near to
 * these are taken apart first, as they were formed by little evidence. Only what is fresh, or taken apart, is compared.
 *
 * @param known the group of each headline, undefined for a fresh one; without, all are fresh */
export async function clusterHeadlines(
  headlines: readonly Headline[],
  step: Step = () => undefined,
  memory = new HeadlineMemory(),
  known?: readonly (string | undefined)[],
) {
  const sorted = Array.from(headlines.entries()).sort(inTime);
  const points = await vectorsOf(sorted.map(headlineOf), step, memory);
  const members = new Map<string | number, number[]>();
  const groupOf: number[][] = [];
  const fresh: number[] = [];
  for (const [place, [index]] of sorted.entries()) {
    const name = known?.[index];
    if (name === undefined) fresh.push(place);
    const group = members.get(name ?? place) ?? [];
    if (group.push(place) === 1) members.set(name ?? place, group);
    groupOf.push(group);
  }
  const neighbours = await neighboursOfOpen(new NeighbourIndex(points, memory.terms()), fresh, groupOf, step);
  const sum = new WorkingSum(memory.terms());
  const context = inContext(points, neighbours, sum);
  const clusters = clustersOf(context, groupOf, neighbours, sum);
  await new Agglomeration(clusters, points, memory, sum).run(step);
  const groups: number[][] = []; // Each at its first index.
  for (const cluster of clusters) {
    if (cluster === undefined) continue;
    // Most members of a known group have no context.
    const group = byCloseness(cluster, known ? points : context, sum).map((place) => sorted[place]![0]);
    groups[Math.min(...group)] = group;
  }
  return Object.values(groups);
}

type Indexed = readonly [index: number, headline: Headline];
const headlineOf = ([, headline]: Indexed): Headline => headline;
const byText = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);

/** An order that does not depend on the order of arrival, by which ties are broken. */
const inTime = ([i, a]: Indexed, [j, b]: Indexed): number =>
  a.at - b.at || byText(a.title, b.title) || byText(a.summary, b.summary) || i - j;

/** The neighbours of what is open: the fresh points, and the members of small groups among their neighbours. */
async function neighboursOfOpen(index: NeighbourIndex, fresh: readonly number[], groupOf: Groups, step: Step) {
  const found = new Map<number, readonly Neighbour[]>();
  const near = new Set<number>();
  for (const place of fresh) {
    const nearest = index.nearest(place);
    found.set(place, nearest);
    for (const neighbour of nearest) near.add(neighbour.index);
    await step();
  }
  for (const place of near) {
    const group = groupOf[place]!;
    for (const member of group.length <= KNOWN.small ? group : []) {
      if (found.has(member)) continue;
      found.set(member, index.nearest(member));
      await step();
    }
  }
  return found;
}

/** The points, those with known neighbours blended with them. */
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
    const { terms, weights } = sum.vector();
    const most = Math.min(terms.length, CONTEXT.terms);
    result[index] = { ...point, vector: pool.unitVector(terms, weights, terms.length, most) };
  }
  return result;
}

interface Cluster {
  members: number[];
  vector: Vector; // Sum of the members' vectors.
  length: number;
  days: number; // Sum of the members' times, days.
  readonly near: Set<number>; // Those that it may merge with.
}

/** Outdated once the two have more members than `size`. */
type Merge = Readonly<Record<"margin" | "a" | "b" | "size", number>>;
const byMargin = (x: Merge, y: Merge): number => y.margin - x.margin || x.a - y.a || x.b - y.b;

/** Merges clusters, each at its first member. */
class Agglomeration {
  readonly #clusters: (Cluster | undefined)[];
  readonly #points: readonly Point[];
  readonly #memory: HeadlineMemory;
  readonly #sum: WorkingSum;
  readonly #queue = new TinyQueue<Merge>([], byMargin);

  constructor(clusters: (Cluster | undefined)[], points: readonly Point[], memory: HeadlineMemory, sum: WorkingSum) {
    [this.#clusters, this.#points, this.#memory, this.#sum] = [clusters, points, memory, sum];
  }

  async run(step: Step): Promise<void> {
    const clusters = this.#clusters;
    for (const [index, cluster] of clusters.entries()) {
      for (const other of cluster?.near ?? []) if (index < other) this.#propose(index, other);
    }
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const [a, b] = [clusters[next.a], clusters[next.b]];
      if (a === undefined || b === undefined || a.members.length + b.members.length > next.size) continue;
      const [kept, gone] = a.members.length >= b.members.length ? [next.a, next.b] : [next.b, next.a];
      this.#absorb(kept, gone);
      for (const other of Array.from(clusters[kept]!.near).slice(0, MOST.proposed)) this.#propose(kept, other);
      await step();
    }
  }

  #propose(first: number, second: number): void {
    this.#sum.open(this.#clusters[first]!);
    const product = this.#sum.productWith(this.#clusters[second]!.vector);
    const [a, b] = [Math.min(first, second), Math.max(first, second)];
    const [one, other] = [this.#clusters[a]!, this.#clusters[b]!];
    const margin = this.#judged(marginOf(one, other, product), one, other);
    if (margin >= 0) this.#queue.push({ margin, a, b, size: one.members.length + other.members.length });
  }

  /** A margin, by what the network says of the pairs of the first members of each: what is less than nothing is lifted by the
   * share of those that are not apart, and those that are cost something, but for a few of many. */
  #judged(similar: number, a: Cluster, b: Cluster): number {
    const lift = similar < 0 ? LIFT.most : 0;
    if (similar + lift < 0) return similar;
    const [first, second] = [a.members.slice(0, APART.members), b.members.slice(0, APART.members)];
    const firsts = first.length * second.length;
    const doublings = Math.log2(a.members.length * b.members.length);
    let [close, apart, cost] = [0, 0, 0];
    for (const x of first) {
      for (const y of second) {
        const [one, other] = [this.#points[Math.min(x, y)]!, this.#points[Math.max(x, y)]!];
        const likeness = this.#memory.likeness(one.reading, other.reading);
        if (likeness >= 0 && likeness < Infinity) close += 1;
        if (likeness + NETWORK.step * doublings >= 0) continue;
        apart += 1;
        cost = APART.events * Math.max(0, apart / firsts - APART.free * (1 - 1 / firsts));
        if (similar + lift < cost) return similar - cost;
      }
    }
    return similar + (lift * close) / firsts - cost;
  }

  #absorb(kept: number, gone: number): void {
    const clusters = this.#clusters;
    const [target, source] = [clusters[kept]!, clusters[gone]!];
    clusters[gone] = undefined;
    this.#sum.open(target);
    this.#sum.join(source);
    for (const other of source.near) {
      clusters[other]!.near.delete(gone);
      if (other === kept || target.near.has(other)) continue;
      target.near.add(other);
      clusters[other]!.near.add(kept);
    }
  }
}

/** A sum of vectors, its weights in an array by term: it makes products and additions cheap. It is that of one cluster at
 * a time, the open one. */
class WorkingSum {
  readonly #weights: Float64Array;
  readonly #terms: Uint32Array;
  #count = 0; // Of the terms.
  #cluster: Cluster | undefined;
  #isChanged = false; // Since the cluster was opened.

  /** @param size the number after the last term */
  constructor(size: number) {
    [this.#weights, this.#terms] = [new Float64Array(size), new Uint32Array(size)];
  }

  clear(): void {
    for (let at = 0; at < this.#count; at++) this.#weights[this.#terms[at]!] = 0;
    this.#count = 0;
  }

  add({ terms, weights }: Vector, share = 1): void {
    for (let at = 0; at < terms.length; at++) {
      const term = terms[at]!;
      if (this.#weights[term] === 0) this.#terms[this.#count++] = term;
      this.#weights[term] = this.#weights[term]! + share * weights[at]!;
    }
  }

  vector(): Vector {
    const terms = this.#terms.slice(0, this.#count);
    const weights = new Float64Array(terms.length);
    for (let at = 0; at < terms.length; at++) weights[at] = this.#weights[terms[at]!]!;
    return { terms, weights };
  }

  productWith({ terms, weights }: Vector): number {
    let product = 0;
    for (let at = 0; at < terms.length; at++) product += this.#weights[terms[at]!]! * weights[at]!;
    return product;
  }

  open(cluster: Cluster): void {
    if (this.#cluster === cluster) return;
    if (this.#isChanged) this.#cluster!.vector = this.vector();
    this.clear();
    this.add(cluster.vector);
    [this.#cluster, this.#isChanged] = [cluster, false];
  }

  /** Adds another cluster to the open one. */
  join({ members, vector, length, days }: Cluster): void {
    const cluster = this.#cluster!;
    for (const member of members) cluster.members.push(member);
    // |a + b|² = |a|² + 2ab + |b|²: the sum of a large cluster is not walked at every merge.
    cluster.length = Math.sqrt(cluster.length ** 2 + 2 * this.productWith(vector) + length ** 2);
    cluster.days += days;
    this.add(vector);
    this.#isChanged = true;
  }
}

/** The clusters to begin with, each at its first member: one for each open point, and one for each other group. */
function clustersOf(points: readonly Point[], groupOf: Groups, neighbours: Neighbours, sum: WorkingSum) {
  const clusters: (Cluster | undefined)[] = [];
  for (const [index, group] of groupOf.entries()) {
    const isOpen = neighbours.has(index);
    clusters.push(isOpen || index === group[0] ? clusterOf(isOpen ? [index] : group, points, sum) : undefined);
  }
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
  const cluster = singleCluster(group[0]!, points);
  if (group.length === 1) return cluster;
  sum.open(cluster);
  for (const index of group.slice(1)) sum.join(singleCluster(index, points));
  cluster.members = byCloseness(cluster, points, sum);
  return cluster;
}

function singleCluster(index: number, points: readonly Point[]): Cluster {
  const { vector, at } = points[index]!;
  return { members: [index], vector, length: 1, days: at / DAY_MS, near: new Set() };
}

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
  const smaller = Math.min(a.members.length, b.members.length);
  const larger = Math.max(a.members.length, b.members.length);
  const need = Math.max(NEED.least, NEED.single - NEED.step * Math.log2(larger)) + NEED.both * Math.log2(smaller);
  const apart = Math.abs(a.days / a.members.length - b.days / b.members.length);
  return similarity - need - APART.day * Math.max(0, apart - APART.freeDays);
}
