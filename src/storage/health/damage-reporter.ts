import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import type { Logger } from "../../runtime/logger.ts";
import { CorruptionError } from "../storage.ts";

/** Reports an error that is about a damaged value. @returns false, without a report, for any other error */
export type ReportDamage = (error: unknown) => boolean;
type ReporterDeps = { logger: Logger; observer?: { damaged(key: string): void } | undefined };

const LOGGED_FOR_MS = 600_000; // A damaged value is logged again after this time, ms, if it is still asked for.

/** Logs each damaged value once in ten minutes, and counts it each time. Only requests that need that value fail. */
export function createDamageReporter(deps: ReporterDeps): ReportDamage {
  const logged = new BoundedLru<true>(1000, { ttl: LOGGED_FOR_MS });
  return (error) => {
    if (!(error instanceof CorruptionError)) return false;
    const { key } = error;
    deps.observer?.damaged(key);
    if (logged.has(key)) return true;
    logged.set(key, true);
    const remedy = "Restore it from a backup; `anp ledger verify` names all that is wrong.";
    deps.logger.error({ key, err: error, remedy }, "a stored value is damaged, and what needs it is not served");
    return true;
  };
}
