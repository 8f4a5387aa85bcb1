import type { DecisionTree } from "../../src/assistant/answering/decide-outcome.ts";
import type { FittedRow } from "./logistic-regression.ts";

/** How trees are grown. */
export interface Boosting {
  readonly depth: number; // Splits above a leaf.
  readonly rounds: number; // One tree each.
  readonly rate: number; // What is taken of each step.
  readonly ridge: number; // Penalty of a leaf's value, as a share of the rows' weight.
  readonly least: number; // Rows of a leaf.
  readonly rising: readonly number[]; // The columns of which a higher value never lowers what the trees say.
}

const BINS = 64;

/** Gradient boosting of the logistic loss with Newton steps (Friedman 2001; Chen & Guestrin 2016, without their sampling),
 * on thresholds between the quantiles of each column. Nothing is random.
 * @param logitOf what the trees add to */
export function fitTrees(
  rows: readonly FittedRow[],
  logitOf: (row: FittedRow) => number,
  boosting: Boosting,
): DecisionTree[] {
  const { depth, rounds, rate } = boosting;
  const ridge = boosting.ridge * rows.reduce((sum, { weight }) => sum + weight, 0);
  const columns = rows[0]!.values.map((_, at) => rows.map(({ values }) => values[at]!));
  const thresholds = columns.map((column) => thresholdsOf(column));
  const bins = columns.map((column, at) => Uint8Array.from(column, (value) => binOf(thresholds[at]!, value)));
  const logits = Float64Array.from(rows, logitOf);
  const [slopes, curvatures] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  const state = { ...boosting, bins, thresholds, slopes, curvatures, ridge };
  const inner = 2 ** depth - 1;
  const trees: DecisionTree[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [at, { isPositive, weight }] of rows.entries()) {
      const chance = 1 / (1 + Math.exp(-logits[at]!));
      slopes[at] = weight * (chance - (isPositive ? 1 : 0));
      curvatures[at] = weight * chance * (1 - chance);
    }
    const nodes: Uint32Array[] = [Uint32Array.from(rows, (_, at) => at)];
    const bounds: Bounds[] = [[-Infinity, Infinity]];
    const splits: number[] = [];
    for (let node = 0; node < inner; node++) {
      const [least, most] = bounds[node]!;
      const { feature, threshold, middle } = bestSplit(nodes[node]!, bounds[node]!, state);
      splits.push(feature, threshold);
      const isRising = boosting.rising.includes(feature);
      bounds[2 * node + 1] = [least, isRising ? middle : most];
      bounds[2 * node + 2] = [isRising ? middle : least, most];
      nodes[2 * node + 1] = nodes[node]!.filter((at) => columns[feature]![at]! < threshold);
      nodes[2 * node + 2] = nodes[node]!.filter((at) => columns[feature]![at]! >= threshold);
    }
    const leaves = nodes.slice(inner).map((members, leaf) => {
      let [slope, curvature] = [0, 0];
      for (const at of members) {
        slope += slopes[at]!;
        curvature += curvatures[at]!;
      }
      const value = Number((rate * within(bounds[inner + leaf]!, -slope / (curvature + ridge))).toFixed(4)) + 0;
      for (const at of members) logits[at]! += value;
      return value;
    });
    trees.push([...splits, ...leaves]);
  }
  return trees;
}

/** Values between which a column may be split, ascending: in the middle before and behind each value that a quantile has. */
function thresholdsOf(column: readonly number[]): number[] {
  const sorted = column.toSorted((a, b) => a - b);
  const values = Array.from(new Set(sorted));
  const places = new Map(values.map((value, at) => [value, at]));
  const found = new Set<number>();
  for (let bin = 1; bin < BINS; bin++) {
    const place = places.get(sorted[Math.floor((bin * sorted.length) / BINS)]!)!;
    for (const at of [place, place + 1]) {
      if (at > 0 && at < values.length) found.add(Number(((values[at - 1]! + values[at]!) / 2).toPrecision(4)));
    }
  }
  return Array.from(found).sort((a, b) => a - b);
}

/** How many of the thresholds a value is not below. */
const binOf = (thresholds: readonly number[], value: number): number => {
  let [low, high] = [0, thresholds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value >= thresholds[middle]!) low = middle + 1;
    else high = middle;
  }
  return low;
};

type Bounds = readonly [least: number, most: number];
const within = ([least, most]: Bounds, value: number): number => Math.min(most, Math.max(least, value));

interface SplitState extends Pick<Boosting, "ridge" | "least" | "rising"> {
  readonly bins: readonly Uint8Array[];
  readonly thresholds: readonly (readonly number[])[];
  readonly slopes: Float64Array;
  readonly curvatures: Float64Array;
}

/** The split of a node's rows that lowers the loss most, and the middle between what its sides say; one that leaves all on the
 * right where none does. */
function bestSplit(members: Uint32Array, bounds: Bounds, state: SplitState) {
  const { bins, thresholds, slopes, curvatures, ridge, least, rising } = state;
  let best = { gain: 0, feature: 0, threshold: -1e9, middle: 0 };
  for (const [feature, cuts] of thresholds.entries()) {
    const sums = {
      slope: new Float64Array(2 * BINS),
      curvature: new Float64Array(2 * BINS),
      count: new Uint32Array(2 * BINS),
    };
    const bin = bins[feature]!;
    let [allSlope, allCurvature] = [0, 0];
    for (const at of members) {
      sums.slope[bin[at]!]! += slopes[at]!;
      sums.curvature[bin[at]!]! += curvatures[at]!;
      sums.count[bin[at]!]! += 1;
      allSlope += slopes[at]!;
      allCurvature += curvatures[at]!;
    }
    const side = (slope: number, curvature: number) => {
      const value = within(bounds, -slope / (curvature + ridge));
      return { value, gain: -2 * slope * value - (curvature + ridge) * value ** 2 };
    };
    const whole = side(allSlope, allCurvature).gain;
    let [slope, curvature, count] = [0, 0, 0];
    for (const [at, threshold] of cuts.entries()) {
      slope += sums.slope[at]!;
      curvature += sums.curvature[at]!;
      count += sums.count[at]!;
      if (count < least || members.length - count < least) continue;
      const [below, above] = [side(slope, curvature), side(allSlope - slope, allCurvature - curvature)];
      if (below.value > above.value && rising.includes(feature)) continue;
      const gain = below.gain + above.gain - whole;
      if (gain > best.gain) best = { gain, feature, threshold, middle: (below.value + above.value) / 2 };
    }
  }
  return best;
}
