import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { isRedisDamage } from "../failure-kinds.ts";
import { type ExpectedIdentity, type LostParts, StorageReplacedError } from "../identity/expected-identity.ts";
import { classifyFailure, refusalError, withinDeadline, withoutCommand } from "./redis-errors.ts";
import { RedisIdentity } from "./redis-identity.ts";
import { hashTagOf } from "./redis-keys.ts";
import { RedisLink } from "./redis-link.ts";
import { clusterNodes, clusterOptions, redisOptions, RETRY_AFTER_MS, TRY_FOR_MS } from "./redis-options.ts";
import type { RedisSettings } from "./redis-url.ts";

/** How long the second try waits at least for a connection that was lost, ms. */
const SECOND_TRY_MS = 250;

/** `uncertain`: an earlier try may have been applied, though its reply did not arrive. */
type Tries = { readonly uncertain: boolean };

interface RunOptions {
  /** Not to be run again when it may have been applied. */
  readonly once?: boolean;
  /** Its failure domain: the server, or the slots of a node. Callers do not wait one after the other for one that is down. */
  readonly domain?: string;
}

/** A connection to one Redis or to a cluster, which is restored in the background. It connects when it is first used. */
export class RedisConnection {
  readonly client: Redis | Cluster;
  /** Its URL without secrets and parameters. */
  readonly name: string;
  readonly #link: RedisLink;
  readonly #breaker = createCircuitBreaker(TRY_FOR_MS);
  readonly #identity: RedisIdentity | undefined;

  /** @param identity what the servers must bear; nothing is checked without it */
  constructor(
    client: Redis | Cluster,
    name: string,
    identity?: { readonly expected: ExpectedIdentity; readonly prefix: string },
  ) {
    this.client = client;
    this.name = name;
    this.#link = new RedisLink(client, name, () => this.#breaker.reset());
    const generation = (): number => this.#link.generation();
    this.#identity = identity && new RedisIdentity({ client, name, generation, ...identity });
  }

  /** Rises each time a server was lost or another one took its place: what was read may not exist any more. */
  generation(): number {
    return this.#link.generation() + (this.#identity?.generation() ?? 0);
  }

  /** Reads the identity of the server, or of the primary, that holds a key. @throws StorageReplacedError */
  async verify(name: string): Promise<void> {
    await this.run(async () => this.#identity?.verify(this.#domainOf(name)));
  }

  /** Reads the identity of every server, once one is expected. @throws StorageError when none answers */
  async findLost(): Promise<LostParts> {
    if (this.#identity?.expected.id === undefined) return { lost: [], parts: 1 };
    await this.ready();
    const places = this.#identity.places();
    const looks = await Promise.allSettled(places.map((place) => this.run(async () => this.#identity!.look(place))));
    const errors = looks.flatMap((look) => (look.status === "rejected" ? [look.reason as unknown] : []));
    const lost = errors.filter((error) => error instanceof StorageReplacedError);
    if (errors.length > lost.length && errors.length === places.length) throw errors[0];
    return { lost, parts: places.length };
  }

  /** Waits until commands can be sent. @throws StorageError after a second without a server */
  ready(): Promise<void> {
    return this.#link.ready(performance.now() + TRY_FOR_MS);
  }

  /**
   * Runs commands, again after a failure, for at most a second and one command's time. While its `domain` is known not to
   * answer, most callers get an error at once.
   *
   * @throws StorageError when the server cannot be reached, refuses, or does not answer in time; the server's own error
   * where that concerns one key alone
   */
  async run<T>(action: (tries: Tries) => Promise<T>, { once = false, domain }: RunOptions = {}): Promise<T> {
    const began = performance.now();
    const until = began + TRY_FOR_MS;
    const outage = domain === undefined ? undefined : this.#breaker.errorOf(domain);
    if (outage !== undefined) {
      await setImmediate();
      throw this.#link.failure({ error: outage });
    }
    let uncertain = false;
    let replyError: Error | undefined;
    for (let tries = 1; ; tries++) {
      if (!this.#link.isReady()) {
        // The first try may have failed because this process was busy and heard nothing: the second has its own time.
        const end = tries === 2 ? Math.max(until, performance.now() + SECOND_TRY_MS) : until;
        await this.#link.ready(end, { error: replyError, uncertain });
      }
      try {
        const result = await this.#runOnce(() => action({ uncertain }), domain);
        if (domain !== undefined) this.#breaker.answered(domain);
        return result;
      } catch (thrown) {
        const error = withoutCommand(thrown as Error);
        const outcome = classifyFailure(error);
        if (outcome === "failed") throw isRedisDamage(error) ? error : refusalError(this.name, error);
        if (outcome === "uncertain") uncertain = true;
        replyError = error.name === "ReplyError" ? error : undefined;
        const isLate = tries > 1 && performance.now() >= until;
        if ((once && outcome === "uncertain") || isLate) {
          if (domain !== undefined) this.#breaker.failed(domain, error, began);
          throw this.#link.failure({ error, uncertain });
        }
        await delay(RETRY_AFTER_MS);
      }
    }
  }

  /** Runs commands on a key, or on several that share its hash tag, likewise. */
  runOn<T>(name: string, action: (tries: Tries) => Promise<T>, options: { readonly once?: boolean } = {}): Promise<T> {
    return this.run(action, { ...options, domain: this.#domainOf(name) });
  }

  close(): Promise<void> {
    this.#link.close();
    return Promise.resolve();
  }

  /** The one server, or the slots of a cluster's node, for which the hash tag is enough. */
  #domainOf(name: string): string {
    return this.client instanceof Cluster ? hashTagOf(name) : "";
  }

  async #runOnce<T>(action: () => Promise<T>, domain: string | undefined): Promise<T> {
    this.#link.checkReplicationId();
    const known = domain === undefined ? undefined : this.#identity?.admit(domain);
    if (known !== undefined) await known;
    const result = await withinDeadline(this.client, action());
    if (domain !== undefined) this.#identity?.confirm(domain);
    return result;
  }
}

/** A new connection to the server or cluster of the settings. */
export function connectRedis(settings: RedisSettings): RedisConnection {
  const client = settings.cluster
    ? new Cluster(clusterNodes(settings), clusterOptions(settings))
    : new Redis({ ...settings.nodes[0], ...redisOptions(settings) });
  return new RedisConnection(client, settings.shown.replace(/\?.*/s, ""));
}

/** The most domains remembered: each is a user of a lost node. */
const MAX_DOMAINS = 10_000;

/**
 * A circuit breaker for each failure domain, so that queued callers do not each wait for a domain that does not answer.
 * After a failed call, the next one is let through once as much time has passed as the failed call took.
 *
 * @param minOutageMs how long a domain must have failed before callers are spared the wait
 */
function createCircuitBreaker(minOutageMs: number) {
  const outages = new Map<string, { readonly since: number; tryAt: number; error: Error }>();
  return {
    /** Why the domain should not be called now; undefined when it is up, or when this caller, and no other, should try. */
    errorOf(domain: string): Error | undefined {
      const outage = outages.get(domain);
      const now = performance.now();
      if (outage === undefined || now - outage.since < minOutageMs) return undefined;
      if (now < outage.tryAt) return outage.error;
      // Other callers do not wait meanwhile.
      outage.tryAt = now + 2 * minOutageMs;
      return undefined;
    },
    /** A call on the domain failed. @param began when it began, as `performance.now()` counts */
    failed(domain: string, error: Error, began: number): void {
      const now = performance.now();
      if (outages.size >= MAX_DOMAINS) outages.clear();
      outages.set(domain, { since: outages.get(domain)?.since ?? began, tryAt: now + (now - began), error });
    },
    answered(domain: string): void {
      if (outages.size > 0) outages.delete(domain);
    },
    /** Every domain should be tried again. */
    reset(): void {
      outages.clear();
    },
  };
}
