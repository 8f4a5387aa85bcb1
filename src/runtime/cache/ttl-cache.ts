import { BoundedLru } from "./bounded-lru.ts";

/** Caches what `load` returned for up to `ttl_ms`, so that a hot path reads a document about once in that time instead
 * of at each request. Concurrent callers share one load. Neither absent values nor failures are cached.
 * @param ttl_ms how stale a value may be, in milliseconds; 0 disables the cache
 * @param monotonic a monotonic clock in milliseconds that also advances while the process is stopped */
export function createTtlCache<T extends object>(
  ttl_ms: number,
  load: (key: string) => Promise<T | undefined>,
  monotonic: () => number = () => performance.now(),
) {
  // With a resolution the cache would read the clock only when its timer runs, and a process that was stopped handles
  // waiting requests before its timers.
  const cache = new BoundedLru<T>(10_000, { ttl: Math.max(1, ttl_ms), ttlResolution: 0, perf: { now: monotonic } });
  const loading = new Map<string, { readonly began: number; readonly found: Promise<T | undefined> }>();

  async function loadNow(key: string): Promise<T | undefined> {
    const mine = { began: monotonic(), found: load(key) };
    loading.set(key, mine);
    try {
      const found = await mine.found;
      // Not if the key was evicted meanwhile: the value may be older than the change. Its age counts from the request.
      if (found !== undefined && loading.get(key) === mine) cache.set(key, found, { start: mine.began });
      return found;
    } finally {
      if (loading.get(key) === mine) loading.delete(key);
    }
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
      if (current === undefined || monotonic() - current.began >= ttl_ms) return loadNow(key);
      // A value that was absent for an earlier caller may exist by now.
      return (await current.found) ?? loadNow(key);
    },
    /** Evicts a key that this process has just changed. */
    forget(key: string): void {
      cache.delete(key);
      loading.delete(key);
    },
    /** Evicts everything. */
    clear(): void {
      cache.clear();
      loading.clear();
    },
  };
}
