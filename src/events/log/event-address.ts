import { toIso } from "../../runtime/clock.ts";

/** Milliseconds of a UTC day. */
export const DAY_MS = 86_400_000;

/** The address of an event: UTC day, number of the batch in that day's log from 1, index in the batch from 0. */
export interface Address {
  readonly day: string;
  readonly batch: number;
  readonly index: number;
}

const ADDRESS = /^(\d{4}-\d{2}-\d{2})-([1-9]\d{0,14})-(0|[1-9]\d{0,5})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** An address as an event id: `2026-11-20-12-0`. */
export function formatAddress(day: string, batch: number, index: number): string {
  return `${day}-${batch}-${index}`;
}

/** The address in an event id, or undefined for an id of another form. */
export function parseAddress(eventId: string): Address | undefined {
  const match = ADDRESS.exec(eventId);
  if (match === null) return undefined;
  return { day: match[1]!, batch: Number(match[2]), index: Number(match[3]) };
}

/**
 * The UTC day of an instant, as `2026-11-20`.
 *
 * @param ms milliseconds since the Unix epoch
 */
export function dayOf(ms: number): string {
  return toIso(ms).slice(0, 10);
}

/** Whether the text is a day of the calendar, as `2026-11-20`. */
export function isDay(text: string): boolean {
  const ms = DAY.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** The UTC days from the one of `from` to the one of `to` (both in milliseconds), in order. */
export function daysBetween(from: number, to: number): string[] {
  const days: string[] = [];
  for (let ms = Math.floor(from / DAY_MS) * DAY_MS; ms <= to; ms += DAY_MS) days.push(dayOf(ms));
  return days;
}
