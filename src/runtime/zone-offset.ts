import { memoized } from "./cache/memoized.ts";
import { offsetMinutes } from "./clock.ts";

const zoned = memoized((timeZone: string) => Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }), 50);
/** Minutes east of UTC of an offset, or of a zone as `Europe/London` when its clocks show `local`, ms; undefined for none. */
export function zoneMinutes(timezone: string, local: number): number | undefined {
  const at = (ms: number): number => offsetMinutes(/GMT(.+)$/.exec(zoned(timezone).format(ms))?.[1] ?? "Z") ?? 0;
  try {
    return offsetMinutes(timezone) ?? at(local - at(local) * 60_000);
  } catch {
    return undefined;
  }
}
