/** Lets few callers continue in one turn of the event loop, in the order in which they came; the others wait for theirs.
 * @param most how many in a turn
 * @example
 * const turn = createPace(16);
 * await turn();
 */
export function createPace(most: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  function next(): void {
    for (const go of waiting.splice(0, most)) go();
    if (waiting.length > 0) setImmediate(next);
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}
