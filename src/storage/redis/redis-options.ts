import { readFileSync } from "node:fs";
import type { ClusterOptions, RedisOptions, Result } from "ioredis";
import type { AppendItemOutcome } from "../driver.ts";
import { isReplica } from "./redis-errors.ts";
import type { RedisSettings } from "./redis-url.ts";

/** How long a failed operation is retried, ms. A command that has begun by then may take `timeoutMs` more. */
export const RETRY_FOR_MS = 1000;
export const RETRY_AFTER_MS = 40;
const RECONNECT_AFTER_MS = 500;
/** How often a cluster is asked for its slots, and how long it may take to answer, ms. */
export const SLOTS_REFRESH_MS = 1000;

export interface Creation {
  readonly name: string;
  readonly value: string;
  /** A key that must exist, with this value if one is given. */
  readonly predecessor: { readonly name: string; readonly value: string | undefined } | undefined;
  /** For an item of a stream: the key of the stream's head, and the item's number. */
  readonly head?: { readonly name: string; readonly version: number };
  readonly first?: { readonly name: string; readonly value: string } | undefined; // Created before it; not empty.
  readonly later?: boolean | undefined; // Whether it may wait for a batch.
}

/** The script's reply for one creation; for `same`, the key has that value already. An error concerns only this one. */
type CreationReply = AppendItemOutcome | "same" | Error;

/** The script without its comments. ioredis sends the text once per connection and per pipeline, then its digest, and
 * the text again to a server that does not know the digest. */
const SCRIPT = readFileSync(new URL("data/create-values.lua", import.meta.url), "utf8").replaceAll(/^--.*\n/gm, "");
const REDIS_SCRIPTS = { createValues: { lua: SCRIPT } };

declare module "ioredis" {
  interface RedisCommander<Context> {
    createValues(...input: CreationInput): Result<CreationReply[], Context>;
  }
}

type CreationInput = [keyCount: number, ...string[]];

export function inputOf(creations: readonly Creation[]): CreationInput {
  const names = creations.map(({ name }) => name);
  const predecessors = creations.map(({ name, predecessor }) => predecessor?.name ?? name);
  const heads = creations.map(({ name, head }) => head?.name ?? name);
  const firsts = creations.map(({ name, first }) => first?.name ?? name);
  const values = creations.flatMap(({ value, predecessor, head, first }) => {
    const condition = predecessor === undefined ? "" : predecessor.value === undefined ? "exists" : "equals";
    return [value, condition, predecessor?.value ?? "", String(head?.version ?? ""), first?.value ?? ""];
  });
  return [4 * names.length, ...names, ...predecessors, ...heads, ...firsts, ...values];
}

/** ioredis options that give every command a timeout and disable the client's own retries: no queue while the
 * connection is down, no resending after a reconnection. `RedisConnection.run` decides what is retried. */
export const redisOptions = (settings: RedisSettings): RedisOptions => ({
  ...connectionOptions(settings),
  scripts: REDIS_SCRIPTS,
  enableOfflineQueue: false,
  enableAutoPipelining: true, // A server that syncs every write does so once for all commands that arrive together.
  autoPipeliningIgnoredCommands: ["createValues" satisfies keyof typeof REDIS_SCRIPTS], // They are batched already.
  retryStrategy: (times) => Math.min(50 * times, RECONNECT_AFTER_MS),
});

const connectionOptions = (settings: RedisSettings): Omit<RedisOptions, "host" | "port" | "path" | "sentinels"> => ({
  // Given its name, a default user without a password accepts any; else the client prints an error to the console.
  ...(settings.password !== undefined && { username: "default", password: settings.password }),
  ...(settings.username !== undefined && { username: settings.username }),
  ...(settings.tls !== undefined && { tls: settings.tls }),
  db: settings.db,
  connectionName: "anp",
  connectTimeout: RETRY_FOR_MS,
  disconnectTimeout: 100, // A timer of this length keeps the process alive after every disconnection.
  maxLoadingRetryTime: 200, // How long to wait before retrying a server that is loading its data.
  commandTimeout: settings.timeoutMs,
  socketTimeout: settings.timeoutMs + 200, // A silent connection may have been cut without notice: close it.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  reconnectOnError: isReplica,
  disableClientInfo: true,
  lazyConnect: true,
});

/** The same for the client of a cluster. */
export const clusterOptions = (settings: RedisSettings): ClusterOptions => ({
  // The cluster's client queues while a node is being connected, and replaces a lost node's connection.
  redisOptions: connectionOptions(settings),
  scripts: REDIS_SCRIPTS,
  clusterRetryStrategy: (times) => Math.min(50 * times, RECONNECT_AFTER_MS),
  slotsRefreshTimeout: SLOTS_REFRESH_MS,
  slotsRefreshInterval: 0, // The client's timer survives a close during a refresh, and keeps the process alive.
  // The client itself retries only what a node refused, not what was in flight when a connection broke.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: RETRY_AFTER_MS,
  retryDelayOnTryAgain: RETRY_AFTER_MS,
  maxRedirections: 8,
  lazyConnect: true,
});
