import { BoundedLru } from "./bounded-lru.ts";

/** Bound of the callers that are counted: addresses are easy to change. */
const CALLERS = 50_000;

/** How often a caller came in the current window, and how long that window still lasts, ms. */
export interface Counted {
  readonly times: number;
  readonly left_ms: number;
}

/**
 * Counts callers in windows of `window_ms`, each from its caller's first call on. Beyond a bound, the least recently seen one
 * is forgotten.
 */
export function createWindowCounter(window_ms: number): (caller: string) => Counted {
  const windows = new BoundedLru<{ times: number; readonly ends: number }>(CALLERS);
  return (caller) => {
    const now = performance.now();
    let window = windows.get(caller);
    if (window === undefined || window.ends <= now) {
      window = { times: 0, ends: now + window_ms };
      windows.set(caller, window);
    }
    window.times++;
    return { times: window.times, left_ms: window.ends - now };
  };
}
