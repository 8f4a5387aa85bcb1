/** Counts the turns of the event loop until `end`. */
export function countTurns(): { readonly count: () => number; readonly end: () => number } {
  let turns = 0;
  const next = (): void => {
    turns += 1;
    handle = setImmediate(next);
  };
  let handle = setImmediate(next);
  const end = (): number => {
    clearImmediate(handle);
    return turns;
  };
  return { count: () => turns, end };
}
