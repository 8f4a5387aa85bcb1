/** A linear model of the logarithm of the odds. */
export interface LogisticModel {
  readonly intercept: number;
  readonly weights: readonly number[];
}

/** A row to fit on: its values, whether it is positive, and how much it counts. */
export interface FittedRow {
  readonly values: readonly number[];
  readonly isPositive: boolean;
  readonly weight: number;
}

const STEPS = 12;

/** Logistic regression with a ridge penalty on standardised values, by Newton's method (iteratively reweighted least
 * squares). @param ridge penalty as a share of the rows' weight */
export function fitLogistic(rows: readonly FittedRow[], ridge: number): LogisticModel {
  const columns = rows[0]!.values.map((_, at) => rows.map(({ values }) => values[at]!));
  const means = columns.map((column) => column.reduce((sum, x) => sum + x, 0) / column.length);
  const spreads = columns.map(
    (column, at) => Math.sqrt(column.reduce((sum, x) => sum + (x - means[at]!) ** 2, 0) / column.length) || 1,
  );
  const standard = rows.map(({ values }) => [1, ...values.map((x, at) => (x - means[at]!) / spreads[at]!)]);
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  let weights = [0, ...means.map(() => 0)];
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight, at) => (at === 0 ? 0 : ridge * weight));
    const curvature = weights.map((_, a) => weights.map((__, b) => (a === b ? (a === 0 ? 1e-9 : ridge) : 0)));
    for (const [i, row] of standard.entries()) {
      const { isPositive, weight } = rows[i]!;
      const chance = sigmoid(dot(weights, row));
      const [error, spread] = [chance - (isPositive ? 1 : 0), chance * (1 - chance)];
      for (const [a, x] of row.entries()) {
        slope[a]! += (weight / total) * error * x;
        for (let b = 0; b <= a; b++) curvature[a]![b]! += (weight / total) * spread * x * row[b]!;
      }
    }
    for (const [a, row] of curvature.entries()) for (let b = 0; b < a; b++) curvature[b]![a] = row[b]!;
    const change = solve(curvature, slope);
    weights = weights.map((weight, at) => weight - change[at]!);
  }
  const [intercept = 0, ...slopes] = weights;
  const raw = slopes.map((slope, at) => slope / spreads[at]!);
  return { intercept: intercept - dot(raw, means), weights: raw };
}

/** The logarithm of the estimated odds. */
export const linearLogitOf = ({ intercept, weights }: LogisticModel, values: readonly number[]): number =>
  intercept + dot(weights, values);

/** Probability that a positive case gets more than a negative one (area under the ROC curve). */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  const wins = positives.flatMap((p) => negatives.map((n): number => (p > n ? 1 : p === n ? 0.5 : 0)));
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}

/** Share of the positives above what a share of the negatives reaches. */
export function shareAbove(positives: readonly number[], negatives: readonly number[], falsely: number): number {
  const least = negatives.toSorted((a, b) => b - a)[Math.floor(negatives.length * falsely)]!;
  return positives.filter((value) => value > least).length / positives.length;
}

/** The solution of a symmetric, positive system, by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  for (const [at, pivot] of rows.entries()) {
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = row[at]! / pivot[at]!;
      for (let column = at; column < row.length; column++) row[column]! -= factor * pivot[column]!;
    }
  }
  return rows.map((row, at) => row.at(-1)! / row[at]!);
}

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (const [at, x] of a.entries()) sum += x * b[at]!;
  return sum;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
