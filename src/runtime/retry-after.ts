/** A Retry-After header in ms: seconds, however many, or an HTTP date (RFC 9110 §10.2.3). @param now ms since the Unix epoch */
export function readRetryAfter(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  const wait_ms = /^\d+$/.test(text) ? Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER) : Date.parse(text) - now;
  return Number.isNaN(wait_ms) ? undefined : Math.max(0, wait_ms);
}
