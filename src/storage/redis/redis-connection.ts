import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import type { ExpectedIdentity } from "../identity/storage-identity.ts";
import { type LostParts, StorageError, StorageReplacedError } from "../storage.ts";
import { classifyFailure, isRefusal, isWrongDatabase, reasonOf, refusalError, withinDeadline } from "./redis-errors.ts";
import { createRedisIdentity, type RedisIdentity } from "./redis-identity.ts";
import { hashTagOf } from "./redis-keys.ts";
import { clusterOptions, redisOptions, RETRY_AFTER_MS, SLOTS_REFRESH_MS, RETRY_FOR_MS } from "./redis-options.ts";
import type { RedisSettings } from "./redis-url.ts";
import { stopSocketTimer, watchReplicationId, watchSlotOwners } from "./redis-watchers.ts";

const SECOND_TRY_MS = 250; // Least time that the second try waits for a lost connection, ms.
type Tries = { readonly uncertain: boolean }; // An earlier try may have been applied, though its reply did not arrive.
type EarlierTry = Partial<Tries> & { readonly error?: Error | undefined };

/** A connection to one Redis server or to a cluster. It connects at its first use and reconnects in the background. The
 * client's events set its state: whether it is up, since when and why it is down, what may be lost. */
export class RedisConnection {
  readonly client: Redis | Cluster;
  readonly name: string;
  readonly #breaker = createCircuitBreaker(RETRY_FOR_MS);
  readonly #identity: RedisIdentity | undefined;
  readonly #hasNewOwners: () => boolean;
  readonly #checkReplicationId: () => void; // Before each command: a replaced server is noticed before its reply.
  #losses = 0;
  #downSince: number | undefined = performance.now();
  #isConnecting = false;
  #wasEverReady = false;
  #isClosed = false;
  #lastError: Error | undefined;
  #wrongDatabase: Error | undefined; // The server has no database of our number. The client would go on in database 0.
  readonly #waiting: (() => void)[] = [];
  #refreshes: NodeJS.Timeout | undefined;

  constructor(client: Redis | Cluster, name: string, identity?: { expected: ExpectedIdentity; prefix: string }) {
    this.client = client;
    this.name = name;
    this.#identity =
      identity && createRedisIdentity({ client, name, generation: () => this.#lossesNow(), ...identity });
    this.#hasNewOwners = client instanceof Cluster ? watchSlotOwners(client) : () => false;
    this.#checkReplicationId = client instanceof Redis ? watchReplicationId(client, this.#lost) : () => undefined;
    client.on("error", this.#failed);
    client.on("ready", this.#connected);
    for (const event of ["close", "end"]) client.on(event, this.#disconnected);
    if (client instanceof Cluster) this.#watchNodes(client);
  }

  /** Increases each time a server was lost or replaced: values that were read may no longer exist. */
  generation(): number {
    return this.#lossesNow() + (this.#identity?.generation() ?? 0);
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
    const checks = await Promise.allSettled(places.map((place) => this.run(async () => this.#identity!.check(place))));
    const errors = checks.flatMap((check) => (check.status === "rejected" ? [check.reason as unknown] : []));
    const lost = errors.filter((error) => error instanceof StorageReplacedError);
    if (errors.length > lost.length && errors.length === places.length) throw errors[0];
    return { lost, parts: places.length };
  }

  /** Waits until commands can be sent. @throws StorageError after a second without a server */
  ready(): Promise<void> {
    return this.#readyBy(performance.now() + RETRY_FOR_MS);
  }

  /** Runs commands and retries failed ones, for at most a second plus the timeout of one command.
   * @param domain the server, or a hash tag of a cluster; while its circuit breaker is open, most callers fail at once
   * @param once whether a command that may have been applied must not be retried
   * @throws StorageError for an unreachable, refusing or late server; its own error if it concerns only one key */
  async run<T>(action: (tries: Tries) => Promise<T>, domain?: string, once = false): Promise<T> {
    const began = performance.now();
    const until = began + RETRY_FOR_MS;
    const outage = domain === undefined ? undefined : this.#breaker.errorOf(domain);
    if (outage !== undefined) {
      await setImmediate();
      throw this.#failure({ error: outage });
    }
    let uncertain = false;
    let replyError: Error | undefined;
    for (let tries = 1; ; tries++) {
      if (!this.#isReady()) {
        // The first try may have failed because this process was busy: the second one has its own deadline.
        const end = tries === 2 ? Math.max(until, performance.now() + SECOND_TRY_MS) : until;
        await this.#readyBy(end, { error: replyError, uncertain });
      }
      try {
        const result = await this.#runOnce(() => action({ uncertain }), domain);
        if (domain !== undefined) this.#breaker.answered(domain);
        return result;
      } catch (thrown) {
        const error = thrown as Error;
        // The client attaches the command, with passwords and stored values: they must not get into a log.
        Reflect.deleteProperty(error, "command");
        const outcome = classifyFailure(error);
        if (outcome === "failed") throw refusalError(this.name, error);
        if (outcome === "uncertain") uncertain = true;
        replyError = error.name === "ReplyError" ? error : undefined;
        if ((once && outcome === "uncertain") || (tries > 1 && performance.now() >= until)) {
          if (domain !== undefined) this.#breaker.failed(domain, error, began);
          throw this.#failure({ error, uncertain });
        }
        await delay(RETRY_AFTER_MS);
      }
    }
  }

  /** As `run`, for commands on a key, or on several that share its hash tag. */
  runOn<T>(name: string, action: (tries: Tries) => Promise<T>, once = false): Promise<T> {
    return this.run(action, this.#domainOf(name), once);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#refreshes);
    this.client.disconnect();
  }

  #domainOf(name: string): string {
    return this.client instanceof Cluster ? hashTagOf(name) : "";
  }

  async #runOnce<T>(action: () => Promise<T>, domain: string | undefined): Promise<T> {
    this.#checkReplicationId();
    const known = domain === undefined ? undefined : this.#identity?.admit(domain);
    if (known !== undefined) await known;
    const result = await withinDeadline(this.client, action());
    if (domain !== undefined) this.#identity?.confirm(domain);
    return result;
  }

  #isReady(): boolean {
    return this.client.status === "ready" && this.#wrongDatabase === undefined;
  }

  /** Waits until commands can be sent, or `performance.now()` reaches `until`. @throws StorageError when they cannot */
  async #readyBy(until: number, earlier: EarlierTry = {}): Promise<void> {
    if (this.#isReady()) return;
    if (this.#isClosed) throw new StorageError("The storage is closed.");
    this.#connect();
    // No caller waits for a server that has been down for that long.
    const now = performance.now();
    const left = Math.min(until, (this.#downSince ?? now) + RETRY_FOR_MS) - now;
    if (isRefusal(this.#lastError) || left <= 0) {
      await setImmediate(); // A caller that retries in a loop must not starve the connection's events.
      throw this.#failure(earlier);
    }
    await withTimeout(new Promise<void>((resolve) => this.#waiting.push(resolve)), left, () => undefined);
    if (!this.#isReady()) throw this.#failure(earlier);
  }

  #failure({ error = this.#lastError, uncertain = false }: EarlierTry): Error {
    const reason = error === undefined ? "no reply in time" : reasonOf(error);
    if (uncertain)
      return new StorageError(`Redis at ${this.name} did not answer in time; a write may have been applied: ${reason}`);
    if (error?.name === "ReplyError" || isRefusal(error)) return refusalError(this.name, error!);
    const doubt = !this.#wasEverReady && this.name.startsWith("rediss") ? " (does the server speak TLS?)" : "";
    return new StorageError(`Redis at ${this.name} does not answer: ${reason}${doubt}`);
  }

  #lossesNow(): number {
    if (this.#hasNewOwners()) this.#lost();
    return this.#losses;
  }

  #connect(): void {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    this.#downSince = performance.now();
    // A failure arrives as an event with more detail, and the client keeps trying.
    this.client.connect().catch(() => undefined);
  }

  readonly #connected = (): void => {
    this.#downSince = undefined;
    this.#wasEverReady = true;
    this.#lastError = this.#wrongDatabase; // The database is chosen before the client is ready.
    this.#breaker.reset();
    this.#wake();
  };

  readonly #disconnected = (): void => {
    this.#lost();
    this.#downSince ??= performance.now();
    this.#wrongDatabase = undefined;
    if (this.client instanceof Redis) stopSocketTimer(this.client);
  };

  #watchNodes(cluster: Cluster): void {
    cluster.on("node error", this.#failed);
    this.#refreshes = setInterval(() => {
      if (cluster.status === "ready") cluster.refreshSlotsCache();
    }, SLOTS_REFRESH_MS).unref();
    cluster.on("+node", (node: Redis) => {
      // A command that is redirected while the client is closed still makes it connect.
      if (this.#isClosed) node.disconnect();
      this.#breaker.reset();
      node.on("close", () => {
        this.#lost();
        stopSocketTimer(node);
      });
    });
    cluster.on("-node", this.#lost);
  }

  readonly #lost = (): void => void this.#losses++;

  readonly #failed = (error: Error): void => {
    // The cluster client's own error hides the node's.
    this.#lastError = (error as { lastNodeError?: Error }).lastNodeError ?? error;
    if (isWrongDatabase(this.#lastError)) this.#wrongDatabase = this.#lastError;
    if (isRefusal(this.#lastError)) this.#wake();
  };

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

export function connectRedis(settings: RedisSettings): RedisConnection {
  const client = settings.cluster
    ? new Cluster(settings.nodes, clusterOptions(settings))
    : new Redis({ ...settings.nodes[0], ...redisOptions(settings) });
  return new RedisConnection(client, settings.shown.replace(/\?.*/s, ""));
}

/** A circuit breaker for each failure domain: once one has failed for `minOutageMs`, queued callers do not each wait
 * for it. After a failed call, the next one is let through once as much time has passed as the failed call took. */
function createCircuitBreaker(minOutageMs: number) {
  const outages = new BoundedLru<{ readonly since: number; tryAt: number; error: Error }>(10_000);
  return {
    /** Why the domain should not be called now; undefined when it is up, or when this caller, and no other, should try. */
    errorOf(domain: string): Error | undefined {
      const outage = outages.size === 0 ? undefined : outages.get(domain);
      const now = performance.now();
      if (outage === undefined || now - outage.since < minOutageMs) return undefined;
      if (now < outage.tryAt) return outage.error;
      outage.tryAt = now + 2 * minOutageMs; // Other callers still fail at once.
      return undefined;
    },
    /** A call on the domain failed. @param began when it began, as `performance.now()` counts */
    failed(domain: string, error: Error, began: number): void {
      const now = performance.now();
      outages.set(domain, { since: outages.get(domain)?.since ?? began, tryAt: now + (now - began), error });
    },
    answered: (domain: string): void => void (outages.size > 0 && outages.delete(domain)),
    reset: () => outages.clear(),
  };
}
