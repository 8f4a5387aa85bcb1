import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config/config-schema.ts";
import type { ConcurrencyLimits } from "../http/concurrency-limits.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Listener } from "./listen.ts";
import type { OpenRates } from "./open-rate-limits.ts";

/** The parts of a daemon that a drain stops. */
export interface Drained {
  readonly listeners: readonly Listener[];
  readonly inFlight: ConcurrencyLimits;
  readonly rates: OpenRates;
}

/**
 * Drains a daemon after a stop signal: waits `server.drain_delay_ms` for load balancers to notice, stops accepting, waits
 * up to `server.drain_ms` for running requests, and cuts the rest off.
 *
 * @param finishBackground ends the background work
 */
export async function drain(
  { listeners, inFlight, rates }: Drained,
  server: Config["server"],
  finishBackground: () => Promise<unknown>,
  logger: Logger,
): Promise<void> {
  const { drain_ms, drain_delay_ms } = server;
  const background = finishBackground();
  await wait(drain_delay_ms);
  // Counted before the listeners cut them off at the same moment.
  const cut = setTimeout(() => {
    const requests = inFlight.running();
    if (requests > 0) logger.warn({ requests, drain_ms }, "requests were cut: they ran longer than drain_ms");
  }, drain_ms);
  await Promise.all([...listeners.map((listener) => listener.stop(drain_ms)), background]);
  clearTimeout(cut);
  await rates.close();
}
