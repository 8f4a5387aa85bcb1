import { LRUCache } from "lru-cache";

/**
 * Remembers what `load` found for up to `ttl_ms`, so that a hot path reads a document about once in that time instead
 * of at each request. Callers that come while it is loaded share the load. What is absent is not remembered: it is looked
 * for again. Failures are not remembered either.
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
  const loading = new Map<string, Promise<T | undefined>>();

  async function loadNow(key: string): Promise<T | undefined> {
    const mine = load(key);
    loading.set(key, mine);
    try {
      const found = await mine;
      // Forgotten meanwhile: what was read may be from before the change.
      if (found !== undefined && loading.get(key) === mine) cache.set(key, found);
      return found;
    } finally {
      if (loading.get(key) === mine) loading.delete(key);
    }
  }

  return {
    async get(key) {
      if (ttl_ms === 0) return load(key);
      return cache.get(key) ?? loading.get(key) ?? loadNow(key);
    },
    forget: (key) => {
      cache.delete(key);
      loading.delete(key);
    },
    clear: () => {
      cache.clear();
      loading.clear();
    },
  };
}
