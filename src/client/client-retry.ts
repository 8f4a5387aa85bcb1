import type { Random } from "../runtime/random.ts";

/** How often and how patiently a call is sent again. Times in ms. */
export interface RetryPolicy {
  /** Sendings after the first. */
  readonly retries: number;
  /** The wait before the first of them; it doubles with each. */
  readonly base_ms: number;
  readonly most_ms: number;
  /** The longest Retry-After that is waited for; a longer one ends the call. */
  readonly retry_after_ms: number;
}

export const RETRY_POLICY: RetryPolicy = { retries: 3, base_ms: 200, most_ms: 5000, retry_after_ms: 30_000 };

/** Statuses that say "later": RFC 9110 §15.5.9, §15.6, RFC 6585 §4. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Whether the same request may succeed later.
 *
 * @param code the envelope's code; one of the service's own says what is so, and sending again does not change it
 */
export function isPassing(status: number, code: number | undefined): boolean {
  return PASSING.has(status) && (code === undefined || code < 1000);
}

/**
 * Whether the request certainly had no effect, so that any may be sent again: a daemon refuses by 429 before it does
 * anything.
 */
export function hadNoEffect(status: number): boolean {
  return status === 429;
}

/**
 * The wait before sending number `attempt` + 1, ms: exponential, with the upper half of it random so that callers who
 * failed together do not come back together. Retry-After is a least.
 *
 * @param attempt how often it was sent, from 1
 * @returns undefined when it should not be sent again
 */
export function waitBefore(
  attempt: number,
  retryAfter_ms: number | undefined,
  policy: RetryPolicy,
  random: Random,
): number | undefined {
  if (attempt > policy.retries) return undefined;
  if (retryAfter_ms !== undefined && retryAfter_ms > policy.retry_after_ms) return undefined;
  const step = Math.min(policy.most_ms, policy.base_ms * 2 ** (attempt - 1));
  const noise = random.bytes(4).readUInt32BE() / 2 ** 32;
  return Math.max(retryAfter_ms ?? 0, Math.round(step * (0.5 + noise / 2)));
}

/**
 * A Retry-After header in ms: seconds or an HTTP date (RFC 9110 §10.2.3).
 *
 * @param now ms since the Unix epoch
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
