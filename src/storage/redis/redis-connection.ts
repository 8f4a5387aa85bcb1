import { setImmediate } from "node:timers/promises";
import { Cluster, Redis, type ClusterNode, type ClusterOptions, type RedisOptions } from "ioredis";
import { StorageError } from "../storage-errors.ts";
import { createOutages } from "./redis-outages.ts";
import { bare, isRefusal, isReplica, isWrongDatabase, outcomeOf, reasonOf, refused } from "./redis-errors.ts";
import { watchHistory } from "./redis-failover.ts";
import { watchSlotOwners } from "./redis-slot-owners.ts";
import { CLUSTER_COMMAND_MS, type RedisSettings } from "./redis-url.ts";

/** How long an operation is tried again after a failure, ms. A command begun then may take `timeoutMs` more. */
const TRY_FOR_MS = 1000;
/** How long the second try waits at least for a connection that was lost, ms. */
const SECOND_TRY_MS = 250;
const RETRY_AFTER_MS = 40;
const RECONNECT_AFTER_MS = 500;
const SLOTS_REFRESH_MS = 1000;

/** What happened to the tries of one operation before this one. */
export interface Tries {
  /** Whether an earlier try may have been applied, though its reply did not arrive. */
  readonly uncertain: boolean;
}

/** A connection to one Redis or to a cluster, which is kept up in the background. */
export interface RedisConnection {
  readonly client: Redis | Cluster;
  /** Its URL without secrets and parameters. */
  readonly name: string;
  /** Rises each time a server was lost or another one took its place: what was read may not be there any more. */
  generation(): number;
  /**
   * Runs commands, again after a failure, for at most a second and one command's time. With `once`, it is not run again
   * when it may have been applied. What is known not to answer at its `place` is not waited for again and again: a line
   * of callers gets its errors at once.
   *
   * @throws StorageError when the server cannot be reached, refuses, or does not answer in time
   */
  run<T>(action: (tries: Tries) => Promise<T>, options?: { once?: boolean; place?: string }): Promise<T>;
  /** Waits until commands can be sent. @throws StorageError after a second without a server */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The options of ioredis that make every command end in time and none be sent twice behind our back: no queue while the
 * connection is down, no sending again after a reconnection. What may be sent again is decided by `run`.
 */
export function redisOptions(settings: RedisSettings): RedisOptions {
  return {
    ...connectionOptions(settings),
    enableOfflineQueue: false,
    // A server that syncs every write does so once for all commands that arrive together.
    enableAutoPipelining: true,
    // They are gathered already.
    autoPipeliningIgnoredCommands: ["evalsha"],
    retryStrategy: (times) => Math.min(50 * times, RECONNECT_AFTER_MS),
  };
}

function connectionOptions(settings: RedisSettings): Omit<RedisOptions, "host" | "port" | "path" | "sentinels"> {
  return {
    ...(settings.username !== undefined && { username: settings.username }),
    ...(settings.password !== undefined && { password: settings.password }),
    ...(settings.tls !== undefined && { tls: settings.tls }),
    db: settings.db,
    connectionName: "anp",
    connectTimeout: TRY_FOR_MS,
    // A timer of this length holds the process up after every disconnection.
    disconnectTimeout: 100,
    // How long to wait before a server that loads its data is asked again; the process waits along.
    maxLoadingRetryTime: 200,
    commandTimeout: settings.timeoutMs,
    // A server that is silent this long is given up, so that a cut nobody told of is noticed.
    socketTimeout: settings.timeoutMs + 200,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    reconnectOnError: isReplica,
    disableClientInfo: true,
    lazyConnect: true,
  };
}

/** The options of a cluster's client, likewise. */
export function clusterOptions(settings: RedisSettings): ClusterOptions {
  return {
    // The cluster's client queues while a node is being connected, and makes a lost node's connection anew.
    redisOptions: connectionOptions(settings),
    clusterRetryStrategy: (times) => Math.min(50 * times, RECONNECT_AFTER_MS),
    slotsRefreshTimeout: SLOTS_REFRESH_MS,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // Only what a node refused is sent again by the client itself: not what was on its way when a connection broke.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: RETRY_AFTER_MS,
    retryDelayOnTryAgain: RETRY_AFTER_MS,
    maxRedirections: 8,
    lazyConnect: true,
  };
}

/** The nodes as ioredis wants them. */
export function clusterNodes(settings: RedisSettings): ClusterNode[] {
  return settings.nodes.map(({ host, port }) => ({ host, port }));
}

/** A connection of its own to the server or cluster. It connects when it is first used. */
export function connectRedis(settings: RedisSettings): RedisConnection {
  const client = settings.cluster
    ? new Cluster(clusterNodes(settings), clusterOptions(settings))
    : new Redis({ ...settings.nodes[0], ...redisOptions(settings) });
  return keepConnected(client, settings.shown.replace(/\?.*$/s, ""));
}

/** Watches over a client's connection. */
export function keepConnected(client: Redis | Cluster, name: string): RedisConnection {
  let generation = 0;
  let lostAt: number | undefined = performance.now();
  let begun = false;
  let everReady = false;
  let lastError: Error | undefined;
  /** The server has no database of our number. The client would go on in database 0. */
  let wrongDatabase: Error | undefined;
  let closed = false;
  let waiting: (() => void)[] = [];
  const outages = createOutages(TRY_FOR_MS);
  const ownersChanged = client instanceof Cluster ? watchSlotOwners(client) : () => false;

  const lost = (): void => {
    generation++;
  };
  const askHistory = client instanceof Redis ? watchHistory(client, lost) : () => undefined;
  // An error of the client carries its command's arguments, a password or a question among them: only words are kept.
  const note = (error: Error): void => {
    // A cluster's own summary hides what the node said.
    lastError = (error as { lastNodeError?: Error }).lastNodeError ?? error;
    if (isWrongDatabase(lastError)) wrongDatabase = lastError;
    if (isRefusal(lastError)) wake();
  };
  const wake = (): void => {
    const wakened = waiting;
    waiting = [];
    for (const go of wakened) go();
  };

  client.on("error", note);
  client.on("ready", () => {
    lostAt = undefined;
    everReady = true;
    // The database is chosen before the client is ready.
    lastError = wrongDatabase;
    outages.forget();
    wake();
  });
  for (const event of ["close", "end"]) {
    client.on(event, () => {
      lost();
      lostAt ??= performance.now();
      wrongDatabase = undefined;
      if (client instanceof Redis) stopSocketTimer(client);
    });
  }
  if (client instanceof Cluster) {
    client.on("node error", note);
    client.on("+node", (node: Redis) => {
      outages.forget();
      node.on("close", () => {
        lost();
        stopSocketTimer(node);
      });
    });
    client.on("-node", lost);
  }

  const isReady = (): boolean => client.status === "ready" && wrongDatabase === undefined;

  function begin(): void {
    if (begun) return;
    begun = true;
    lostAt = performance.now();
    // A failure arrives as an event, which says more, and the client goes on trying.
    client.connect().catch(() => undefined);
  }

  function failure(error = lastError, uncertain = false): StorageError {
    const reason = error === undefined ? "no reply in time" : reasonOf(error);
    if (uncertain) {
      return new StorageError(`Redis at ${name} did not answer in time; a write may have been applied: ${reason}`);
    }
    if (error?.name === "ReplyError" || isRefusal(error)) return refused(name, error!);
    const doubt = !everReady && name.startsWith("rediss") ? " (does the server speak TLS?)" : "";
    return new StorageError(`Redis at ${name} does not answer: ${reason}${doubt}`);
  }

  /** A cluster's client has no bound of its own for a command that finds no node. */
  async function bounded<T>(action: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error("Command timed out"));
      }, CLUSTER_COMMAND_MS);
    });
    return Promise.race([action, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  /** @param said what the server said to the try before, and `uncertain` whether that may have been applied */
  async function ready(until: number, said?: Error, uncertain = false): Promise<void> {
    if (isReady()) return;
    if (closed) throw new StorageError("The storage is closed.");
    begin();
    // Nobody waits for a server that has been away so long already.
    const left = Math.min(until, (lostAt ?? performance.now()) + TRY_FOR_MS) - performance.now();
    if (isRefusal(lastError) || left <= 0) {
      // A caller that tries again at once must not keep the connection from coming up.
      await setImmediate();
      throw failure(said, uncertain);
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (!isReady()) throw failure(said, uncertain);
  }

  return {
    client,
    name,
    generation() {
      if (ownersChanged()) lost();
      return generation;
    },
    ready: () => ready(performance.now() + TRY_FOR_MS),
    async run(action, { once = false, place } = {}) {
      const began = performance.now();
      const until = began + TRY_FOR_MS;
      const outage = place === undefined ? undefined : outages.of(place);
      if (outage !== undefined) {
        await setImmediate();
        throw failure(outage);
      }
      let uncertain = false;
      let said: Error | undefined;
      for (let tries = 1; ; tries++) {
        // The first try may have failed because this process was busy and heard nothing: the second has its own time.
        if (!isReady())
          await ready(tries === 2 ? Math.max(until, performance.now() + SECOND_TRY_MS) : until, said, uncertain);
        try {
          askHistory();
          const result = await (client instanceof Cluster ? bounded(action({ uncertain })) : action({ uncertain }));
          if (place !== undefined) outages.answered(place);
          return result;
        } catch (thrown) {
          const error = bare(thrown as Error);
          const outcome = outcomeOf(error);
          if (outcome === "failed") throw refused(name, error);
          if (outcome === "uncertain") uncertain = true;
          said = error.name === "ReplyError" ? error : undefined;
          const late = tries > 1 && performance.now() >= until;
          if ((once && outcome === "uncertain") || late) {
            if (place !== undefined) outages.failed(place, error, began);
            throw failure(error, uncertain);
          }
          await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
        }
      }
    },
    close() {
      closed = true;
      client.disconnect();
      return Promise.resolve();
    },
  };
}

/**
 * Stops the timer of a connection that is gone. The client keeps one for all its connections: left running, it would
 * destroy the next one.
 */
function stopSocketTimer(client: Redis): void {
  const timed = client as unknown as { socketTimeoutTimer: NodeJS.Timeout | undefined };
  clearTimeout(timed.socketTimeoutTimer);
  timed.socketTimeoutTimer = undefined;
}
