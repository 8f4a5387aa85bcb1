import { createWindowCounter } from "./cache/window-counter.ts";

/** Whether another line may be logged, of at most 100 a second. */
export function createLineLimit(): () => boolean {
  const count = createWindowCounter(1000);
  return () => count("").times <= 100;
}

/** Reports something that may happen very often: the first time at once, then at most every `every_ms` with a count.
 * @param report called with the number of occurrences since the last call, and what was noted last */
export function createThrottle<T = void>(every_ms: number, report: (times: number, last: T) => void) {
  let times = 0;
  let last: T;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (times === 0) return;
    const count = times;
    times = 0;
    timer = setTimeout(flush, every_ms).unref();
    report(count, last);
  }

  return {
    note(what: T): void {
      times++;
      last = what;
      if (timer === undefined) flush();
    },
    /** Reports what was not reported yet, and ends the timer. */
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
      if (times > 0) report(times, last);
      times = 0;
    },
  };
}
