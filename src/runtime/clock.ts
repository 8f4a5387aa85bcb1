/** A day, ms. */
export const DAY_MS = 86_400_000;

/** The one source of time. All code reads it, so a run with a fixed `--now` is repeatable. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that shows one instant until it is set.
 * @param start milliseconds since the Unix epoch */
export function fixedClock(start: number): Clock & { set(ms: number): void; advance(ms: number): void } {
  let at = start;
  return { now: () => at, set: (ms) => void (at = ms), advance: (ms) => void (at += ms) };
}

/** ISO 8601 in UTC with milliseconds, as `2026-11-20T00:00:00.000Z`. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
