import { setImmediate } from "node:timers/promises";

/** Lets `most` callers continue in one turn of the event loop, in the order in which they came; the others wait.
 * @returns waits for a turn, and resolves to the time that it took, ms */
export function createPace(most: number): () => Promise<number> {
  let turn = Promise.resolve();
  let callers = 0;
  return async () => {
    const since = performance.now();
    if (callers++ % most === 0) turn = turn.then(() => setImmediate());
    await turn;
    return performance.now() - since;
  };
}
