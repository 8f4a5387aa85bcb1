const HOUR = 3_600_000;

/** The dates of local files are shifted, so that a fixture looks current. */
export interface DateShift {
  readonly anchor_ms: number; // The instant that the fixture was written for, ms since the epoch.
}

/** Milliseconds that dates of local files are shifted by: the whole hours since the anchor, 0 before it. */
export const shiftAt = (shift: DateShift | undefined, now: number): number =>
  shift === undefined ? 0 : Math.max(0, Math.floor((now - shift.anchor_ms) / HOUR)) * HOUR;

/** Shifts dates of local files. Once the anchor is reached, later dates count as the anchor: none is in the future. */
export function createDateShifter(shift: DateShift | undefined, now: number) {
  const distance = shiftAt(shift, now);
  return (date: number, movable: boolean): number =>
    movable && shift && now >= shift.anchor_ms ? Math.min(date, shift.anchor_ms) + distance : date;
}
