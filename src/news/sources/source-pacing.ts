import type { Clock } from "../../runtime/clock.ts";
import type { Random } from "../../runtime/random.ts";
import { isRemote } from "./read-source.ts";
import type { SourceState } from "../snapshot/snapshot-document.ts";
import type { SourceError } from "./source-error.ts";

/** Exponential backoff, ms: `first` after the second consecutive failure, doubled by each further one up to `longest`.
 * `asked` is the maximum of `Retry-After`, and the pause of a disabled source. */
const PAUSE_MS = { first: 60_000, longest: 3_600_000, asked: 86_400_000 };
const MAX_FAILURES = 20; // Consecutive failures that disable a source.

export type SourcePacing = ReturnType<typeof createSourcePacing>;
export const NO_FAILURE = { failures: undefined, failure: undefined, next_ms: undefined };
type Paced = Pick<SourceState, "failures" | "next_ms" | "failure" | "status">;
const ASKS_TO_WAIT: readonly unknown[] = [429, 503]; // HTTP statuses.

/** Whether a source is requested only once a day, because it is gone (410) or has failed too often in a row. */
export const isDisabled = ({ failures = 0, next_ms, failure }: Paced): boolean =>
  next_ms !== undefined && (failure === "gone" || failures >= MAX_FAILURES);

/** Decides when a failed remote source is requested again: exponential backoff with jitter in the process that saw the
 * failure. The pause of a source that is disabled, or that asked to wait, holds in every process. */
export function createSourcePacing(clock: Clock, random: Random) {
  const paused = new Map<string, number | undefined>();

  /** A random time from half the pause to all of it, so that sources that failed together are not retried together. */
  function pauseAfter(failures: number): number {
    if (failures < 2) return 0;
    const longest = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** (failures - 2));
    return (longest / 2) * (1 + random.bytes(4).readUInt32BE() / 2 ** 32);
  }

  return {
    isPaused(location: string, state: Paced): boolean {
      const isForAll = isDisabled(state) || ASKS_TO_WAIT.includes(state.status);
      const left = (state.next_ms ?? 0) - clock.now(); // Longer than any pause if the clock was wrong.
      return (isForAll || paused.get(location) === state.next_ms) && left > 0 && left <= PAUSE_MS.asked;
    },
    /** The changes to a source's state after a failure. */
    failed(location: string, before: Paced, { failure, status, retry_after_ms = 0 }: SourceError) {
      const failures = (before.failures ?? 0) + 1;
      const isOff = failure === "gone" || failures >= MAX_FAILURES;
      const asked = Math.min(isOff ? Infinity : retry_after_ms, PAUSE_MS.asked);
      const pause = isRemote(location) ? Math.round(Math.max(asked, pauseAfter(failures))) : 0;
      const next_ms = pause === 0 ? undefined : clock.now() + pause;
      paused.set(location, next_ms);
      return { failures, failure, next_ms, ...(status !== undefined && { status }) };
    },
  };
}
