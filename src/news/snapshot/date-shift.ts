const HOUR_MS = 3_600_000;

/** A shift of the dates of local files, which keeps a fixture current. */
export interface DateShift {
  readonly anchor_ms: number; // The instant that the fixture was written for, ms since the epoch.
}

/** The shift of dates of local files, ms: the whole hours since the anchor, 0 before it. */
export const shiftAt = (shift: DateShift | undefined, now: number): number =>
  shift === undefined ? 0 : Math.max(0, Math.floor((now - shift.anchor_ms) / HOUR_MS)) * HOUR_MS;

/** The publication time of an entry as shown, ms since the epoch. */
export type DateOf = (entry: { readonly published_ms: number; readonly movable: boolean }) => number;

/** Shifts dates of local files. Once the anchor is reached, later dates count as the anchor: none is in the future. */
export function createDateShifter(shift: DateShift | undefined, now: number): DateOf {
  const distance = shiftAt(shift, now);
  return ({ published_ms, movable }) =>
    movable && shift && now >= shift.anchor_ms ? Math.min(published_ms, shift.anchor_ms) + distance : published_ms;
}
