import type { Clock } from "../../runtime/clock.ts";
import type { Random } from "../../runtime/random.ts";
import { SourceError } from "./source-error.ts";

/** Pause after the second failure in a row, ms, which doubles with each further one; the longest, and the longest that a
 * server may ask for in `Retry-After`. */
const PAUSE_MS = { first: 60_000, longest: 3_600_000, asked: 86_400_000 };

export type SourcePacing = ReturnType<typeof createSourcePacing>;

/** When this process may ask remote sources again. A failing one is asked ever less often, each at its own time;
 * `Retry-After` is obeyed; one that is gone (410) is not asked again until a restart. */
export function createSourcePacing(clock: Clock, random: Random) {
  const failing = new Map<string, { readonly failures: number; readonly until: number }>();

  /** Between half of the pause and all of it, so that sources that failed together are not asked together. */
  function pauseAfter(failures: number): number {
    if (failures < 2) return 0;
    const longest = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** (failures - 2));
    return (longest / 2) * (1 + random.bytes(4).readUInt32BE() / 2 ** 32);
  }

  return {
    isPaused: (location: string): boolean => (failing.get(location)?.until ?? 0) > clock.now(),
    succeeded: (location: string): void => void failing.delete(location),
    failed(location: string, { failure, retry_after_ms = 0 }: SourceError): void {
      const failures = (failing.get(location)?.failures ?? 0) + 1;
      const asked = Math.min(retry_after_ms, PAUSE_MS.asked);
      const pause = failure === "gone" ? Infinity : Math.max(asked, pauseAfter(failures));
      failing.set(location, { failures, until: clock.now() + pause });
    },
  };
}

/** The error of a response that is not a success.
 * @param now milliseconds since the epoch, for a date in `Retry-After` (RFC 9110 §10.2.3) */
export function statusError({ status, headers }: Pick<Response, "status" | "headers">, now: number): SourceError {
  if (status === 410) {
    return new SourceError("gone", "the server answered 410 (gone); it is not asked again until a restart");
  }
  const error = new SourceError("status", `the server answered ${status}`);
  const after = headers.get("retry-after");
  if (after !== null) {
    const ms = /^\d{1,10}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
    if (ms > 0) error.retry_after_ms = ms;
  }
  return error;
}
