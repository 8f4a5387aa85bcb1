import { z } from "zod";
import { DAY_MS, offsetMinutes, type fixedClock } from "../../runtime/clock.ts";

/** The clock of a daemon that runs in this process; at `timezone`, an offset as `+08:00`, midnights begin quota days. */
export type MovableClock = Pick<ReturnType<typeof fixedClock>, "now" | "set"> & { readonly timezone: string };

const SHIFT = /^([+-]\d+)(s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };
/** What a moment must be, in words. */
export const INSTANT_RULE = "must be +1d (s, m, h, d), midnight, or an instant such as 2026-11-21T00:00:00Z";

export const isInstantText = (typed: string): boolean =>
  typed === "midnight" || SHIFT.test(typed) || z.iso.datetime({ offset: true }).safeParse(typed).success;

/** The instant of a moment in ms: `+1d` after the clock's, the next `midnight` that begins a quota day, or its own. */
export function instantOf(moment: string, { now, timezone }: MovableClock): number {
  const [, shift, unit = ""] = SHIFT.exec(moment) ?? [];
  if (shift !== undefined) return now() + Number(shift) * UNIT_MS[unit]!;
  if (moment !== "midnight") return Date.parse(moment);
  const offset_ms = (offsetMinutes(timezone) ?? 0) * 60_000;
  return (Math.floor((now() + offset_ms) / DAY_MS) + 1) * DAY_MS - offset_ms;
}
