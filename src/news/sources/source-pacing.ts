import type { Clock } from "../../runtime/clock.ts";
import type { Random } from "../../runtime/random.ts";
import { isRemote } from "./read-source.ts";
import type { SourceState } from "../snapshot/snapshot-document.ts";
import type { SourceError } from "./source-error.ts";

/** Pause after the second failure in a row, ms, which doubles with each further one; the longest; and the longest that a
 * server may ask for in `Retry-After`, which is that of a disabled source too. */
const PAUSE_MS = { first: 60_000, longest: 3_600_000, asked: 86_400_000 };
const MOST_FAILURES = 20; // So many failures in a row disable a source.

export type SourcePacing = ReturnType<typeof createSourcePacing>;
/** The state of a source that answers. */
export const NEVER_FAILED = { failures: undefined, failure: undefined, next_ms: undefined };
type Paced = Pick<SourceState, "failures" | "next_ms" | "failure" | "status">;
const ASKS_TO_WAIT: readonly unknown[] = [429, 503]; // Statuses.

/** Whether a source is asked only once a day: it is gone (410), or has failed too often in a row. */
export const isDisabled = ({ failures = 0, next_ms, failure }: Paced): boolean =>
  next_ms !== undefined && (failure === "gone" || failures >= MOST_FAILURES);

/** When remote sources may be asked again. A failing one is asked ever less often, each at its own time, by the process
 * that saw it fail. Every process leaves one alone that is disabled, or asked to wait. */
export function createSourcePacing(clock: Clock, random: Random) {
  const paused = new Map<string, number | undefined>();

  /** Between half of the pause and all of it, so that sources that failed together are not asked together. */
  function pauseAfter(failures: number): number {
    if (failures < 2) return 0;
    const longest = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** (failures - 2));
    return (longest / 2) * (1 + random.bytes(4).readUInt32BE() / 2 ** 32);
  }

  return {
    isPaused(location: string, state: Paced): boolean {
      const isForAll = isDisabled(state) || ASKS_TO_WAIT.includes(state.status);
      const isKnown = isForAll || paused.get(location) === state.next_ms;
      return isKnown && (state.next_ms ?? 0) > clock.now();
    },
    /** What a failure changes in the state of a source. */
    failed(location: string, before: Paced, { failure, status, retry_after_ms = 0 }: SourceError) {
      const failures = (before.failures ?? 0) + 1;
      const isOff = failure === "gone" || failures >= MOST_FAILURES;
      const asked = Math.min(isOff ? Infinity : retry_after_ms, PAUSE_MS.asked);
      const pause = isRemote(location) ? Math.round(Math.max(asked, pauseAfter(failures))) : 0;
      const next_ms = pause === 0 ? undefined : clock.now() + pause;
      paused.set(location, next_ms);
      return { failures, failure, next_ms, ...(status !== undefined && { status }) };
    },
  };
}
