import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

const EPOCH_MS = 1_767_225_600_000; // 2026-01-01: from here, 41 bits of milliseconds last until the year 2095.
const RANDOM_BITS = 12;
const POOL_BYTES = { first: 64, most: 4096 }; // For many ids at once: a call for each would cost more than the rest of a request.
const DIGITS = "0123456789abcdefghijklmnopqrstuv";
export type Ids = ReturnType<typeof createIds>;

/** Ids from a clock and randomness. An integer is unique only once a record has it: the caller retries on a clash. */
export function createIds(clock: Clock, random: Random) {
  let last = 0;
  let [pool, used, size] = ["", 0, POOL_BYTES.first];

  function digits(count: number): string {
    if (used + count > pool.length) {
      pool = Buffer.from(random.bytes(size).map((byte) => DIGITS.charCodeAt(byte & 31))).toString("latin1");
      [used, size] = [0, Math.min(2 * size, POOL_BYTES.most)];
    }
    used += count;
    return pool.slice(used - count, used);
  }

  return {
    /** A positive integer below 2^53, ordered by time to the millisecond: 41 bits of time, 12 of randomness. Within one
     * process it always increases, also when the clock does not advance or steps back. */
    integer(): number {
      const elapsed = Math.max(1, clock.now() - EPOCH_MS);
      const noise = parseInt(digits(3), 32) % 2 ** RANDOM_BITS;
      last = Math.max(last + 1, elapsed * 2 ** RANDOM_BITS + noise);
      return last;
    },
    /** A request id: 26 characters of `[0-9a-z]`, unique without a check (80 random bits a millisecond). */
    request(): string {
      return `r${Math.max(0, clock.now()).toString(36).padStart(9, "0")}${digits(16)}`;
    },
  };
}

/** The least integer id of an instant, ms since the epoch. */
export const minIdAt = (ms: number): number => (ms - EPOCH_MS) * 2 ** RANDOM_BITS;
/** When an integer id was generated, ms since the epoch. */
export const idTime = (id: number): number => EPOCH_MS + Math.floor(id / 2 ** RANDOM_BITS);

/** When a request id, or the beginning of one, was generated, ms since the epoch; undefined for another form. */
export function requestTime(id: string): number | undefined {
  const at = parseInt(/^r([0-9a-z]{9})[0-9a-v]{0,16}$/.exec(id)?.[1] ?? "", 36);
  return at > EPOCH_MS && at < EPOCH_MS + 2 ** 41 ? at : undefined;
}
