import { setImmediate } from "node:timers/promises";

/** Lets other work of the process run during a long computation. It counts steps, so results do not depend on timing. */
export interface EventLoopYield {
  /** To be called after each step; waits for the event loop to turn every so many steps. */
  step(): Promise<void> | undefined;
}

/** @param every steps between two turns of the event loop */
export function createEventLoopYield(every: number): EventLoopYield {
  let steps = 0;
  return {
    step() {
      steps += 1;
      return steps % every === 0 ? setImmediate() : undefined;
    },
  };
}
