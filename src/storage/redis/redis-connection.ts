import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import { withoutCommand, classifyFailure, refusalError } from "./redis-errors.ts";
import { RedisLink } from "./redis-link.ts";
import { clusterNodes, clusterOptions, redisOptions, RETRY_AFTER_MS, TRY_FOR_MS } from "./redis-options.ts";
import { CLUSTER_COMMAND_MS, type RedisSettings } from "./redis-url.ts";

/** How long the second try waits at least for a connection that was lost, ms. */
const SECOND_TRY_MS = 250;

/** What happened to the tries of one operation before this one. */
export interface Tries {
  /** Whether an earlier try may have been applied, though its reply did not arrive. */
  readonly uncertain: boolean;
}

/** How an operation is tried again. */
export interface RunOptions {
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

  constructor(client: Redis | Cluster, name: string) {
    this.client = client;
    this.name = name;
    this.#link = new RedisLink(client, name, () => {
      this.#breaker.reset();
    });
  }

  /** Rises each time a server was lost or another one took its place: what was read may not exist any more. */
  generation(): number {
    return this.#link.generation();
  }

  /** Waits until commands can be sent. @throws StorageError after a second without a server */
  ready(): Promise<void> {
    return this.#link.ready(performance.now() + TRY_FOR_MS);
  }

  /**
   * Runs commands, again after a failure, for at most a second and one command's time. While its `domain` is known not to
   * answer, most callers get an error at once.
   *
   * @throws StorageError when the server cannot be reached, refuses, or does not answer in time
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
        const result = await this.#runOnce(() => action({ uncertain }));
        if (domain !== undefined) this.#breaker.answered(domain);
        return result;
      } catch (thrown) {
        const error = withoutCommand(thrown as Error);
        const outcome = classifyFailure(error);
        if (outcome === "failed") throw refusalError(this.name, error);
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

  close(): Promise<void> {
    this.#link.close();
    return Promise.resolve();
  }

  async #runOnce<T>(action: () => Promise<T>): Promise<T> {
    this.#link.checkReplicationId();
    return this.client instanceof Cluster ? withDeadline(action(), CLUSTER_COMMAND_MS) : action();
  }
}

/** A new connection to the server or cluster of the settings. */
export function connectRedis(settings: RedisSettings): RedisConnection {
  const client = settings.cluster
    ? new Cluster(clusterNodes(settings), clusterOptions(settings))
    : new Redis({ ...settings.nodes[0], ...redisOptions(settings) });
  return new RedisConnection(client, settings.shown.replace(/\?.*$/s, ""));
}

/** A cluster's client does not limit the time of a command that finds no node. */
async function withDeadline<T>(action: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error("Command timed out"));
    }, ms);
  });
  return Promise.race([action, deadline]).finally(() => {
    clearTimeout(timer);
  });
}
