import { LRUCache } from "lru-cache";

/**
 * Remembers what `load` found for up to `ttl_ms`, so that a hot path reads a document about once in that time instead
 * of at each request. What is absent is not remembered: it is looked for again. Failures are not remembered either.
 */
export interface FreshCache<T> {
  get(key: string): Promise<T | undefined>;
  /** Forgets a key that this process has just changed. */
  forget(key: string): void;
  /** Forgets everything. */
  clear(): void;
}

/** @param ttl_ms how stale a value may be, in milliseconds of the monotonic clock; 0 remembers nothing */
export function createFreshCache<T extends object>(
  ttl_ms: number,
  load: (key: string) => Promise<T | undefined>,
): FreshCache<T> {
  const ttl = Math.max(1, ttl_ms);
  const cache = new LRUCache<string, T>({ max: 10_000, ttl, ttlResolution: ttl / 20 });
  return {
    async get(key) {
      const known = cache.get(key);
      if (known !== undefined) return known;
      const found = await load(key);
      if (found !== undefined && ttl_ms > 0) cache.set(key, found);
      return found;
    },
    forget: (key) => void cache.delete(key),
    clear: () => {
      cache.clear();
    },
  };
}
