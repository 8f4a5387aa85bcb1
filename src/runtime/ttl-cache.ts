import { LRUCache } from "lru-cache";

/**
 * Remembers what `load` found for up to `ttl_ms`, so that a hot path reads a document about once in that time instead
 * of at each request. Callers that come while it is loaded share the load. What is absent is not remembered: it is looked
 * for again. Failures are not remembered either.
 */
export interface TtlCache<T> {
  /** What was there at most `ttl_ms` before the call. */
  get(key: string): Promise<T | undefined>;
  /** Forgets a key that this process has just changed. */
  forget(key: string): void;
  /** Forgets everything. */
  clear(): void;
}

interface Load<T> {
  readonly began: number;
  readonly found: Promise<T | undefined>;
}

/**
 * @param ttl_ms how stale a value may be, in milliseconds; 0 remembers nothing
 * @param monotonic milliseconds that only grow, also while the process is stopped
 */
export function createTtlCache<T extends object>(
  ttl_ms: number,
  load: (key: string) => Promise<T | undefined>,
  monotonic: () => number = () => performance.now(),
): TtlCache<T> {
  // Without a resolution of its own: that would be a time kept until a timer runs, and a process that was stopped
  // answers what came meanwhile before its timers do.
  const cache = new LRUCache<string, T>({
    max: 10_000,
    ttl: Math.max(1, ttl_ms),
    ttlResolution: 0,
    perf: { now: monotonic },
  });
  const loading = new Map<string, Load<T>>();

  async function loadNow(key: string): Promise<T | undefined> {
    const mine: Load<T> = { began: monotonic(), found: load(key) };
    loading.set(key, mine);
    try {
      const found = await mine.found;
      // Forgotten meanwhile: what was read may be from before the change. Its age counts from when it was asked for.
      if (found !== undefined && loading.get(key) === mine) cache.set(key, found, { start: mine.began });
      return found;
    } finally {
      if (loading.get(key) === mine) loading.delete(key);
    }
  }

  return {
    async get(key) {
      if (ttl_ms === 0) return load(key);
      const known = cache.get(key);
      if (known !== undefined) return known;
      const current = loading.get(key);
      if (current === undefined || monotonic() - current.began >= ttl_ms) return loadNow(key);
      // What was not there when others asked may be there by now.
      return (await current.found) ?? loadNow(key);
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
