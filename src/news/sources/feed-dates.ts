import { readNumbers } from "../../runtime/text/data-rows.ts";
import PATTERNS from "./date-patterns.json" with { type: "json" };

/** Notations of dates: ISO 8601 and the East Asian one, that of RFC 822 in five languages, American orders, and digits of
 * Europe and America, of which the American order is taken where both are possible. */
const DATES = PATTERNS.dates.map((pattern) => new RegExp(pattern, "iu"));
const MOST_CHARACTERS = 200;

const MONTHS = readNumbers(new URL("data/months.txt", import.meta.url));

/** Minutes east of UTC of the zone names that feeds use. */
const ZONES = readNumbers(new URL("data/zones.txt", import.meta.url));
/** China's, which its feeds call CST as America's central one is called. */
const CHINA = 480;

function zoneMinutes(zone: string | undefined, fallback: number): number | undefined {
  const name = zone?.trim().toLowerCase() ?? "";
  if (name === "" || (name === "cst" && fallback === CHINA)) return fallback;
  const offset = /^(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/.exec(name);
  if (offset === null) return ZONES.get(name);
  const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
  return minutes > 14 * 60 ? undefined : minutes * (offset[1] === "-" ? -1 : 1);
}

function instant(parts: Readonly<Record<string, string | undefined>>, zone: number): number | null {
  const { year = parts["last"] ?? "none", month = "", half = "" } = parts;
  const at = (part: string, first: number): number => Number(parts[part]?.replace(",", ".") ?? first);
  const [day, hours, minute, second] = [at("day", 1), at("hour", 0), at("minute", 0), at("second", 0)];
  const number = /^\d/.test(month) ? Number(month) : (MONTHS.get(month.slice(0, 3).toLowerCase()) ?? 0);
  const hour = half === "" ? hours : (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  const offset = zoneMinutes(parts["zone"], zone);
  if (offset === undefined || hour > 24 || minute > 59 || second > 60) return null;
  // Two-digit years as RFC 2822 section 4.3 reads them.
  const fullYear = Number(year) + (year.length === 4 ? 0 : Number(year) < 50 ? 2000 : 1900);
  const ms = Date.UTC(fullYear, number - 1, day, hour, minute, Math.floor(second), Math.round((second % 1) * 1000));
  const read = new Date(Date.UTC(fullYear, number - 1, day));
  return read.getUTCDate() === day && read.getUTCMonth() === number - 1 ? ms - offset * 60_000 : null;
}

/** Milliseconds since the epoch of a feed's date: RFC 822/2822 with numeric or named zones, ISO 8601 and W3C-DTF,
 * `2026年11月20日 08:00`, `20.11.2026 08:00`, `11/20/2026 8:00 AM`, Unix seconds or milliseconds. Never the machine's zone.
 * @param zone minutes east of UTC that a date without a zone is read in
 * @returns null when the text is not an existing date */
export function parseDate(text: string | undefined, zone = 0): number | null {
  if (text === undefined || text.length > MOST_CHARACTERS) return null;
  const value = text.trim();
  if (/^\d{10}(?:\d{3})?$/.test(value)) return Number(value.padEnd(13, "0"));
  const parts = DATES.map((pattern) => pattern.exec(value)?.groups).find((groups) => groups !== undefined);
  return parts === undefined ? null : instant(parts, zone);
}
