/** Lets few callers continue in one turn of the event loop, in the order in which they came; the others wait for theirs.
 * @param most how many in a turn
 * @returns waits for a turn, and resolves to the time that it took, ms
 * @example
 * const turn = createPace(64);
 * const waited = await turn();
 */
export function createPace(most: number): () => Promise<number> {
  const waiting: (() => void)[] = [];
  function next(): void {
    for (const go of waiting.splice(0, most)) go();
    if (waiting.length > 0) setImmediate(next);
  }
  return async () => {
    const since = performance.now();
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
    return performance.now() - since;
  };
}
