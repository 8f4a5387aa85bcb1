/** Places remembered at most: each is a user of a lost node. */
const MOST = 10_000;

/**
 * Remembers what does not answer, so that a line of callers does not wait for it one after the other: after one has
 * waited in vain, the next is to try as long after as that took.
 */
export interface Outages {
  /** Why it is no use to wait for the place now; undefined when it is to be asked, by this caller alone for now. */
  of(place: string): Error | undefined;
  /** A call on the place ended in vain. @param began when it began, as `performance.now()` counts */
  failed(place: string, why: Error, began: number): void;
  answered(place: string): void;
  /** Everything is to be asked again. */
  forget(): void;
}

/** @param lasting how long a place has to be away, ms, before callers are spared the wait */
export function createOutages(lasting: number): Outages {
  const outages = new Map<string, { readonly since: number; askAt: number; why: Error }>();
  return {
    of(place) {
      const outage = outages.get(place);
      const now = performance.now();
      if (outage === undefined || now - outage.since < lasting) return undefined;
      if (now < outage.askAt) return outage.why;
      // Whoever comes meanwhile need not wait for what this caller finds out.
      outage.askAt = now + 2 * lasting;
      return undefined;
    },
    failed(place, why, began) {
      const now = performance.now();
      if (outages.size >= MOST) outages.clear();
      outages.set(place, { since: outages.get(place)?.since ?? began, askAt: now + (now - began), why });
    },
    answered(place) {
      if (outages.size > 0) outages.delete(place);
    },
    forget: () => {
      outages.clear();
    },
  };
}
