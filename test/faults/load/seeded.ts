/** Repeatable choices: the same seed gives the same run of them on every machine. */
export interface Seeded {
  /** A number from 0 to below 1. */
  next(): number;
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
}

/** FNV-1a of the seed starts a mulberry32. */
export function seeded(...seed: readonly (string | number)[]): Seeded {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(seed.join(" "))) state = Math.imul(state ^ byte, 0x01000193);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { next, below, pick: (items) => items[below(items.length)]!, chance: (probability) => next() < probability };
}
