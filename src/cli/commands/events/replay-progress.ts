import type { Terminal } from "../../terminal/terminal.ts";

const REDRAW_MS = 100;
const BAR_COLUMNS = 24;

interface ReplayProgress {
  /** Bytes of the file that were processed, and its size, which is unknown for stdin. */
  readonly offset: number;
  readonly size: number | undefined;
  readonly read: number;
  readonly rejected: number;
}

/** Draws a progress bar with rate and remaining time on stderr, if that is a terminal. */
export function createProgressBar(terminal: Terminal): (progress: ReplayProgress) => void {
  let first: { readonly at: number; readonly progress: ReplayProgress } | undefined;
  let drawnAt = -Infinity;
  return (progress) => {
    const now = performance.now();
    if (now - drawnAt < REDRAW_MS) return;
    drawnAt = now;
    first ??= { at: now, progress };
    const seconds = (now - first.at) / 1000;
    terminal.progress(showProgress(progress, first.progress, seconds));
  };
}

function showProgress(
  { offset, size, read, rejected }: ReplayProgress,
  first: ReplayProgress,
  seconds: number,
): string {
  const parts = [`${read.toLocaleString("en")} events`];
  if (seconds > 0.5) parts.push(`${Math.round((read - first.read) / seconds).toLocaleString("en")}/s`);
  if (rejected > 0) parts.push(`${rejected.toLocaleString("en")} rejected`);
  if (size === undefined) return parts.join("  ");
  const share = size === 0 ? 1 : Math.min(1, offset / size);
  const speed = (offset - first.offset) / seconds;
  if (seconds > 0.5 && speed > 0) parts.push(`${showDuration((size - offset) / speed)} left`);
  const done = Math.floor(share * BAR_COLUMNS);
  const bar = `[${"#".repeat(done)}${"-".repeat(BAR_COLUMNS - done)}]`;
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${parts.join("  ")}`;
}

/** `1:05:09`, `5:09`. */
function showDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}
