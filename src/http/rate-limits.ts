import { LRUCache } from "lru-cache";
import type { IRateLimiterOptions, RateLimiterMemory } from "rate-limiter-flexible";
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
  /** What the names of the counters start with. */
  readonly prefix: string;
}

/** What is left of a limit. */
interface Left {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

interface Rule {
  readonly requests: number;
  readonly window_s: number;
  readonly consume: (caller: string) => Promise<Left>;
}

/**
 * The rate limits of the configuration; undefined when there are none. They are counted in `store`, or in memory without
 * one; while the store does not answer, each daemon counts for itself.
 */
export async function createRateLimits(
  rates: LimitsConfig["rates"],
  store: RateStore | undefined,
): Promise<RateLimits | undefined> {
  const asked = RATE_GROUPS.flatMap((group) => {
    const rate = rates[group];
    return rate === undefined ? [] : [{ group, ...rate }];
  });
  if (asked.length === 0) return undefined;
  const { RateLimiterMemory: Memory, RateLimiterRedis } = await import("rate-limiter-flexible");

  const rules = new Map<RateGroup, Rule>();
  for (const { group, requests, window_s } of asked) {
    const bounds = { points: requests, duration: window_s };
    const memory = boundedMemory(Memory, { ...bounds, keyPrefix: group });
    const limiter =
      store === undefined
        ? memory
        : new RateLimiterRedis({
            ...bounds,
            keyPrefix: `${store.prefix}:rates:${group}`,
            storeClient: store.client,
            rejectIfRedisNotReady: true,
            insuranceLimiter: memory,
            // Who has used up a window is refused without asking Redis again.
            inMemoryBlockOnConsumed: requests + 1,
          });
    rules.set(group, { requests, window_s, consume: (caller) => limiter.consume(caller) });
  }

  async function count(group: RateGroup, rule: Rule, caller: string): Promise<Record<string, string>> {
    let left: Left;
    try {
      left = await rule.consume(caller);
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      const headers = headersOf(group, rule, refusal as Left);
      const message = `The rate limit of ${rule.requests} requests in ${rule.window_s} s is used up.`;
      throw new AnpError(429, message, {
        headers: { ...headers, "retry-after": String(seconds((refusal as Left).msBeforeNext)) },
      });
    }
    return headersOf(group, rule, left);
  }

  return {
    take(group, caller) {
      const rule = rules.get(group);
      return rule === undefined ? undefined : count(group, rule, caller);
    },
  };
}

/** Callers that are counted in memory, of one group. */
const CALLERS = 50_000;

/** Counts in memory, but forgets who was seen longest ago where there are too many: addresses cost nothing. */
function boundedMemory(Memory: typeof RateLimiterMemory, options: IRateLimiterOptions): RateLimiterMemory {
  const limiter = new Memory(options);
  const seen = new LRUCache<string, true>({
    max: CALLERS,
    noDisposeOnSet: true,
    dispose: (_seen, caller) => void limiter.delete(caller),
  });
  const consume = limiter.consume.bind(limiter);
  limiter.consume = (caller, ...more) => {
    seen.set(String(caller), true);
    return consume(caller, ...more);
  };
  return limiter;
}

/** As draft-ietf-httpapi-ratelimit-headers-10 spells them: quota and window of the policy, what is left and until when. */
function headersOf(group: RateGroup, { requests, window_s }: Rule, left: Left): Record<string, string> {
  return {
    "ratelimit-policy": `"${group}";q=${requests};w=${window_s}`,
    ratelimit: `"${group}";r=${Math.max(0, left.remainingPoints)};t=${seconds(left.msBeforeNext)}`,
  };
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
