export const DAY_MS = 86_400_000;

/** The one source of time. All code reads it, so a run with a fixed `--now` is repeatable. */
export type Clock = { now(): number }; // Milliseconds since the Unix epoch.

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that shows one instant, `start` in ms since the Unix epoch, until it is set. */
export function fixedClock(start: number): Clock & { set(ms: number): void; advance(ms: number): void } {
  let at = start;
  return { now: () => at, set: (ms) => void (at = ms), advance: (ms) => void (at += ms) };
}

/** ISO 8601 in UTC with milliseconds, as `2026-11-20T00:00:00.000Z`. */
export const toIso = (ms: number): string => new Date(ms).toISOString();

/** The same; null for no time. */
export const toIsoOrNull = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : toIso(ms));

/** The UTC day of an instant, as `2026-11-20`. */
export const utcDay = (ms: number): string => toIso(ms).slice(0, 10);

/** Whether the text is a day of the calendar, as `2026-11-20`: Date.parse reads February 30 as March 2. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  return !Number.isNaN(ms) && utcDay(ms) === text;
}

/** The UTC days from the one of `from` to the one of `to` (both in milliseconds), in order. */
export function daysBetween(from: number, to: number): string[] {
  const days: string[] = [];
  for (let ms = Math.floor(from / DAY_MS) * DAY_MS; ms <= to; ms += DAY_MS) days.push(utcDay(ms));
  return days;
}

/** Minutes east of UTC of an offset such as `+08:00`, `-03:30` or `Z`; undefined for any other text. */
export function offsetMinutes(timezone: string): number | undefined {
  if (timezone === "Z") return 0;
  const [, sign, hours, rest] = /^([+-])(\d\d):([0-5]\d)$/.exec(timezone) ?? [];
  const minutes = Number(hours) * 60 + Number(rest);
  if (sign === undefined || minutes > 14 * 60) return undefined;
  return sign === "-" ? -minutes : minutes;
}
