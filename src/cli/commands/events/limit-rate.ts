import { setTimeout as delay } from "node:timers/promises";

/** Waits shorter than this are put off until they add up, ms: a timer is not finer. */
const LEAST_WAIT_MS = 5;
/** A source or a target that stood still is not made up for beyond this, ms. */
const MOST_BEHIND_MS = 1000;

/**
 * The items of a source, at most `perSecond` of them a second, evenly.
 *
 * @param signal ends a wait; the source ends itself
 */
export async function* paced<T>(source: AsyncIterable<T>, perSecond: number, signal: AbortSignal): AsyncGenerator<T> {
  const step = 1000 / perSecond;
  let due = performance.now();
  for await (const item of source) {
    yield item;
    due = Math.max(due + step, performance.now() - MOST_BEHIND_MS);
    const wait = due - performance.now();
    if (wait < LEAST_WAIT_MS || signal.aborted) continue;
    await delay(wait, undefined, { signal }).catch(() => undefined);
  }
}
