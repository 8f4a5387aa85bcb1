import type { Vector } from "./features.ts";

/** Cost of a margin violation, maximum passes over the examples, and weight of an example of the (rarer) class. */
const TRAINING = { cost: 0.5, epochs: 6, positive: 3 };

/** One-vs-rest linear SVMs, squared hinge loss, by dual coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi &
 * Sundararajan, ICML 2008). Deterministic. @returns one row per class: one weight per feature, then the bias */
export function trainLinear(vectors: readonly Vector[], labels: Int32Array, classes: number, features: number) {
  const { cost, epochs, positive } = TRAINING;
  const count = vectors.length;
  const weights = Array.from({ length: classes }, () => new Float32Array(features + 1));
  const squares = vectors.map(({ weights: values }) => values.reduce((sum, value) => sum + value * value, 1));
  const order = visitOrder(count);
  const alpha = new Float64Array(count);
  for (let label = 0; label < classes; label++) {
    const weight = weights[label]!;
    alpha.fill(0);
    let active = order;
    for (let epoch = 0; epoch < epochs && active.length > 0; epoch++) {
      const kept: number[] = [];
      let moved = 0;
      for (const at of active) {
        const vector = vectors[at]!;
        const sign = labels[at] === label ? 1 : -1;
        const diagonal = 1 / (2 * cost * (sign > 0 ? positive : 1));
        const before = alpha[at]!;
        const gradient = sign * marginOf(weight, vector) - 1 + diagonal * before;
        // Shrinking: an example far on its correct side is skipped from now on; it rarely becomes active again.
        if (before === 0 && gradient >= 0) continue;
        kept.push(at);
        const after = Math.max(0, before - gradient / (squares[at]! + diagonal));
        const step = (after - before) * sign;
        if (step === 0) continue;
        alpha[at] = after;
        moved = Math.max(moved, Math.abs(step));
        for (let i = 0; i < vector.ids.length; i++) weight[vector.ids[i]!]! += step * vector.weights[i]!;
        weight[features]! += step;
      }
      active = Int32Array.from(kept);
      if (moved < 0.01) break;
    }
  }
  return weights;
}

/** The margin of a class for a vector, from its row of weights. */
export function marginOf(weight: Float32Array, { ids, weights: values }: Vector): number {
  let margin = weight[weight.length - 1]!;
  for (let i = 0; i < ids.length; i++) margin += weight[ids[i]!]! * values[i]!;
  return margin;
}

/** A fixed shuffle: a stride coprime to the count visits everything once. */
function visitOrder(count: number): Int32Array {
  let stride = Math.max(1, Math.floor(count * 0.6180339887));
  while (gcd(stride, count) !== 1) stride++;
  return Int32Array.from({ length: count }, (_, at) => (at * stride) % count);
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
