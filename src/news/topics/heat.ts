/** Half-life of an item's weight. A day later an item counts a quarter. */
export const HALF_LIFE_MS = 12 * 3_600_000;

/** One outlet's report of a story. */
export interface Report {
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly published_ms: number;
  /** As how many outlets it counts. Default: 1. */
  readonly weight?: number;
}

/** Heat of a story at an instant:
 *
 *     heat = log2(1 + Σ g(o)) · Σ over outlets o of g(o) · Σ over its items k = 1, 2, … newest first of w(k) / k
 *     w = 2^(−age / half-life)
 *
 * Exponentially decayed counting (Cormode, Shkapenyuk, Srivastava, Xu: Forward Decay, ICDE 2009, section III.A), in
 * which an outlet's k-th item adds 1/k (a feed that repeats itself grows as the logarithm of its items), times the
 * damped number of independent outlets (the log damping of tf weights, Manning, Raghavan, Schütze, section 6.4.1). So
 * a new report never cools a story, one more outlet counts more than one more item, and without news the heat halves
 * every half-life: the order of two stories then stays. An outlet of weight g counts as g outlets.
 * @param now milliseconds since the epoch; an item of the future counts as new
 */
export function heatOf(reports: readonly Report[], now: number): number {
  const outlets = new Map<string, number>();
  let sum = 0;
  let size = 1;
  for (const report of reports.toSorted((a, b) => b.published_ms - a.published_ms)) {
    const { source, weight = 1 } = report;
    const rank = (outlets.get(source) ?? 0) + 1;
    if (rank === 1) size += weight;
    outlets.set(source, rank);
    sum += (weight * 2 ** (-Math.max(0, now - report.published_ms) / HALF_LIFE_MS)) / rank;
  }
  return Math.log2(size) * sum;
}
