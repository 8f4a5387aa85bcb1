import { setImmediate } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { StorageError } from "../storage-errors.ts";
import { isRefusal, isWrongDatabase, reasonOf, refusalError } from "./redis-errors.ts";
import { SLOTS_REFRESH_MS, TRY_FOR_MS } from "./redis-options.ts";

/** How the try before failed, for the error of an operation that is not tried again. */
interface EarlierTry {
  /** The server's reply, if it was an error. */
  readonly error?: Error | undefined;
  /** Whether it may have been applied. */
  readonly uncertain?: boolean;
}

/** A client's connection as its events show it: whether it is up, since when it is down and why, what may be lost. */
export class RedisLink {
  readonly client: Redis | Cluster;
  readonly name: string;
  readonly #onReachable: () => void;
  readonly #hasNewOwners: () => boolean;
  /** To be called before each command: so a change of servers is noticed before the command is answered. */
  readonly checkReplicationId: () => void;
  #generation = 0;
  #downSince: number | undefined = performance.now();
  #isConnecting = false;
  #wasEverReady = false;
  #isClosed = false;
  #lastError: Error | undefined;
  /** The server has no database of our number. The client would go on in database 0. */
  #wrongDatabase: Error | undefined;
  #waiting: (() => void)[] = [];
  #refreshes: NodeJS.Timeout | undefined;

  /** @param onReachable called when a server can be reached again */
  constructor(client: Redis | Cluster, name: string, onReachable: () => void) {
    this.client = client;
    this.name = name;
    this.#onReachable = onReachable;
    this.#hasNewOwners = client instanceof Cluster ? watchSlotOwners(client) : () => false;
    this.checkReplicationId = client instanceof Redis ? watchReplicationId(client, this.#lost) : () => undefined;
    client.on("error", this.#failed);
    client.on("ready", this.#connected);
    for (const event of ["close", "end"]) client.on(event, this.#disconnected);
    if (client instanceof Cluster) this.#watchNodes(client);
  }

  isReady(): boolean {
    return this.client.status === "ready" && this.#wrongDatabase === undefined;
  }

  /** Rises each time a server was lost or another one took its place. */
  generation(): number {
    if (this.#hasNewOwners()) this.#lost();
    return this.#generation;
  }

  /** Waits until commands can be sent, at most until that `performance.now()`. @throws StorageError when they cannot */
  async ready(until: number, earlier: EarlierTry = {}): Promise<void> {
    if (this.isReady()) return;
    if (this.#isClosed) throw new StorageError("The storage is closed.");
    this.#connect();
    // Nobody waits for a server that has been away so long already.
    const now = performance.now();
    const left = Math.min(until, (this.#downSince ?? now) + TRY_FOR_MS) - now;
    if (isRefusal(this.#lastError) || left <= 0) {
      // A caller that tries again at once must not keep the connection from coming up.
      await setImmediate();
      throw this.failure(earlier);
    }
    await this.#woken(left);
    if (!this.isReady()) throw this.failure(earlier);
  }

  /** Why an operation failed: for the error of its last try, or for the last error of the connection. */
  failure({ error = this.#lastError, uncertain = false }: EarlierTry): StorageError {
    const reason = error === undefined ? "no reply in time" : reasonOf(error);
    if (uncertain) {
      return new StorageError(`Redis at ${this.name} did not answer in time; a write may have been applied: ${reason}`);
    }
    if (error?.name === "ReplyError" || isRefusal(error)) return refusalError(this.name, error!);
    const doubt = !this.#wasEverReady && this.name.startsWith("rediss") ? " (does the server speak TLS?)" : "";
    return new StorageError(`Redis at ${this.name} does not answer: ${reason}${doubt}`);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#refreshes);
    this.client.disconnect();
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
    // The database is chosen before the client is ready.
    this.#lastError = this.#wrongDatabase;
    this.#onReachable();
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
      this.#onReachable();
      node.on("close", () => {
        this.#lost();
        stopSocketTimer(node);
      });
    });
    cluster.on("-node", this.#lost);
  }

  readonly #lost = (): void => void this.#generation++;

  readonly #failed = (error: Error): void => {
    // The cluster client's own error hides the node's.
    this.#lastError = (error as { lastNodeError?: Error }).lastNodeError ?? error;
    if (isWrongDatabase(this.#lastError)) this.#wrongDatabase = this.#lastError;
    if (isRefusal(this.#lastError)) this.#wake();
  };

  async #woken(withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

/** The client has one timer for all connections: left running, it would destroy the next. A test watches the private field. */
function stopSocketTimer(client: Redis): void {
  const timed = client as unknown as { socketTimeoutTimer: NodeJS.Timeout | undefined };
  clearTimeout(timed.socketTimeoutTimer);
  timed.socketTimeoutTimer = undefined;
}

const CHECK_EVERY_MS = 1000;

/**
 * Watches whose data one server has. One that becomes a replica and a primary again keeps its connections open, and has
 * the data of the other one; the id of its replication history shows it.
 *
 * @returns checks the id, at most once a second; `changed` is called before what is sent after that is answered
 * @see https://redis.io/docs/latest/operate/oss_and_stack/management/replication/
 */
function watchReplicationId(client: Redis, changed: () => void): () => void {
  let id: string | undefined;
  let checkedAt = -Infinity;

  client.on("close", () => {
    id = undefined;
    checkedAt = -Infinity;
  });

  return () => {
    if (performance.now() < checkedAt + CHECK_EVERY_MS) return;
    checkedAt = performance.now();
    client.info("replication").then(
      (info) => {
        const found = /^master_replid:(\S+)/m.exec(info)?.[1];
        if (id !== undefined && found !== id) changed();
        id = found;
      },
      (error: unknown) => {
        // A server that does not allow it now will not later; a lost one is noticed by the other commands.
        if (/^(NOPERM|ERR unknown command)/.test((error as Error).message)) checkedAt = Infinity;
      },
    );
  };
}

/**
 * Watches which primary owns each slot of a cluster, as its client knows it: a primary that is demoted but stays up
 * closes no connection, and the new one may lack what was acknowledged last. `slots` and the event `refresh` are not
 * documented by ioredis, so its version is pinned and a test watches them.
 *
 * @returns checks whether a slot has got another owner since the last check
 */
function watchSlotOwners(cluster: Cluster): () => boolean {
  let owners: readonly (string | undefined)[] | undefined;
  // The client's lists of nodes, one for each range of slots, with the owner that each listed first.
  const ranges = new Map<readonly string[], string | undefined>();
  let changed = false;

  function compare(): void {
    const lists: readonly (readonly string[] | undefined)[] = cluster.slots;
    const seen = Array.from(lists, (nodes) => nodes?.[0]);
    changed ||= owners?.some((owner, slot) => owner !== seen[slot]) ?? false;
    owners = seen;
    ranges.clear();
    lists.forEach((nodes, slot) => {
      if (nodes !== undefined && nodes !== lists[slot - 1]) ranges.set(nodes, nodes[0]);
    });
  }

  cluster.on("refresh", compare);

  return () => {
    // A MOVED reply changes the lists at once, before the client refreshes them.
    for (const [nodes, owner] of ranges) {
      if (nodes[0] !== owner) {
        compare();
        break;
      }
    }
    const answer = changed;
    changed = false;
    return answer;
  };
}
