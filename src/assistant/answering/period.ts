import { fold } from "../../language/tokenize.ts";
import { DAY_MS, offsetMinutes } from "../../runtime/clock.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import WORDS from "./time-words.json" with { type: "json" };

const NUMBERS: Readonly<Record<string, number>> = WORDS.numbers;
const NUMBER = ["\\d{1,3}", ...Object.keys(NUMBERS).toSorted((a, b) => b.length - a.length)].join("|");
const PERIODS = WORDS.periods.map(({ says, ...period }) => {
  return { ...patternsOf({ says: says.map((one) => one.replace("NUMBER", NUMBER)) }), ...period };
});

/** Whether something was published at the time that a question names, the last one such where it would be to come, as a
 * test; undefined without words of time. @param zone of the reader's days, an offset such as `+08:00` */
export function periodOf(question: string, now: number, zone = "Z") {
  const text = fold(question);
  const period = PERIODS.find(({ says }) => says.test(text));
  if (period === undefined) return undefined;
  const { says, hours, of, from = 0, to = 0 } = period;
  const shift = offsetMinutes(zone)! * 60_000;
  const today = Math.floor((now + shift) / DAY_MS); // Days since the epoch, which began on a Thursday.
  const named = of === "week" ? today - ((today + 3) % 7) : today;
  const day = (number: number): number => (named + number - (named + from > today ? 7 : 0)) * DAY_MS - shift;
  const numeral = says.exec(text)!.slice(1).find(Boolean) ?? "1";
  const lasts = (hours ?? 0) * (NUMBERS[numeral] ?? Number(numeral)) * 3_600_000;
  const [begin, end] = hours === undefined ? [day(from), day(to)] : [now - lasts, now + 1];
  return ({ published_at }: { readonly published_at: string | null }): boolean =>
    Date.parse(published_at ?? "") >= begin && Date.parse(published_at ?? "") < end;
}

/** The folded question without its words of time. */
export const withoutPeriod = (question: string): string =>
  PERIODS.reduce((text, { says }) => text.replace(says, " "), fold(question));
