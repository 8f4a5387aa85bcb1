/** Waits for `ms` milliseconds; rejects with the signal's reason when it aborts first. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits on the machine's timer. */
export const timerWait: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error("Aborted"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 8_000;

/** Milliseconds before the next try: what the server asks for (RFC 9110 §10.2.3), else doubling from 300. */
export function retryDelay(
  attempt: number,
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): number {
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

/** Whether another try of a request that failed with this HTTP status may succeed; undefined: no response came. */
export function isWorthRetrying(status: number | undefined): boolean {
  if (status === undefined || status < 400 || status >= 500) return true;
  return [408, 409, 425, 429].includes(status);
}
