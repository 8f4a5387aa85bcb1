import { LRUCache } from "lru-cache";

/** The same function, which keeps its results for the `most` arguments that were used last. */
export function memoized<K extends object | string, V extends object>(compute: (key: K) => V, most: number) {
  const kept = new LRUCache<K, V>({ max: most, memoMethod: (key) => compute(key) });
  return (key: K): V => kept.memo(key);
}
