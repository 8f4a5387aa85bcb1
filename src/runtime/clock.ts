/** A day, ms. */
export const DAY_MS = 86_400_000;

/** The one source of time. All code reads it, so a run with a fixed `--now` is repeatable. */
export interface Clock {
  now(): number; // Milliseconds since the Unix epoch.
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that shows one instant until it is set.
 * @param start milliseconds since the Unix epoch */
export function fixedClock(start: number): Clock & { set(ms: number): void; advance(ms: number): void } {
  let at = start;
  return { now: () => at, set: (ms) => void (at = ms), advance: (ms) => void (at += ms) };
}

/** ISO 8601 in UTC with milliseconds, as `2026-11-20T00:00:00.000Z`. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** Minutes east of UTC of an offset such as `+08:00`, `-03:30` or `Z`; undefined for any other text. */
export function offsetMinutes(timezone: string): number | undefined {
  if (timezone === "Z") return 0;
  const [, sign, hours, rest] = /^([+-])(\d\d):([0-5]\d)$/.exec(timezone) ?? [];
  const minutes = Number(hours) * 60 + Number(rest);
  if (sign === undefined || minutes > 14 * 60) return undefined;
  return sign === "-" ? -minutes : minutes;
}
