import { readNumbers } from "../../runtime/text/data-rows.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./date-patterns.json" with { type: "json" };

/** Notations of dates: ISO 8601 and the Chinese one, that of RFC 822, and American orders. */
const DATES = patternsOf(PATTERNS, "i");
const MOST_CHARACTERS = 200;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Minutes east of UTC of the zone names that feeds use. */
const ZONES = readNumbers(new URL("data/zones.txt", import.meta.url));

function zoneMinutes(zone: string | undefined, fallback: number): number | undefined {
  const name = zone?.trim().toLowerCase() ?? "";
  if (name === "") return fallback;
  const offset = /^(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/.exec(name);
  if (offset === null) return ZONES.get(name);
  const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
  return minutes > 14 * 60 ? undefined : minutes * (offset[1] === "-" ? -1 : 1);
}

function instant(parts: readonly (string | number | undefined)[], zone: number | undefined): number | null {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    part === undefined || part === "" ? undefined : Number(part),
  );
  if (zone === undefined || month < 1 || month > 12 || hour > 24 || minute > 59 || second > 60) return null;
  const ms = Date.UTC(year, month - 1, day, hour, minute, Math.floor(second), Math.round((second % 1) * 1000));
  const read = new Date(Date.UTC(year, month - 1, day));
  if (read.getUTCDate() !== day || read.getUTCMonth() !== month - 1 || !Number.isFinite(ms)) return null;
  return ms - zone * 60_000;
}

/** Milliseconds since the epoch of a feed's date: RFC 822/2822 with numeric or named zones, ISO 8601 and W3C-DTF,
 * `2026年11月20日 08:00`, `2026-11-20 08:00:00`, Unix seconds or milliseconds. Never the machine's own zone.
 * @param zone minutes east of UTC that a date without a zone is read in
 * @returns null when the text is not an existing date */
export function parseDate(text: string | undefined, zone = 0): number | null {
  if (text === undefined || text.length > MOST_CHARACTERS) return null;
  const value = text.trim();
  if (/^\d{10}$/.test(value)) return Number(value) * 1000;
  if (/^\d{13}$/.test(value)) return Number(value);
  const iso = DATES.iso.exec(value);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, name] = iso;
    return instant([year, month, day, hour, minute, second?.replace(",", ".")], zoneMinutes(name, zone));
  }
  const rfc = DATES.rfc.exec(value) ?? usOrder(value);
  if (rfc === null) return null;
  const [, day, month = "", year = "", hour, minute, second, name] = rfc;
  const index = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  // Two-digit years as RFC 2822 section 4.3 reads them.
  const fullYear = Number(year) + (year.length === 4 ? 0 : Number(year) < 50 ? 2000 : 1900);
  return index < 0 ? null : instant([fullYear, index + 1, day, hour, minute, second], zoneMinutes(name, zone));
}

/** `Thu Nov 19 22:54:00 [UTC] 2026` (asctime) and `November 19, 2026 22:54`, brought into the order of RFC 822. */
function usOrder(value: string): RegExpExecArray | null {
  const match = DATES.us.exec(value);
  if (match === null) return null;
  const [, , month, day, year, hour, minute, second, zone, lastYear] = match;
  match.splice(1, 9, day!, month!, (year ?? lastYear)!, hour!, minute!, second!, zone!);
  return (year ?? lastYear) === undefined ? null : match;
}
