import { DAY_MS, toIso } from "../../runtime/clock.ts";

/** The address of an event as its id, `2026-11-20-12-0`: UTC day, number of the batch in its log from 1, index from 0. */
export const formatAddress = (day: string, batch: number, index: number): string => `${day}-${batch}-${index}`;
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
