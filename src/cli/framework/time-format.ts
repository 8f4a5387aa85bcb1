import { isDay } from "./param.ts";

/** Times as people read and type them. Machine formats keep ISO 8601. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS } as const;

/** An instant in the machine's own time zone, to the second: `2026-11-20 08:00:00`. */
export function showLocal(iso: string): string {
  // Swedish writes a time as ISO 8601 does, with a blank.
  return new Date(iso).toLocaleString("sv");
}

/** When a quota is reset, in local time, and how long that is: `2026-11-21 00:00:00 (in 3 h 12 min)`. */
export function showReset(iso: string, now: number): string {
  const left = Date.parse(iso) - now;
  return `${showLocal(iso)} (${left > 0 ? `in ${showSpan(left)}` : "now"})`;
}

/** How long ago an instant was, in the largest unit that is full: `3 h ago`; `now` within a second. */
export function showAge(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (ms < -SECOND_MS) return `in ${showSpan(-ms)}`;
  if (ms < SECOND_MS) return "now";
  return `${showSpan(ms).split(" ").slice(0, 2).join(" ")} ago`;
}

/** A span of time in its two largest units: `3 h 12 min`, `42 s`. */
export function showSpan(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  const [days, hours, minutes] = [ms / DAY_MS, (ms / HOUR_MS) % 24, (ms / MINUTE_MS) % 60].map(Math.floor);
  const parts = [`${days} d`, `${hours} h`, `${minutes} min`].slice(days === 0 ? 1 : 0);
  const [first, second] = parts.filter((part, index) => index < 2 && !part.startsWith("0 "));
  return second === undefined ? first! : `${first} ${second}`;
}

/** An instant that may depend on the present one, both ms since the epoch. */
export type When = (now: number) => number;

/** The first instant of a range: of a day, its start. */
export const since = (typed: string): When => when(typed, "start");

/** The last instant of a range: of a day, its end. */
export const until = (typed: string): When => when(typed, "end");

/** `2h` or `3d` before now, a day or an instant; one without an offset is in the machine's own time zone. */
function when(typed: string, edge: "start" | "end"): When {
  const text = typed.trim();
  const [, count, unit] = /^(\d{1,6})\s*([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return (now) => now - Number(count) * UNITS[unit as keyof typeof UNITS];
  const [, day, time, offset] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const at = day === undefined || !isDay(day) ? NaN : Date.parse(`${day}T${time ?? "00:00"}${offset ?? ""}`);
  if (Number.isNaN(at)) {
    throw new RangeError(`must be a day, an ISO 8601 instant, or a time ago as 2h or 3d, not ${JSON.stringify(typed)}`);
  }
  if (time !== undefined || edge === "start") return () => at;
  const next = new Date(at);
  next.setDate(next.getDate() + 1);
  return () => next.getTime() - 1;
}
