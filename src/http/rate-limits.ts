import { LRUCache } from "lru-cache";
import type { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { RATE_GROUPS, type RateGroup } from "../contract/endpoints.ts";
import { AnpError } from "../contract/errors.ts";
import type { LimitsConfig } from "../config/server-config.ts";

/** How many requests a caller may send to a group of operations in a window of time. */
export interface RateLimits {
  /**
   * Counts one request.
   *
   * @param caller who it is counted for
   * @returns headers that say what is left; undefined where the group has no limit
   * @throws AnpError 429 with `Retry-After`
   */
  take(group: RateGroup, caller: string): Promise<Record<string, string>> | undefined;
}

/** A Redis to count in, so that several daemons share the limits. */
export interface RateStore {
  /** A client of ioredis, of one server or of a cluster. */
  readonly client: object;
  /** Prefix of the counters' names. */
  readonly prefix: string;
}

/** The rest of a limit, in the fields of rate-limiter-flexible. */
interface Left {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

/** Counts one request of a caller. */
type Count = (caller: string) => Promise<Left & { readonly isRefused?: true }>;

interface Rule {
  readonly group: RateGroup;
  readonly requests: number;
  readonly window_s: number;
  readonly count: Count;
}

/**
 * The rate limits of the configuration; undefined when there are none. They are counted in `store`, or in memory without
 * one; while the store does not answer, each daemon counts for itself.
 *
 * @example
 * const limits = await createRateLimits({ chat: { requests: 60, window_s: 60 } }, undefined);
 * const headers = await limits?.take("chat", "user:alice");
 */
export async function createRateLimits(
  rates: LimitsConfig["rates"],
  store: RateStore | undefined,
): Promise<RateLimits | undefined> {
  const limited = RATE_GROUPS.filter((group) => rates[group] !== undefined);
  if (limited.length === 0) return undefined;
  const library = await import("rate-limiter-flexible");
  const rules = new Map<RateGroup, Rule>();
  for (const group of limited) {
    const { requests, window_s } = rates[group]!;
    const bounds = { points: requests, duration: window_s };
    const inMemory = countInMemory(new library.RateLimiterMemory({ ...bounds, keyPrefix: group }));
    const count =
      store === undefined
        ? inMemory
        : countInRedis(new library.RateLimiterRedis({ ...bounds, ...redisOptions(group, requests, store) }), inMemory);
    rules.set(group, { group, requests, window_s, count });
  }
  return {
    take(group, caller) {
      const rule = rules.get(group);
      return rule === undefined ? undefined : take(rule, caller);
    },
  };
}

/** Counts a request by its rule; see `RateLimits.take`. */
async function take(rule: Rule, caller: string): Promise<Record<string, string>> {
  const left = await rule.count(caller);
  const headers = headersOf(rule, left);
  if (left.isRefused !== true) return headers;
  throw new AnpError(429, `The rate limit of ${rule.requests} requests in ${rule.window_s} s is used up.`, {
    headers: { ...headers, "retry-after": String(seconds(left.msBeforeNext)) },
  });
}

/** Bound of the callers that are counted in memory, per group. */
const CALLERS = 50_000;

/** Counts in memory, and evicts the least recently seen caller beyond the bound: addresses are easy to change. */
function countInMemory(limiter: RateLimiterMemory): Count {
  const seen = new LRUCache<string, true>({
    max: CALLERS,
    noDisposeOnSet: true,
    dispose: (_seen, caller) => void limiter.delete(caller),
  });
  return (caller) => {
    seen.set(caller, true);
    return limiter.consume(caller).catch(refusedOrFailed);
  };
}

/** Counts in Redis; while it does not answer, as `fallback` does. */
function countInRedis(limiter: RateLimiterRedis, fallback: Count): Count {
  return (caller) =>
    limiter
      .consume(caller)
      .catch(refusedOrFailed)
      .catch(() => fallback(caller));
}

/** The library rejects with what is left when a limit is used up, and with an error when the counting failed. */
function refusedOrFailed(reason: unknown): Left & { isRefused: true } {
  if (reason instanceof Error) throw reason;
  const { remainingPoints, msBeforeNext } = reason as Left;
  return { remainingPoints, msBeforeNext, isRefused: true };
}

function redisOptions(group: RateGroup, requests: number, { client, prefix }: RateStore) {
  return {
    storeClient: client,
    keyPrefix: `${prefix}:rates:${group}`,
    rejectIfRedisNotReady: true,
    // A caller who has used up a window is refused without another call to Redis.
    inMemoryBlockOnConsumed: requests + 1,
  };
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-10: the policy's quota and window, what is left and until when. */
function headersOf({ group, requests, window_s }: Rule, left: Left): Record<string, string> {
  return {
    "ratelimit-policy": `"${group}";q=${requests};w=${window_s}`,
    ratelimit: `"${group}";r=${Math.max(0, left.remainingPoints)};t=${seconds(left.msBeforeNext)}`,
  };
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
