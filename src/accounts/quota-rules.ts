import { DAY_MS, offsetMinutes, utcDay } from "../runtime/clock.ts";

export type QuotaRules = ReturnType<typeof createQuotaRules>;

/** The free daily quota as a pure function of the clock: a quota day is from midnight to midnight at one fixed offset.
 * @throws RangeError when `timezone` is not an offset as `+08:00` */
export function createQuotaRules(timezone: string) {
  const minutes = offsetMinutes(timezone);
  if (minutes === undefined) throw new RangeError(`quota.timezone must be an offset such as +08:00, not ${timezone}`);
  const shift = minutes * 60_000;
  const suffix = timezone === "Z" ? "+00:00" : timezone;

  // The last date and reset are cached, since nearly all requests are of the same day.
  let known = { day: NaN, date: "" };
  let reset = { day: "", at: "" };

  function dateAt(now: number): string {
    const day = Math.floor((now + shift) / DAY_MS);
    if (day !== known.day) known = { day, date: utcDay(day * DAY_MS) };
    return known.date;
  }

  /** The quota day of an instant: the date at the offset, but never one before `last` (clocks differ, and may step
   * back). A `last` after tomorrow was written by a wrong clock and does not count: no user waits for that day. */
  function dayOf(now: number, last: string): string {
    const today = dateAt(now);
    return last <= today || last > dateAt(now + DAY_MS) ? today : last;
  }

  return {
    dayOf,
    /** What is left of `quota` uses per day. @param use the uses of one day, `YYYY-MM-DD`; empty before the first */
    stateOf(use: { readonly day: string; readonly used: number }, quota: number, now: number) {
      const day = dayOf(now, use.day);
      const used = day === use.day ? use.used : 0;
      if (reset.day !== day) reset = { day, at: `${utcDay(Date.parse(day) + DAY_MS)}T00:00:00${suffix}` };
      return {
        free_daily_quota: quota,
        free_daily_used: used,
        remaining_free_quota: Math.max(0, quota - used),
        next_reset_at: reset.at, // ISO 8601 with the quota's offset.
      };
    },
  };
}
