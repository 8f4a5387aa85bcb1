import { BoundedLru } from "./bounded-lru.ts";

const CALLERS = 50_000; // Most callers that are counted: addresses are easy to change.

/** Counts calls per caller in fixed windows of `window_ms`, which begin with a caller's first call. Returns the count in
 * the current window and its remaining ms; `by` 0 only reads. The least recent callers are evicted. */
export function createWindowCounter(window_ms: number) {
  const windows = new BoundedLru<{ times: number; readonly ends: number }>(CALLERS);
  return (caller: string, by = 1): { readonly times: number; readonly left_ms: number } => {
    const now = performance.now();
    const last = windows.get(caller);
    const window = last !== undefined && last.ends > now ? last : { times: 0, ends: now + window_ms };
    if (window !== last) windows.set(caller, window);
    window.times += by;
    return { times: window.times, left_ms: window.ends - now };
  };
}
