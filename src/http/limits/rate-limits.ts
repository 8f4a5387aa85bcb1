import type { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Config } from "../../config/config-schema.ts";
import type { RateGroup } from "../../contract/endpoints.ts";
import { AnpError } from "../../contract/errors.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createThrottle } from "../../runtime/throttle.ts";
import { createWindowCounter } from "../../runtime/cache/window-counter.ts";
import type { OnRefused } from "./concurrency-limits.ts";

type RateHeaders = Record<string, string> | undefined; // What is left; undefined until half is used.

/** How many requests a caller may send to a group of operations in a window of time. */
export type RateLimits = NonNullable<Awaited<ReturnType<typeof createRateLimits>>>;
type Rates = Config["limits"]["rates"];
type Rate = Rates[RateGroup];

type RateStore = { readonly client: object; readonly prefix: string }; // The client is one of ioredis.
type RateWatch = { readonly logger?: Logger; readonly refused?: OnRefused };

/** The requests of a caller in the current window, this one included, and its remaining ms. */
type Counted = ReturnType<ReturnType<typeof createWindowCounter>>;
type Rule = Rate & { readonly group: RateGroup; readonly count: (caller: string) => Counted | Promise<Counted> };

/** The rate limits of the configuration; undefined when there are none. They are counted in `store`, or in memory
 * without one; while the store does not answer, each daemon counts for itself. */
export async function createRateLimits(rates: Partial<Rates>, store: RateStore | undefined, watch: RateWatch = {}) {
  const rules = new Map<RateGroup, Rule>();
  for (const [group, rate] of Object.entries(rates) as [RateGroup, Rate][]) {
    if (rate.requests === 0) continue;
    const inMemory = createWindowCounter(rate.window_s * 1000);
    const count = store === undefined ? inMemory : await countInRedis(group, rate, store, inMemory);
    rules.set(group, { group, ...rate, count });
  }
  if (rules.size === 0) return undefined;
  const usedUp = createThrottle<string>(WARNED_EVERY_MS, (_times, address) => {
    const advice = "is it a proxy? see server.trusted_proxies";
    watch.logger?.warn({ address }, `one address has used up the limit of anonymous requests; ${advice}`);
  });
  const answer = (rule: Rule, counted: Counted, caller: string): RateHeaders => {
    if (rule.requests - counted.times > Math.ceil(rule.requests / 2)) return undefined;
    if (counted.times <= rule.requests) return headersOf(rule, counted);
    watch.refused?.("rate");
    if (rule.group === "public") usedUp.note(caller.replace("address:", ""));
    throw new AnpError(429, `The rate limit of ${rule.requests} requests in ${rule.window_s} s is used up.`, {
      headers: { ...headersOf(rule, counted), "retry-after": String(seconds(counted.left_ms)) },
    });
  };
  return {
    /** Counts one request.
     * @param caller who it is counted for: `user:…` or `address:…`. Addresses share the limit of the group `public`, if
     * there is one, so that users behind one address do not use up a limit that is meant for one user
     * @returns headers with the remaining requests, once half of a limit is used
     * @throws AnpError 429 with `Retry-After` */
    take(group: RateGroup, caller: string): RateHeaders | Promise<RateHeaders> {
      const rule = (caller.startsWith("address:") ? rules.get("public") : undefined) ?? rules.get(group);
      if (rule === undefined) return undefined;
      const counted = rule.count(caller);
      if (counted instanceof Promise) return counted.then((known) => answer(rule, known, caller));
      return answer(rule, counted, caller);
    },
  };
}

async function countInRedis(group: RateGroup, rate: Rate, store: RateStore, fallback: (caller: string) => Counted) {
  const { requests, window_s } = rate;
  const { RateLimiterRedis } = await import("rate-limiter-flexible");
  const limiter: RateLimiterRedis = new RateLimiterRedis({
    points: requests,
    duration: window_s,
    storeClient: store.client,
    keyPrefix: `${store.prefix}:rates:${group}`,
    rejectIfRedisNotReady: true,
    inMemoryBlockOnConsumed: requests + 1, // Once a window is used up, refusals need no Redis call.
  });
  return (caller: string): Promise<Counted> =>
    // It rejects with the remaining time when a limit is used up, and with an Error when the counting failed.
    limiter.consume(caller).then(
      ({ consumedPoints, msBeforeNext }) => ({ times: consumedPoints, left_ms: msBeforeNext }),
      (reason: unknown) => {
        if (reason instanceof Error) return fallback(caller);
        return { times: requests + 1, left_ms: (reason as RateLimiterRes).msBeforeNext };
      },
    );
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-10: the policy's quota and window, what is left and until when. */
const headersOf = ({ group, requests, window_s }: Rule, { times, left_ms }: Counted): Record<string, string> => ({
  "ratelimit-policy": `"${group}";q=${requests};w=${window_s}`,
  ratelimit: `"${group}";r=${Math.max(0, requests - times)};t=${seconds(left_ms)}`,
});

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

const WARNED_EVERY_MS = 60_000;
const COUNT_MS = 250; // Longest that Redis may take to count a request; then the daemon counts in its own memory.

/** Opens the rate limits of the configuration: in the storage's Redis, over a separate connection, or in memory.
 * @returns a daemon's rate limits, and `close` for their connection */
export async function openRateLimits({ storage, limits }: Config, watch: RateWatch) {
  const wanted = Object.values(limits.rates).some(({ requests }) => requests > 0);
  if (!wanted || limits.store === "memory" || !/^rediss?(-cluster)?:/.test(storage))
    return { rates: await createRateLimits(limits.rates, undefined, watch), close: () => undefined };
  const { connectRedis } = await import("../../storage/redis/redis-connection.ts");
  const settings = (await import("../../storage/redis/redis-url.ts")).parseRedisUrl(storage);
  const connection = connectRedis({ ...settings, timeoutMs: Math.min(COUNT_MS, settings.timeoutMs) });
  await connection.ready().catch(() => undefined); // A failed connection is retried in the background.
  const rates = await createRateLimits(limits.rates, { client: connection.client, prefix: settings.prefix }, watch);
  return { rates, close: () => connection.close() };
}
