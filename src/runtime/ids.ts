import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/** 2026-01-01T00:00:00Z: counting from here leaves 41 bits of milliseconds, until the year 2095. */
const EPOCH_MS = 1_767_225_600_000;
const RANDOM_BITS = 12;

/** Makes identifiers. Integers are unique only once a record was created under them: the caller retries on a clash. */
export interface Ids {
  /**
   * A positive integer below 2^53, ordered by time to the millisecond: 41 bits of time, 12 of randomness. Within one
   * process it always grows, also when the clock stands still or steps back.
   */
  integer(): number;
  /** A request id: 26 characters of `[0-9a-z_]`, unique without a check (80 random bits a millisecond). */
  request(): string;
}

/** Ids from a clock and a source of randomness. */
export function createIds(clock: Clock, random: Random): Ids {
  let last = 0;
  return {
    integer() {
      const elapsed = Math.max(1, clock.now() - EPOCH_MS);
      const noise = random.bytes(2).readUInt16BE() & (2 ** RANDOM_BITS - 1);
      last = Math.max(last + 1, elapsed * 2 ** RANDOM_BITS + noise);
      return last;
    },
    request() {
      const time = Math.max(0, clock.now()).toString(36).padStart(9, "0");
      const noise = BigInt(`0x${random.bytes(10).toString("hex")}`)
        .toString(36)
        .padStart(16, "0");
      return `r${time}${noise}`;
    },
  };
}
