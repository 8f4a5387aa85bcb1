import { UsageError } from "../../framework/exit.ts";
import { optional } from "../../framework/param.ts";
import { day } from "../../framework/value-readers.ts";

/** The flags of a range of UTC days. */
export const dayRangeFlags = {
  from: optional("day", "first UTC day, as 2026-11-20", day),
  to: optional("day", "last UTC day, included", day),
};

interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** @throws UsageError when the range ends before it starts */
export function checkDayRange({ from, to }: DayRange): void {
  if (from !== undefined && to !== undefined && from > to) throw new UsageError("--from must not be after --to.");
}
