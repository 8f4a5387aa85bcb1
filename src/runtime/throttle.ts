/** Says something that may happen very often: at once the first time, then as often as `every_ms` with how often it was. */
export interface Throttle {
  /** It has happened. */
  note(): void;
  /** Says what has not been said yet, and nothing more. */
  stop(): void;
}

/** @param say called with the number of times since it was last called */
export function createThrottle(every_ms: number, say: (times: number) => void): Throttle {
  let times = 0;
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    if (times === 0) return;
    const told = times;
    times = 0;
    timer = setTimeout(tell, every_ms).unref();
    say(told);
  }

  return {
    note() {
      times++;
      if (timer === undefined) tell();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      if (times > 0) say(times);
      times = 0;
    },
  };
}
