import { readNumbers } from "../../runtime/text/data-rows.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import PATTERNS from "./date-patterns.json" with { type: "json" };

/** Notations of dates: ISO 8601 and the East Asian one, that of RFC 822 in ten languages, American orders, digits of
 * Europe and America, the American order where both are possible, ISO 8601 without marks, and days without a year. */
const DATES = PATTERNS.dates.map((pattern) => new RegExp(pattern, "iu"));
const RELATIVE = PATTERNS.relative.map((pattern) => new RegExp(pattern, "iu"));
const NOISE = new RegExp(PATTERNS.noise, "giu"); // Weekdays of East Asia, words like "at", and what is in parentheses.
const MOST_CHARACTERS = 200;
const MONTHS = readNumbers(new URL("data/months.txt", import.meta.url));
const UNITS = readNumbers(new URL("data/relative-times.txt", import.meta.url));
const DAYS = readNumbers(new URL("data/relative-days.txt", import.meta.url));
/** Minutes east of UTC of the zone names that feeds use. */
const ZONES = readNumbers(new URL("data/zones.txt", import.meta.url));
const CHINA = 480; // China's, which its feeds call CST as America's central one is called.

function zoneMinutes(zone: string | undefined, fallback: number): number | undefined {
  const name = zone?.trim().toLowerCase() ?? "";
  if (name === "" || (name === "cst" && fallback === CHINA)) return fallback;
  const offset = /^(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/.exec(name);
  if (offset === null) return ZONES.get(name);
  const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
  return minutes > 14 * 60 ? undefined : minutes * (offset[1] === "-" ? -1 : 1);
}

type Parts = Readonly<Record<string, string | undefined>>;

function instant(parts: Parts, zone: number): number | null {
  const { reiwa, month = "", noon = "", half = noon } = parts;
  const { year = parts["last"] ?? (reiwa === undefined ? "none" : String(2018 + Number(reiwa))) } = parts;
  const at = (part: string, first: number): number => Number(parts[part]?.replace(",", ".") ?? first);
  const [day, hours, minute, second] = [at("day", 1), at("hour", 0), at("minute", 0), at("second", 0)];
  const key = month.toLowerCase();
  const number = /^\d/.test(month) ? Number(month) : (MONTHS.get(key.slice(0, 4)) ?? MONTHS.get(key.slice(0, 3)) ?? 0);
  const hour = half === "" ? hours : (hours % 12) + (/^(?:p|[下中]午|晚上|午後|오후)/i.test(half) ? 12 : 0);
  const offset = zoneMinutes(parts["zone"], zone);
  if (offset === undefined || hour > 24 || minute > 59 || second > 60) return null;
  // Two-digit years as RFC 2822 section 4.3 reads them.
  const fullYear = Number(year) + (year.length === 4 ? 0 : Number(year) < 50 ? 2000 : 1900);
  const ms = Date.UTC(fullYear, number - 1, day, hour, minute, Math.floor(second), Math.round((second % 1) * 1000));
  const read = new Date(Date.UTC(fullYear, number - 1, day));
  return read.getUTCDate() === day && read.getUTCMonth() === number - 1 ? ms - offset * 60_000 : null;
}

/** A time before now, to the unit that is named. */
function relative(parts: Parts, zone: number, now: number): number | null {
  const { count = "1", word = "", unit = word } = parts;
  const days = DAYS.get(word.toLowerCase());
  if (days !== undefined) {
    const date = new Date(now + zone * 60_000 - days * DAY_MS).toISOString();
    return instant({ ...parts, year: date.slice(0, 4), month: date.slice(5, 7), day: date.slice(8, 10) }, zone);
  }
  const minutes = UNITS.get(unit.toLowerCase());
  if (minutes === undefined || (unit === word && minutes > 0)) return null;
  const step = Math.min(Math.max(minutes, 1), 24 * 60) * 60_000;
  return Math.floor((now - (Number(count) || 1) * minutes * 60_000) / step) * step;
}

/** A day without its year, in the one that puts it last before now, or within a day after it: its zone may be another. */
function latest(parts: Parts, zone: number, now: number): number | null {
  const next = new Date(now).getUTCFullYear() + 1;
  const years = Array.from({ length: 10 }, (_, before) => String(next - before)); // February 29 may be eight years ago.
  const dates = years.map((year) => instant({ ...parts, year }, zone));
  return dates.find((date) => date !== null && date <= now + DAY_MS) ?? null;
}

/** Milliseconds since the epoch of a feed's date: RFC 822/2822 with numeric or named zones, ISO 8601 and W3C-DTF,
 * `2026年11月20日 下午3:05`, `20.11.2026 08:00`, `11/20/2026 8:00 AM`, `3 小时前`, `11月3日`, Unix seconds or milliseconds. Never the machine's zone.
 * @param zone minutes east of UTC that a date without a zone is read in
 * @param now milliseconds since the epoch that relative dates, and those without a year, are before; without, there are
 * none
 * @returns null when the text is not an existing date */
export function parseDate(text: string | undefined, zone = 0, now?: number): number | null {
  if (text === undefined || text.length > MOST_CHARACTERS) return null;
  const value = text.replace(NOISE, "").trim();
  if (/^\d{10}(?:\d{3})?$/.test(value)) return Number(value.padEnd(13, "0"));
  const partsIn = (patterns: readonly RegExp[]): Parts | undefined =>
    patterns.map((pattern) => pattern.exec(value)?.groups).find((groups) => groups !== undefined);
  const parts = partsIn(DATES) ?? {};
  if (parts["year"] ?? parts["last"] ?? parts["reiwa"]) return instant(parts, zone);
  return now === undefined ? null : (relative(partsIn(RELATIVE) ?? {}, zone, now) ?? latest(parts, zone, now));
}
