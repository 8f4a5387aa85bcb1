import type { Clock } from "../../runtime/clock.ts";
import type { Random } from "../../runtime/random.ts";
import { SourceError } from "./source-error.ts";

/** Pause after the second failure in a row, ms; it doubles with each further one. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Bound of what a server may ask for in `Retry-After`, ms. */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/**
 * When this process may ask remote sources again. A failing one is asked ever less often, each at its own time; `Retry-After`
 * is obeyed; one that is gone (410) is not asked again until a restart.
 */
export class SourcePacing {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #failing = new Map<string, { readonly failures: number; readonly until: number }>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  isPaused(location: string): boolean {
    return (this.#failing.get(location)?.until ?? 0) > this.#clock.now();
  }

  succeeded(location: string): void {
    this.#failing.delete(location);
  }

  failed(location: string, { failure, retry_after_ms = 0 }: SourceError): void {
    const failures = (this.#failing.get(location)?.failures ?? 0) + 1;
    const asked = Math.min(retry_after_ms, LONGEST_RETRY_AFTER_MS);
    const pause = failure === "gone" ? Infinity : Math.max(asked, this.#pauseAfter(failures));
    this.#failing.set(location, { failures, until: this.#clock.now() + pause });
  }

  /** Between half of the pause and all of it, so that sources that failed together are not asked together. */
  #pauseAfter(failures: number): number {
    if (failures < 2) return 0;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 2));
    return (longest / 2) * (1 + this.#random.bytes(4).readUInt32BE() / 2 ** 32);
  }
}

/**
 * The error of a response that is not a success.
 *
 * @param now milliseconds since the epoch, for a date in `Retry-After` (RFC 9110 §10.2.3)
 */
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
