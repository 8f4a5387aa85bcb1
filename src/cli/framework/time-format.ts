import { DAY_MS, isDay, offsetMinutes, toIso, utcDay } from "../../runtime/clock.ts";
import { invalidValue } from "../../runtime/text/describe-value.ts";

/** Times as people read and type them. Machine formats keep ISO 8601. */

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS } as const;

/** An instant in a zone, an offset such as `+08:00`, to the second: `2026-11-20 08:00:00`. */
export const showTime = (iso: string, zone: string): string =>
  toIso(Date.parse(iso) + shiftOf(zone))
    .slice(0, 19)
    .replace("T", " ");

/** The same with the zone, `2026-11-20 08:00:00 +08:00`; `-` for none. */
export const showTimeIn = (zone: string) => (iso: string | null) =>
  iso === null ? "-" : `${showTime(iso, zone)} ${zone}`;

/** An instant to the second, in UTC. */
export const showInstant = (iso: string | null) =>
  iso === null ? "-" : iso.replace("T", " ").replace(/(\.\d+)?Z$/, "Z");

/** When a quota is reset, in its own zone, and how long that is: `2026-11-21 00:00:00 +08:00 (in 3 h 12 min)`. */
export function showReset(iso: string, now: number): string {
  const left = Date.parse(iso) - now;
  const zone = zoneOf(iso);
  return `${showTime(iso, zone)} ${zone} (${left > 0 ? `in ${showSpan(left)}` : "now"})`;
}

/** The offset that an ISO 8601 instant ends with. */
export const zoneOf = (iso: string): string => /[+-]\d\d:\d\d$/.exec(iso)?.[0] ?? "Z";
/** The day of an instant in a zone, `YYYY-MM-DD`. */
export const dayIn = (ms: number, zone: string): string => utcDay(ms + shiftOf(zone));
const shiftOf = (zone: string): number => (offsetMinutes(zone) ?? 0) * UNIT_MS.m;

/** How long ago an instant was, in the largest unit that is full: `3 h ago`; `now` within a second. */
export function showAge(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (ms < -UNIT_MS.s) return `in ${showSpan(-ms)}`;
  return ms < UNIT_MS.s ? "now" : `${showSpan(ms).split(" ").slice(0, 2).join(" ")} ago`;
}

/** A span of time in its two largest units: `3 h 12 min`, `42 s`. */
export function showSpan(ms: number): string {
  const seconds = Math.floor(ms / UNIT_MS.s);
  if (seconds < 60) return `${seconds} s`;
  const [days, hours, minutes] = [ms / DAY_MS, (ms / UNIT_MS.h) % 24, (ms / UNIT_MS.m) % 60].map(Math.floor);
  const parts = [`${days} d`, `${hours} h`, `${minutes} min`].slice(days === 0 ? 1 : 0);
  const [first, second] = parts.filter((part, index) => index < 2 && !part.startsWith("0 "));
  return second === undefined ? first! : `${first} ${second}`;
}

/** The progress of work after `spent_ms`, and the remaining time at the same rate: `40 %, 12 s left`. */
export function showShare(done: number, all: number, spent_ms: number): string {
  const left = done === 0 ? "" : `, ${showSpan((spent_ms / done) * (all - done))} left`;
  return `${Math.floor((done / Math.max(1, all)) * 100)} %${left}`;
}

/** How fast work is: `1200/s`. */
export const showRate = (done: number, ms: number): string => `${Math.round((1000 * done) / Math.max(1, ms))}/s`;

/** How many of how many are done, as `4 of 9 users, 44 %, 5 s left`; without a known total, `4 users, 2/s`. */
export function showCount(what: string, done: number, all: number | undefined, spent_ms: number): string {
  if (all === undefined) return `${done} ${what}, ${showRate(done, spent_ms)}`;
  return `${done} of ${all} ${what}, ${showShare(done, all, spent_ms)}`;
}

/** A length of time as `2s` or `3d`, ms; NaN for another text. */
export function lengthOf(typed: string): number {
  const [, count, unit] = /^(\d{1,6})\s*([smhdw])$/.exec(typed.trim()) ?? [];
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

function lengthWithin(min: number, max: number, rule: string) {
  return (typed: string): number => {
    const ms = typed.trim() === "0" ? 0 : lengthOf(typed);
    if (ms >= min && ms <= max) return ms;
    throw invalidValue(rule, typed);
  };
}

/** Reads a grace period, as `90s` or `2h`, in ms. */
export const gracePeriod = lengthWithin(0, 30 * DAY_MS, "must be 0 or a time as 30m or 1h, up to 30d");
/** Reads a polling interval, in ms. */
export const interval = lengthWithin(UNIT_MS.s, UNIT_MS.h, "must be a time from 1s to 1h, as 2s or 1m");

const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** A day or an instant, ms since the epoch, in UTC if it has no offset; undefined for any other text. */
export function readInstant(text: string) {
  const [, day, time, offset] = INSTANT.exec(text) ?? [];
  const ms = day === undefined || !isDay(day) ? NaN : Date.parse(`${day}T${time ?? "00:00"}${offset ?? "Z"}`);
  return Number.isNaN(ms) ? undefined : { ms, time, offset };
}

/** Computes an instant, ms since the epoch, from the current time and the zone of the quota's days. */
export type InstantReader = (now: number, zone: string) => number;
/** The first instant of a range: of a day, its start. */
export const since = (typed: string): InstantReader => when(typed, 0);
/** The last instant of a range: of a day, its end. */
export const until = (typed: string): InstantReader => when(typed, DAY_MS - 1);

/** `2h` or `3d` before now, a day, `today`, `yesterday` or an instant; without an offset in the quota's zone.
 * @param into how far into a day it is, ms */
function when(typed: string, into: number): InstantReader {
  const text = typed.trim();
  const ago_ms = lengthOf(text);
  if (!Number.isNaN(ago_ms)) return (now) => now - ago_ms;
  const days = ["today", "yesterday"].indexOf(text);
  if (days !== -1) return (now, zone) => Date.parse(dayIn(now - days * DAY_MS, zone)) - shiftOf(zone) + into;
  const found = readInstant(text);
  if (found === undefined)
    throw invalidValue("must be a day, today, yesterday, an ISO 8601 instant, or a time ago as 2h or 3d", typed);
  const { ms, time, offset } = found;
  return (_now, zone) => ms - (offset === undefined ? shiftOf(zone) : 0) + (time === undefined ? into : 0);
}
