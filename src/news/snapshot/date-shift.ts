const HOUR = 3_600_000;

/** A fixture's instant: dates of local files are written as if it were now. */
export interface DateShift {
  readonly anchor_ms: number;
}

/** Milliseconds that dates of local files are shifted by: the whole hours since the anchor, 0 before it. */
export function shiftAt(shift: DateShift | undefined, now: number): number {
  if (shift === undefined) return 0;
  return Math.max(0, Math.floor((now - shift.anchor_ms) / HOUR)) * HOUR;
}

/**
 * Moves a date of a local file. Dates after the anchor count as the anchor once it is reached, so that no moved date
 * lies in the future.
 */
export function mover(shift: DateShift | undefined, now: number): (date: number, movable: boolean) => number {
  if (shift === undefined || now < shift.anchor_ms) return (date) => date;
  const distance = shiftAt(shift, now);
  return (date, movable) => (movable ? Math.min(date, shift.anchor_ms) + distance : date);
}
