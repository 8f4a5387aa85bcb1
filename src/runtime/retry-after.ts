/** A Retry-After header in ms: seconds or an HTTP date (RFC 9110 §10.2.3). @param now ms since the Unix epoch */
export function readRetryAfter(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  const wait_ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait_ms) ? undefined : Math.max(0, wait_ms);
}
