/** One thing that happened at a place in the ledger's order, and when it can have happened. */
export interface Placed {
  readonly what: string;
  /** Entry n is at n; a reading that saw n entries is between n and n + 1. */
  readonly place: number;
  readonly from: number;
  readonly to: number;
}

/** What was over before something else began must not come after it. */
export function checkOrder(placed: readonly Placed[]): string[] {
  const wrong: string[] = [];
  const ended = [...placed].sort((a, b) => a.to - b.to);
  const begun = [...placed].sort((a, b) => a.from - b.from);
  let furthest: Placed | undefined;
  let next = 0;
  for (const one of begun) {
    for (; next < ended.length && ended[next]!.to < one.from; next++) {
      if (furthest === undefined || ended[next]!.place > furthest.place) furthest = ended[next];
    }
    if (furthest !== undefined && furthest.place > one.place) {
      wrong.push(`${one.what} at ${one.place} was asked after ${furthest.what} at ${furthest.place} had been answered`);
    }
  }
  return wrong;
}

/**
 * Between which entries something can have happened that is not in the ledger, by what was over before it began and
 * what began after it was over.
 */
export function createReach(
  placed: readonly Placed[],
): (from: number, to: number) => { earliest: number; latest: number } {
  const ended = [...placed].sort((a, b) => a.to - b.to);
  const begun = [...placed].sort((a, b) => a.from - b.from);
  /** The furthest place among the first n that ended, and the nearest among those that began from the n-th on. */
  const furthest: number[] = [0];
  for (const [at, { place }] of ended.entries()) furthest.push(Math.max(furthest[at]!, place));
  const nearest: number[] = Array<number>(begun.length + 1).fill(Infinity);
  for (let at = begun.length - 1; at >= 0; at--) nearest[at] = Math.min(nearest[at + 1]!, begun[at]!.place);
  return (from, to) => ({
    earliest: Math.floor(furthest[firstAt(ended, (one) => one.to >= from)]!),
    latest: Math.ceil(nearest[firstAt(begun, (one) => one.from > to)]!) - 1,
  });
}

/** The first position whose element fulfils a condition that all later ones fulfil too. */
function firstAt<T>(sorted: readonly T[], fulfils: (element: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fulfils(sorted[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
