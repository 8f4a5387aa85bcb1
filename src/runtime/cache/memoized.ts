import { LRUCache } from "lru-cache";

/** Memoizes a function for the most recently used `maxSize` arguments. Each counts as `sizeOf`, by default 1. */
export function memoized<K extends object | string, V extends object>(
  compute: (key: K) => V,
  maxSize: number,
  sizeOf: (key: K) => number = () => 1,
) {
  const sizeCalculation = (_value: V, key: K): number => sizeOf(key);
  const kept = new LRUCache<K, V>({ maxSize, sizeCalculation, memoMethod: (key) => compute(key) });
  return (key: K): V => kept.memo(key);
}
