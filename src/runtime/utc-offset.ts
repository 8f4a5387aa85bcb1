/** Minutes east of UTC of an offset such as `+08:00`, `-03:30` or `Z`; undefined for any other text. */
export function offsetMinutes(timezone: string): number | undefined {
  if (timezone === "Z") return 0;
  const match = /^([+-])(\d\d):([0-5]\d)$/.exec(timezone);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  if (minutes > 14 * 60) return undefined;
  return match[1] === "-" ? -minutes : minutes;
}
