import { LRUCache } from "lru-cache";

/** The same function, which keeps its results for the `most` arguments that were used last.
 * @param sizeOf as how many an argument counts. Default: one */
export function memoized<K extends object | string, V extends object>(
  compute: (key: K) => V,
  most: number,
  sizeOf: (key: K) => number = () => 1,
) {
  const limits = { maxSize: most, sizeCalculation: (_: V, key: K) => sizeOf(key) };
  const kept = new LRUCache<K, V>({ ...limits, memoMethod: (key) => compute(key) });
  return (key: K): V => kept.memo(key);
}
