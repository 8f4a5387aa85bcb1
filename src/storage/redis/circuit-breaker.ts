/** The most domains remembered: each is a user of a lost node. */
const MAX_DOMAINS = 10_000;

/**
 * A circuit breaker for each failure domain, so that queued callers do not each wait for a domain that does not answer.
 * After a failed call, the next one is let through once as much time has passed as the failed call took.
 *
 * @param minOutageMs how long a domain must have failed before callers are spared the wait
 */
export function createCircuitBreaker(minOutageMs: number) {
  const outages = new Map<string, { readonly since: number; tryAt: number; error: Error }>();
  return {
    /** Why the domain should not be called now; undefined when it is up, or when this caller, and no other, should try. */
    errorOf(domain: string): Error | undefined {
      const outage = outages.get(domain);
      const now = performance.now();
      if (outage === undefined || now - outage.since < minOutageMs) return undefined;
      if (now < outage.tryAt) return outage.error;
      // Other callers do not wait meanwhile.
      outage.tryAt = now + 2 * minOutageMs;
      return undefined;
    },
    /** A call on the domain failed. @param began when it began, as `performance.now()` counts */
    failed(domain: string, error: Error, began: number): void {
      const now = performance.now();
      if (outages.size >= MAX_DOMAINS) outages.clear();
      outages.set(domain, { since: outages.get(domain)?.since ?? began, tryAt: now + (now - began), error });
    },
    answered(domain: string): void {
      if (outages.size > 0) outages.delete(domain);
    },
    /** Every domain should be tried again. */
    reset(): void {
      outages.clear();
    },
  };
}
