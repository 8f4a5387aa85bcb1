import { BoundedLru } from "./bounded-lru.ts";

type Load<T> = (key: string) => Promise<T | undefined>;

/** Caches what `load` returned for up to `ttl_ms`, so that a hot path reads a document about once in that time instead
 * of at each request. Concurrent callers share one load. Neither absent values nor failures are cached.
 * @param ttl_ms how stale a value may be, in milliseconds; 0 disables the cache
 * @param monotonic a monotonic clock in milliseconds that also advances while the process is stopped */
export function createTtlCache<T extends object>(ttl_ms: number, load: Load<T>, monotonic = () => performance.now()) {
  // With a resolution, only a timer reads the clock; a stopped process then handles waiting requests before timers.
  const cache = new BoundedLru<T>(10_000, { ttl: Math.max(1, ttl_ms), ttlResolution: 0, perf: { now: monotonic } });
  const loading = new Map<string, { readonly began: number; readonly found: Promise<T | undefined> }>();

  function loadNow(key: string): Promise<T | undefined> {
    const isCurrent = (): boolean => loading.get(key) === mine;
    const began = monotonic();
    const kept = load(key).then((found) => {
      // Not if the key was evicted meanwhile: the value may be older than the change. Its age counts from the request.
      if (found !== undefined && isCurrent()) cache.set(key, found, { start: began });
      return found;
    });
    const mine = { began, found: kept.finally(() => void (isCurrent() && loading.delete(key))) };
    loading.set(key, mine);
    return mine.found;
  }

  return {
    /** The value if it is cached, without a promise. */
    known: (key: string): T | undefined => (ttl_ms === 0 ? undefined : cache.get(key)),
    /** The value, read at most `ttl_ms` before the call. */
    async get(key: string): Promise<T | undefined> {
      if (ttl_ms === 0) return load(key);
      const known = cache.get(key);
      if (known !== undefined) return known;
      const current = loading.get(key);
      const isFirst = current === undefined || monotonic() - current.began >= ttl_ms;
      // Callers go on in the order in which they came. A value that was absent for an earlier one may exist by now.
      const found = await (isFirst ? loadNow(key) : current.found);
      return found ?? (isFirst ? undefined : loadNow(key));
    },
    /** Evicts a key that this process has just changed. */
    forget(key: string): void {
      cache.delete(key);
      loading.delete(key);
    },
    clear(): void {
      cache.clear();
      loading.clear();
    },
  };
}
