import { LRUCache } from "lru-cache";

/** The same function, which keeps its results for the `most` arguments that were used last.
 * @param sizeOf as how many an argument counts. Default: one */
export function memoized<K extends object | string, V extends object>(
  compute: (key: K) => V,
  most: number,
  sizeOf: (key: K) => number = () => 1,
) {
  const kept = new LRUCache<K, V>({ maxSize: most, sizeCalculation: (_, key) => sizeOf(key) });
  return (key: K): V => {
    let found = kept.get(key);
    if (found === undefined) kept.set(key, (found = compute(key)));
    return found;
  };
}
