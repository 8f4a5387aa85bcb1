/** The one source of time. Everything that asks "when" asks a clock, so a run with a fixed `--now` repeats. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * A clock that stands still at one instant until it is set.
 *
 * @param start milliseconds since the Unix epoch
 */
export function fixedClock(start: number): Clock & { set(ms: number): void; advance(ms: number): void } {
  let at = start;
  return {
    now: () => at,
    set: (ms) => {
      at = ms;
    },
    advance: (ms) => {
      at += ms;
    },
  };
}

/** ISO 8601 in UTC with milliseconds, as `2026-11-20T00:00:00.000Z`. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
