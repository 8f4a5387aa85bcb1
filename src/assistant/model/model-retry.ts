import { setTimeout } from "node:timers/promises";
import { systemClock } from "../../runtime/clock.ts";

/** Waits for `ms` milliseconds; rejects when the signal aborts first. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits on the machine's timer. */
export const timerWait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal });

/** HTTP status and headers of a failed call; undefined when no response came. */
export interface FailedCall {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether another try would fail alike. */
  readonly isFinal: boolean;
}

export interface RetryOptions {
  readonly maxRetries: number;
  /** Milliseconds for all tries and the waits between them. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly wait: Wait;
  readonly describeFailure: (error: unknown) => FailedCall;
  readonly onRetry: (retry: { readonly tried: number; readonly status: number | undefined; delay: number }) => void;
}

/**
 * Calls until a call succeeds. The retries of the `ai` library do not fit: they wait 2 s at first, do not give up when the
 * deadline comes before the next try, ignore a Retry-After of a minute or more, and take an empty or garbled reply of
 * status 200 as final.
 *
 * @throws the last call's error
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxRetries, timeoutMs, signal, wait, describeFailure, onRetry } = options;
  // Time limits are the machine's: a run with a fixed clock must end as well.
  const deadline = performance.now() + timeoutMs;
  for (let tried = 0; ; tried++) {
    try {
      return await call();
    } catch (error) {
      const { status, headers, isFinal: isHopeless } = describeFailure(error);
      const delay = retryDelay(tried, headers, systemClock.now());
      const isFinal = isHopeless || signal.aborted || !isWorthRetrying(status) || tried >= maxRetries;
      if (isFinal || performance.now() + delay >= deadline) throw error;
      onRetry({ tried: tried + 1, status, delay });
      await wait(delay, signal);
    }
  }
}

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 8_000;

/** Milliseconds before the next try: what the server requests (RFC 9110 §10.2.3), else doubling from 300. */
function retryDelay(attempt: number, headers: Readonly<Record<string, string>> | undefined, now: number): number {
  const milliseconds = Number(headers?.["retry-after-ms"]);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const after = headers?.["retry-after"];
  if (after !== undefined) {
    const seconds = Number(after);
    if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
}

/** Whether a repeated request may succeed after this HTTP status; undefined: no response came. */
function isWorthRetrying(status: number | undefined): boolean {
  if (status === undefined || status < 400 || status >= 500) return true;
  return [408, 409, 425, 429].includes(status);
}
