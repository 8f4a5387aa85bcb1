const HOUR_MS = 3_600_000;
/** Half-life of an item's weight. A day later an item counts a quarter. */
export const HALF_LIFE_MS = 12 * HOUR_MS;
/** Relative change within an hour that makes a trend. Without a report the heat falls by 5.6% in an hour. */
const CHANGE = 0.05;

/** One outlet's report of a story. */
export interface Report {
  readonly source: string;
  readonly published_ms: number; // Milliseconds since the epoch.
  readonly weight?: number; // The number of outlets that it counts as. Default: 1.
}

/** Heat of a story at an instant:
 *
 *     heat = log2(1 + Σ g(o)) · Σ over outlets o of g(o) · Σ over its items k = 1, 2, … newest first of w(k) / k
 *     w = 2^(−age / half-life)
 *
 * The first factor is the breadth: distinct outlets, log-damped as tf weights are (Manning, Raghavan, Schütze, 6.4.1). The
 * sum is recency and velocity in one: exponentially decayed counting (Cormode, Shkapenyuk, Srivastava, Xu: Forward Decay,
 * ICDE 2009, III.A), in which an outlet's k-th item adds 1/k. A new report never cools a story, one more outlet counts more
 * than one more item, and without news the order of two stories stays. An outlet of weight g counts as g outlets.
 * @param now milliseconds since the epoch; an item of the future counts as new */
export function heatOf(reports: readonly Report[], now: number): number {
  const outlets = new Map<string, number>();
  let sum = 0;
  let size = 1;
  for (const report of reports.toSorted(newerFirst)) {
    const { source, weight = 1 } = report;
    const rank = (outlets.get(source) ?? 0) + 1;
    if (rank === 1) size += weight;
    outlets.set(source, rank);
    sum += (weight * 2 ** (-Math.max(0, now - report.published_ms) / HALF_LIFE_MS)) / rank;
  }
  return Math.log2(size) * sum;
}

const newerFirst = (a: Report, b: Report): number => b.published_ms - a.published_ms;

/** The trend of a story's heat against an hour before: `rising` or `falling` when it is over 5% higher or lower. */
export const trendAt = ({ rising_ms, steady_ms }: Readonly<ReturnType<typeof trendEnds>>, now: number) =>
  now < rising_ms ? "rising" : now < steady_ms ? "steady" : "falling";

/** The times until which a story without another report is rising, and not falling, ms since the epoch, as is `now`.
 * The ratio of the heat to that of an hour before changes only when a report becomes an hour old. */
export function trendEnds(reports: readonly Report[], now: number) {
  if (reports.length === 0) return { rising_ms: -Infinity, steady_ms: Infinity };
  const sorted = reports.toSorted(newerFirst);
  return { rising_ms: endOf(sorted, now, 1 + CHANGE), steady_ms: endOf(sorted, now, 1 - CHANGE) };
}

/** The time when the heat of an hour before, times `most`, reaches the current heat. @param reports newest first */
function endOf(reports: readonly Report[], now: number, most: number): number {
  const heat = heatOf(reports, now);
  let [low, high] = [0, reports.length - 1]; // Positions, counted from the oldest.
  while (low < high) {
    const middle = (low + high) >> 1;
    let from = reports.length - 1 - middle;
    while (from > 0 && reports[from - 1]!.published_ms === reports[from]!.published_ms) from--;
    const past = heatOf(reports.slice(from), now) * 2 ** (HOUR_MS / HALF_LIFE_MS);
    if (heat <= most * past) high = middle;
    else low = middle + 1;
  }
  return reports[reports.length - 1 - low]!.published_ms + HOUR_MS;
}
