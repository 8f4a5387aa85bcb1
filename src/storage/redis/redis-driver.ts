import type { Cluster, Redis } from "ioredis";
import type { Driver } from "unstorage";
import redis from "unstorage/drivers/redis";
import type { StorageDriver } from "../driver.ts";
import { isRedisDamage } from "../failure-kinds.ts";
import { ExpectedIdentity } from "../identity/expected-identity.ts";
import { RedisConnection } from "./redis-connection.ts";
import { examineRedis } from "./redis-findings.ts";
import { markKeys } from "./redis-identity.ts";
import { plainKey, redisKey, scanPattern } from "./redis-keys.ts";
import { clusterNodes, clusterOptions, redisOptions } from "./redis-options.ts";
import { createRedisReader } from "./redis-reader.ts";
import { scanKeys } from "./redis-scan.ts";
import type { RedisSettings } from "./redis-url.ts";
import { createRedisWriter } from "./redis-writer.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = redis as (options: object) => Driver<object, Redis | Cluster>;

/**
 * Keeps each value under its own Redis key, `prefix:{first:second}:rest`: what shares the first two segments of a
 * key shares a slot of a cluster. Every command ends in time; none is sent twice unless that is safe.
 */
export function redisDriver(settings: RedisSettings): StorageDriver {
  const stock = stockDriver(
    settings.cluster
      ? { cluster: clusterNodes(settings), clusterOptions: clusterOptions(settings) }
      : { ...settings.nodes[0], ...redisOptions(settings) },
  );
  const identity = { expected: new ExpectedIdentity(), prefix: settings.prefix };
  const connection = new RedisConnection(stock.getInstance!(), settings.shown.replace(/\?.*/s, ""), identity);
  // WAIT blocks its connection, so with it writes have a separate one.
  const writing =
    settings.waitReplicas > 0
      ? new RedisConnection(connection.client.duplicate(), settings.shown, identity)
      : connection;
  const reader = createRedisReader(connection, settings);
  const writer = createRedisWriter(writing, settings);
  const nameOf = (key: string): string => redisKey(settings.prefix, key);
  const getItem = (key: string): Promise<string | null> => reader.get(nameOf(key));
  const setItem = (key: string, value: string): Promise<void> => writer.set(nameOf(key), value);

  return {
    ...stock,
    durable: true,
    // The connection that writes may be the first to learn of another server.
    generation: () => connection.generation() + (writing === connection ? 0 : writing.generation()),
    identity: {
      expected: identity.expected,
      marks: markKeys(settings.cluster),
      verify: (key) => connection.verify(nameOf(key)),
      async findLost() {
        if (writing !== connection) await writing.findLost();
        return connection.findLost();
      },
    },
    hasItem: (key) => reader.has(nameOf(key)),
    getItem,
    getMany: (keys) => reader.getMany(keys.map(nameOf)),
    setItem,
    // Text is stored and returned unchanged: unstorage would decode what starts with "base64:".
    getItemRaw: getItem,
    setItemRaw: setItem,
    removeItem: (key) => writer.remove(nameOf(key)),
    async createItem(key, value) {
      return (await writer.create({ name: nameOf(key), value, predecessor: undefined })) === "created";
    },
    createItemAfter: (key, value, { key: before, value: expected }) =>
      writer.create({ name: nameOf(key), value, predecessor: { name: nameOf(before), value: expected } }),
    appendItem: (...given) => writer.append(...given),
    laterItem: (stem, end) => reader.laterItem(stem, end),
    confirmItem: (key, value) => writer.confirm(nameOf(key), value),
    isDamage: isRedisDamage,
    children: (prefix) => childrenBelow(connection, settings.prefix, prefix),
    keys: (prefix) => keysBelow(connection, settings.prefix, prefix),
    examine: (now) => examineRedis(connection, settings, now),
    async dispose() {
      await connection.close();
      if (writing !== connection) await writing.close();
    },
  };
}

async function* keysBelow(connection: RedisConnection, keyPrefix: string, below: string): AsyncGenerator<string> {
  const [lost] = (await connection.findLost()).lost;
  if (lost !== undefined) throw lost;
  for await (const name of scanKeys(connection, scanPattern(keyPrefix, below))) yield plainKey(keyPrefix, name);
}

async function* childrenBelow(connection: RedisConnection, keyPrefix: string, below: string): AsyncGenerator<string> {
  const seen = new Set<string>();
  const start = below === "" ? 0 : below.length + 1;
  for await (const key of keysBelow(connection, keyPrefix, below)) {
    const segment = key.slice(start).split(":", 1)[0]!;
    if (segment !== "" && !seen.has(segment)) yield segment;
    seen.add(segment);
  }
}
