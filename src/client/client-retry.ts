/** How often a call is retried and how long it waits. Times in ms. */
export const RETRY_POLICY = {
  retries: 3, // Attempts after the first.
  base_ms: 200, // The wait before the first retry; it doubles with each retry.
  max_ms: 5000,
  retry_after_ms: 30_000, // The longest Retry-After to wait for; a longer one ends the call.
};

export type RetryPolicy = Readonly<typeof RETRY_POLICY>;
/** Statuses after which a retry may succeed: RFC 9110 §15.5.9, §15.6, RFC 6585 §4. */
export const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** The wait before the next attempt, ms: exponential backoff with jitter in its upper half, at least the Retry-After.
 * Undefined when there is to be no retry. `attempt` is the number of the last attempt, from 1. */
export function retryDelay(attempt: number, retryAfter_ms = 0, policy: RetryPolicy): number | undefined {
  if (attempt > policy.retries || retryAfter_ms > policy.retry_after_ms) return undefined;
  const step = Math.min(policy.max_ms, policy.base_ms * 2 ** (attempt - 1));
  return Math.max(retryAfter_ms, Math.round(step * (0.5 + Math.random() / 2)));
}
