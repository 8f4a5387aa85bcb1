import { LRUCache } from "lru-cache";

/** Memoizes a function for the `most` recently used arguments.
 * @param sizeOf how many arguments one counts as. Default: 1 */
export function memoized<K extends object | string, V extends object>(
  compute: (key: K) => V,
  maxSize: number,
  sizeOf: (key: K) => number = () => 1,
) {
  const kept = new LRUCache<K, V>({ maxSize, sizeCalculation: (_, key) => sizeOf(key) });
  return (key: K): V => {
    let found = kept.get(key);
    if (found === undefined) kept.set(key, (found = compute(key)));
    return found;
  };
}
