import { NUMBER, NUMERALS } from "../../language/quantities.ts";
import { fold } from "../../language/tokenize.ts";
import { DAY_MS, offsetMinutes } from "../../runtime/clock.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import WORDS from "./time-words.json" with { type: "json" };

const PERIODS = WORDS.periods.map(({ says, ...period }) => {
  return { ...patternsOf({ says: says.map((one) => one.replace("NUMBER", NUMBER)) }), ...period };
});
const DATES = WORDS.dates.map((date) => new RegExp(date, "u"));
const { since: SINCE } = patternsOf({ since: WORDS.since });

/** A predicate: whether something was published in the period that a question names. A period that would be in the future
 * is the last past one. Undefined without time words. @param zone UTC offset of the reader's days, such as `+08:00`
 * @param isReported whether to include as much time after the period, in which news reports it */
export function periodOf(question: string, now: number, zone = "Z", isReported = false) {
  const shift = offsetMinutes(zone)! * 60_000;
  const today = Math.floor((now + shift) / DAY_MS); // Days since the epoch, which began on a Thursday.
  let text = fold(question);
  const dates = DATES.flatMap((date) => daysOf(date.exec(text)?.groups, today));
  const spans = dates.map((day) => [day * DAY_MS - shift, (day + 1) * DAY_MS - shift] as const);
  for (const { says, hours, ...period } of PERIODS) {
    const said = says.exec(text);
    if (said === null) continue;
    text = text.replace(says, " ");
    const numeral = said.slice(1).find(Boolean) ?? "1";
    const number = NUMERALS.get(numeral) ?? Number(numeral);
    if (hours !== undefined) spans.push([now - number * hours * 3_600_000, now + 1]);
    else
      spans.push([dayOf(period, 0, number, today) * DAY_MS - shift, dayOf(period, 1, number, today) * DAY_MS - shift]);
  }
  if (spans.length === 0) return undefined;
  const begin = Math.min(...spans.map(([from]) => from));
  const last = SINCE.test(text) ? now + 1 : Math.max(...spans.map(([, to]) => to));
  const end = isReported ? 2 * last - begin : last;
  return ({ published_at }: { readonly published_at: string | null }): boolean =>
    Date.parse(published_at ?? "") >= begin && Date.parse(published_at ?? "") < end;
}

type Period = Omit<(typeof PERIODS)[number], "says" | "hours">;

/** The first day of a period (`end` 0), or the day after its last (1), in days since the epoch. */
function dayOf({ of, from = 0, to = 0, ago }: Period, end: 0 | 1, number: number, today: number): number {
  const step = end === 0 ? from : to;
  const date = new Date(today * DAY_MS);
  if (of === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step) / DAY_MS;
  if (of === "year") return Date.UTC(date.getUTCFullYear() + step, 0) / DAY_MS;
  const named = of === "week" ? today - ((today + 3) % 7) : today - (ago === undefined ? 0 : number);
  return named + step - (named + from > today ? 7 : 0);
}

/** The day of a date, in days since the epoch; without a year, its last occurrence up to today. */
function daysOf(groups: Readonly<Record<string, string | undefined>> | undefined, today: number): number[] {
  if (groups === undefined) return [];
  const { year, month, day } = groups;
  const current = new Date(today * DAY_MS).getUTCFullYear();
  const years = year === undefined ? [current, current - 1] : [Number(year)];
  const days = years.map((one) => Date.parse(`${month} ${day} ${one} UTC`) / DAY_MS);
  return days.filter((one) => one <= today).slice(0, 1);
}

/** The folded question without its time words. */
export const withoutPeriod = (question: string): string =>
  [...PERIODS.map(({ says }) => says), ...DATES, SINCE].reduce((text, said) => text.replace(said, " "), fold(question));
