import { createRateLimits } from "../http/rate-limits.ts";
import type { Config } from "../config/config-schema.ts";

/** How long Redis may take to count one request, ms; after that the daemon counts in its own memory. */
const COUNT_MS = 250;

/** The rate limits of a daemon, and the way to free what they hold. */
export type OpenRates = Awaited<ReturnType<typeof openRateLimits>>;

/** Opens the rate limits of the configuration: in the storage's Redis, over a separate connection, or in memory. */
export async function openRateLimits({ storage, limits }: Config, watch: Parameters<typeof createRateLimits>[2]) {
  const wanted = Object.values(limits.rates).some(({ requests }) => requests > 0);
  if (!wanted || limits.store === "memory" || !/^rediss?(-cluster)?:/.test(storage)) {
    return { rates: await createRateLimits(limits.rates, undefined, watch), close: () => Promise.resolve() };
  }
  const { connectRedis } = await import("../storage/redis/redis-connection.ts");
  const { parseRedisUrl } = await import("../storage/redis/redis-url.ts");
  const settings = parseRedisUrl(storage);
  const connection = connectRedis({ ...settings, timeoutMs: Math.min(COUNT_MS, settings.timeoutMs) });
  // A failed connection is retried in the background.
  await connection.ready().catch(() => undefined);
  const rates = await createRateLimits(limits.rates, { client: connection.client, prefix: settings.prefix }, watch);
  return { rates, close: () => connection.close() };
}
