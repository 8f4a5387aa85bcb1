import { UsageError } from "./exit.ts";
import type { Expiry } from "./value-readers.ts";

/**
 * The instant that --expires names, ms since the epoch; undefined for never.
 *
 * @throws UsageError when it is not in the future
 */
export function expiresAt(expires: Expiry | undefined, now: number): number | undefined {
  const at = expires?.(now);
  if (at !== undefined && at <= now) throw new UsageError("--expires must be in the future.");
  return at;
}
