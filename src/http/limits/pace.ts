import { setImmediate } from "node:timers/promises";

/** Lets at most `batchSize` callers continue per turn of the event loop, first come first served; the others wait.
 * @returns waits for the caller's turn, and resolves to the waiting time in ms */
export function createPace(batchSize: number): () => Promise<number> {
  let turn = Promise.resolve();
  let callers = 0;
  return async () => {
    const since = performance.now();
    if (callers++ % batchSize === 0) turn = turn.then(() => setImmediate());
    await turn;
    return performance.now() - since;
  };
}
