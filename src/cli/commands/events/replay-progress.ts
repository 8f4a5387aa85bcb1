import type { Terminal } from "../../terminal/terminal.ts";

/** Time between two drawings, ms. */
const EVERY_MS = 100;
const BAR = 24;

/** How far a replay is. */
export interface ReplayProgress {
  /** Bytes of the file that are done with, and its size; the size is unknown for stdin. */
  readonly offset: number;
  readonly size: number | undefined;
  /** Lines that were read. */
  readonly read: number;
  readonly rejected: number;
}

/** Draws a bar with rate and time left on stderr, where that is a terminal. */
export function createProgress(terminal: Terminal): { draw(progress: ReplayProgress): void; clear(): void } {
  let first: { readonly at: number; readonly progress: ReplayProgress } | undefined;
  let drawnAt = -Infinity;
  return {
    draw(progress) {
      const now = performance.now();
      if (now - drawnAt < EVERY_MS) return;
      drawnAt = now;
      first ??= { at: now, progress };
      const seconds = (now - first.at) / 1000;
      terminal.progress(textOf(progress, first.progress, seconds));
    },
    clear() {
      terminal.progress("");
    },
  };
}

function textOf({ offset, size, read, rejected }: ReplayProgress, first: ReplayProgress, seconds: number): string {
  const parts = [`${read.toLocaleString("en")} events`];
  if (seconds > 0.5) parts.push(`${Math.round((read - first.read) / seconds).toLocaleString("en")}/s`);
  if (rejected > 0) parts.push(`${rejected.toLocaleString("en")} rejected`);
  if (size === undefined) return parts.join("  ");
  const share = size === 0 ? 1 : Math.min(1, offset / size);
  const speed = (offset - first.offset) / seconds;
  if (seconds > 0.5 && speed > 0) parts.push(`${showDuration((size - offset) / speed)} left`);
  const done = Math.floor(share * BAR);
  const bar = `[${"#".repeat(done)}${"-".repeat(BAR - done)}]`;
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${parts.join("  ")}`;
}

/** `1:05:09`, `5:09`. */
function showDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}
