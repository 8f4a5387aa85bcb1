import { within } from "../runtime/within.ts";

/** How long a request waits for what is new, ms. */
const PATIENCE_MS = 100;

/** The result if it comes soon, else what is known already; also when it fails. */
export function promptly<T>(result: Promise<T>, known: T): Promise<T> {
  const kept = result.catch(() => known);
  return within(kept, PATIENCE_MS, () => known);
}
