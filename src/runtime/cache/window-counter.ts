import { BoundedLru } from "./bounded-lru.ts";

const CALLERS = 50_000; // Bound of the callers that are counted: addresses are easy to change.

/** Counts callers in windows of `window_ms`, each from its caller's first call on: how often it came in the current
 * one, and how long that still lasts, ms; `by` 0 only looks. Beyond a bound, the least recently seen one is forgotten. */
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
