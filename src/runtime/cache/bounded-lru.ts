import { LRUCache } from "lru-cache";

/** An LRU cache that allocates memory as it fills; with `max`, lru-cache allocates for all entries at the start. */
export class BoundedLru<V extends object | number | boolean> extends LRUCache<string, V> {
  constructor(entries: number, options?: Omit<LRUCache.OptionsBase<string, V, unknown>, "max" | "maxSize">) {
    super({ ...options, maxSize: entries, sizeCalculation: () => 1 });
  }
}
