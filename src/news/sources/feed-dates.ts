import { readNames, readNumbers, readRows } from "../../runtime/text/data-rows.ts";
import { NUMBER, NUMERALS } from "../../language/quantities.ts";
import { DAY_MS, toIso } from "../../runtime/clock.ts";
import { zoneMinutes } from "../../runtime/zone-offset.ts";
import PATTERNS from "./date-patterns.json" with { type: "json" };

const timed = (pattern: string): RegExp =>
  new RegExp(pattern.split("{time}").join(PATTERNS.time).replace("NUMBER", NUMBER), "iu");
/** Date patterns: ISO 8601, East Asian, RFC 822 in many languages, American, European, and days without a year. */
const DATES = PATTERNS.dates.map(timed);
const RELATIVE = PATTERNS.relative.map(timed);
/** Rewrites that remove weekdays, words like "updated" and parentheses, and move a time behind its date. */
const REWRITES = PATTERNS.rewrites.map(([pattern, text]) => [new RegExp(pattern!, "giu"), text!] as const);
const MAX_CHARACTERS = 200;
const ERAS: Readonly<Record<string, number>> = PATTERNS.eras; // By name: the year before the first.
const MONTHS = readNumbers(new URL("data/months.txt", import.meta.url));
const UNITS = readNumbers(new URL("data/relative-times.txt", import.meta.url));
const DAYS = readNumbers(new URL("data/relative-days.txt", import.meta.url));
const ORDERS = readNames(new URL("data/date-orders.txt", import.meta.url));
const ZONES = readRows(new URL("data/zones.txt", import.meta.url)); // Rows: a zone, its names, the languages that prefer it.

const EARLIEST = Date.UTC(1990); // Earlier dates are placeholders.
const AHEAD_MS = 3_600_000; // A server's clock may be fast.
/** Whether something may have been published then. @param now ms since the epoch */
export const isPossible = (date: number, now = Infinity): boolean => date >= EARLIEST && date <= now + AHEAD_MS;

export type Zone = number | string; // Minutes east of UTC, an offset, or a zone of the IANA database.
/** The zone of dates without one, whether the day comes first (3/4/2026 is in April), and the feed's languages. */
export type DateHints = Readonly<{ zone: Zone; dayFirst?: boolean | undefined; languages?: readonly string[] }>;

/** The offset of a named zone at the local time `local`, minutes east of UTC; undefined for an unknown name. */
function offsetOf(name: string, local: number, { zone, languages = [] }: DateHints): number | undefined {
  const minutes = typeof zone === "number" ? zone : zoneMinutes(zone, local);
  if (name === "") return minutes;
  const [, sign, hours, rest = "00"] = /^([+-]) ?(\d{1,2}):?(\d{2})?$/.exec(name) ?? [];
  if (hours !== undefined) return zoneMinutes(`${sign}${hours.padStart(2, "0")}:${rest}`, local);
  const isSpoken = (lang: string): boolean => languages.some((own) => `${own}-`.startsWith(`${lang}-`));
  const rank = ([[one = ""] = [], , preferring = []]: string[][]): number =>
    preferring.some(isSpoken) ? 2 : Number(zoneMinutes(one, local) === minutes);
  const known = ZONES.filter(([, names]) => names!.includes(name)).sort((a, b) => rank(b) - rank(a));
  return zoneMinutes(known[0]?.[0]?.[0] ?? name, local);
}

const NUMERIC = /^\D{0,20}(\d{1,2})[/-](\d{1,2})(?:[/-]\d|[^\d/-])/;
/** Criteria for a reading of numeric dates: none is in the future, they are sorted, one is of the last 7 days. */
const LIKELY: readonly ((dates: readonly number[], now: number) => boolean)[] = [
  (dates, now) => dates.every((date) => date <= now + DAY_MS),
  (dates) => [1, -1].some((way) => dates.every((date, at) => at === 0 || (date - dates[at - 1]!) * way >= 0)),
  (dates, now) => dates.some((date) => date > now - 7 * DAY_MS),
];

/** Whether a feed's numeric dates have the day first. Precedence: a part above 12 in one of them, the feed's language, the
 * more likely interpretation, the zone (American dates have the month first). Undefined if none of these decides. */
export function isDayFirst(dates: readonly string[], language = "", zone: Zone = 0, now?: number): boolean | undefined {
  const numbers = dates.map((date) => NUMERIC.exec(date)).filter((found) => found !== null);
  const [isDay, isMonth] = [1, 2].map((part) => numbers.some((found) => Number(found[part]) > 12));
  const order = ORDERS.get(language) ?? (language && "day");
  if (isDay || isMonth) return isDay === isMonth ? undefined : isDay;
  if (order !== "" && order !== "either") return order === "day";
  const read = (dayFirst: boolean) => numbers.flatMap(({ input }) => parseDate(input, { zone, dayFirst }, now) ?? []);
  const [day, month] = [read(true), read(false)];
  const deciding = LIKELY.find((isLikely) => now !== undefined && isLikely(day, now) !== isLikely(month, now));
  if (deciding !== undefined) return deciding(day, now!);
  return typeof zone === "string" ? zoneMinutes(zone, 0)! > -4 * 60 : undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

function instant(parts: Parts, hints: DateHints): number | null {
  const { era = "", count = "", first = "", other = "1", noon = "", half = noon } = parts;
  const isEither = first !== "" && Number(first) !== Number(other) && Number(first) <= 12 && Number(other) <= 12;
  if (isEither && hints.dayFirst === undefined) return null;
  const isOther = Number(first) > 12 || (hints.dayFirst === true && Number(other) <= 12);
  const { month = isOther ? other : first, day: date = isOther ? first : other } = parts;
  const eraYear = String(ERAS[era] === undefined ? "none" : ERAS[era] + (Number(count) || 1)); // 元年 is year 1.
  const { year = parts["last"] ?? eraYear } = parts;
  const at = (part: string): number => Number(parts[part]?.replace(",", ".") ?? 0);
  const [day, hours, minute, second] = [Number(date), at("hour"), at("minute"), at("second")];
  const key = month.toLowerCase();
  const number = /^\d/.test(month) ? Number(month) : (MONTHS.get(key.slice(0, 4)) ?? MONTHS.get(key.slice(0, 3)) ?? 0);
  const hour = half === "" ? hours : (hours % 12) + laterBy(half, hours);
  // Two-digit years are interpreted as in RFC 2822 section 4.3.
  const fullYear = Number(year) + (year.length === 4 ? 0 : Number(year) < 50 ? 2000 : 1900);
  const ms = Date.UTC(fullYear, number - 1, day, hour, minute, Math.floor(second), Math.round((second % 1) * 1000));
  const read = new Date(Date.UTC(fullYear, number - 1, day));
  const isDate = read.getUTCDate() === day && read.getUTCMonth() === number - 1;
  const isTime = hour <= 24 && minute <= 59 && second <= 60;
  const offset = isDate && isTime ? offsetOf(parts["zone"]?.trim().toLowerCase() ?? "", ms, hints) : undefined;
  return offset === undefined ? null : ms - offset * 60_000;
}

/** Hours to add for a half of the day: 12 at night is the end of the day, and the hours after it are its beginning. */
function laterBy(half: string, hours: number): number {
  const isNight = /^(?:晚|深|夜|[半午]夜)/.test(half);
  if (isNight && hours % 12 === 0) return hours > 0 ? 24 : 0;
  return (isNight && hours > 4) || /^(?:p|[下中]午|傍|午後|오후)/i.test(half) ? 12 : 0;
}

/** Resolves a relative time, rounded down to its unit. */
function relative(parts: Parts, hints: DateHints, now: number): number | null {
  const { count = "1", word = "", unit = word } = parts;
  const days = DAYS.get(word.toLowerCase());
  if (days !== undefined) {
    const local = now + (offsetOf("", now, hints) ?? 0) * 60_000;
    const ago = days >= 0 ? days : (new Date(local).getUTCDay() + 7 + days) % 7;
    const date = toIso(local - ago * DAY_MS);
    return instant({ ...parts, year: date.slice(0, 4), month: date.slice(5, 7), day: date.slice(8, 10) }, hints);
  }
  const minutes = UNITS.get(unit.toLowerCase());
  const times = NUMERALS.get(count.toLowerCase()) ?? Number(count);
  if (minutes === undefined || Number.isNaN(times) || (unit === word && minutes > 0)) return null;
  const step = Math.min(Math.max(minutes * (times % 1 || 1), 1), 24 * 60) * 60_000;
  return Math.floor((now - times * minutes * 60_000) / step) * step;
}

/** The latest date of a day without a year, up to a day after `now` (zones differ). February 29 may be 8 years ago. */
function latest(parts: Parts, hints: DateHints, now: number): number | null {
  const next = new Date(now).getUTCFullYear() + 1;
  const dates = Array.from({ length: 10 }, (_, ago) => instant({ ...parts, year: String(next - ago) }, hints));
  return dates.find((date) => date !== null && date <= now + DAY_MS) ?? null;
}

/** Milliseconds since the epoch of a feed's date: RFC 822/2822 with numeric or named zones, ISO 8601 and W3C-DTF,
 * `2026年11月20日 下午3:05`, `20.11.2026 08:00`, `11/20/2026 8:00 AM`, `3 小时前`, `11月3日`, Unix seconds or milliseconds. Never the machine's zone.
 * @param about the zone of dates without one, or all hints
 * @param now reference time of relative dates and days without a year, ms since the epoch; if absent, these are not parsed
 * @returns null when the text is not an existing date, or its zone is not known */
export function parseDate(text: string | undefined, about: Zone | DateHints = 0, now?: number): number | null {
  if (text === undefined || text.length > MAX_CHARACTERS) return null;
  const hints = typeof about === "object" ? about : { zone: about };
  let value = text.normalize("NFKC");
  for (const [pattern, words] of REWRITES) value = value.trim().replace(pattern, words);
  if (/^\d{10}(?:\d{3})?$/.test(value)) return Number(value.padEnd(13, "0"));
  const partsIn = (patterns: readonly RegExp[]): Parts | undefined =>
    patterns.map((pattern) => pattern.exec(value)?.groups).find((groups) => groups !== undefined);
  const parts = partsIn(DATES) ?? {};
  if (parts["year"] ?? parts["last"] ?? parts["era"]) return instant(parts, hints);
  return now === undefined ? null : (relative(partsIn(RELATIVE) ?? {}, hints, now) ?? latest(parts, hints, now));
}
