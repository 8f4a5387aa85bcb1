// The repeatable order in which the scripts that make data take their examples.

/** Whole numbers from 0 up to what is asked for (mulberry32). */
export function seededBelow(seed) {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
}

/** A copy in another order (Fisher and Yates). */
export function shuffled(list, below) {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [copy[at], copy[other]] = [copy[other], copy[at]];
  }
  return copy;
}
