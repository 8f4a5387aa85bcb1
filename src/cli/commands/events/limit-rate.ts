import { setTimeout as delay } from "node:timers/promises";

const LEAST_WAIT_MS = 5; // Shorter waits are postponed until they add up, ms: timers are no more precise.
const MOST_BEHIND_MS = 1000; // After the source or the target stalled, at most this much time is caught up, ms.

/** The items of a source, evenly spaced, at most `perSecond` of them a second. @param signal ends a wait early */
export async function* limitRate<T>(
  source: AsyncIterable<Iterable<T>>,
  perSecond: number,
  signal: AbortSignal,
): AsyncGenerator<[T]> {
  const step = 1000 / perSecond;
  let due = performance.now();
  for await (const group of source) {
    for (const item of group) {
      yield [item];
      due = Math.max(due + step, performance.now() - MOST_BEHIND_MS);
      const wait = due - performance.now();
      if (wait < LEAST_WAIT_MS || signal.aborted) continue;
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}
