import { setTimeout as delay } from "node:timers/promises";
import { createQuotaRules } from "../accounts/quota-rules.ts";
import { DAY_MS } from "../runtime/clock.ts";
import { pruneStorage } from "../admin/prune-storage.ts";
import type { Service } from "../service/service.ts";

const MIN_WAIT_MS = 1000; // The shortest wait, ms: a timer may end a little before the midnight that it waits for.

/** Removes expired data at each midnight of the quota's zone, until the signal is aborted. Several daemons may do so at
 * once. @param wait waits so many ms, or until the signal is aborted */
export async function startRetention(
  service: Pick<Service, "storage" | "clock" | "config" | "logger">,
  signal: AbortSignal,
  wait = (ms: number): Promise<unknown> => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
): Promise<void> {
  const { config, clock, logger } = service;
  if (config.retention.answers_days === undefined && config.retention.events_days === undefined) return;
  const rules = createQuotaRules(config.quota.timezone);
  for (;;) {
    const now = clock.now();
    const { next_reset_at } = rules.stateOf({ day: "", used: 0 }, 0, now);
    await wait(Math.min(DAY_MS, Math.max(MIN_WAIT_MS, Date.parse(next_reset_at) - now)));
    if (signal.aborted) return;
    try {
      const pruned = await pruneStorage(service, { onStep: () => signal.throwIfAborted() });
      logger.info(Object.fromEntries(pruned.map(({ kind, count }) => [kind, count])), "removed what is no longer kept");
    } catch (error) {
      if (error === signal.reason) return;
      logger.error({ err: error }, "what is no longer kept could not be removed; it is tried again in a day");
    }
  }
}
