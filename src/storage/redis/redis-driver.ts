import { Cluster, type Redis } from "ioredis";
import type { Driver } from "unstorage";
import redis from "unstorage/drivers/redis";
import { groupBy } from "../../runtime/group-by.ts";
import type { StorageDriver } from "../driver.ts";
import { ExpectedIdentity } from "../identity/storage-identity.ts";
import { RedisConnection } from "./redis-connection.ts";
import { isRedisDamage } from "./redis-errors.ts";
import { examineRedis } from "./redis-findings.ts";
import { markKeys } from "./redis-identity.ts";
import { hashTagOf, plainKey, redisKey, scanPattern } from "./redis-keys.ts";
import { clusterOptions, redisOptions } from "./redis-options.ts";
import type { RedisSettings } from "./redis-url.ts";
import { createRedisWriter } from "./redis-writer.ts";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import { encodedItem, LOOK_AHEAD } from "../keys.ts";
import { StorageError } from "../storage.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = redis as (options: object) => Driver<object, Redis | Cluster>;

/** Stores each value under its own Redis key, `prefix:{first:second}:rest`: keys that share their first two segments
 * share a slot of a cluster. Every command has a timeout; none is retried unless that is safe. */
export function redisDriver(settings: RedisSettings): StorageDriver {
  const stock = stockDriver(
    settings.cluster
      ? { cluster: settings.nodes, clusterOptions: clusterOptions(settings) }
      : { ...settings.nodes[0], ...redisOptions(settings) },
  );
  const identity = { expected: new ExpectedIdentity(), prefix: settings.prefix };
  const connection = new RedisConnection(stock.getInstance!(), settings.shown.replace(/\?.*/s, ""), identity);
  const { waitReplicas, shown } = settings; // WAIT blocks its connection, so with it writes have a separate one.
  const writing = waitReplicas > 0 ? new RedisConnection(connection.client.duplicate(), shown, identity) : connection;
  const connections = [...new Set([connection, writing])];
  const reader = createRedisReader(connection, settings);
  const writer = createRedisWriter(writing, settings);
  const nameOf = (key: string): string => redisKey(settings.prefix, key);
  const getItem = (key: string): Promise<string | null> => reader.get(nameOf(key));
  const setItem = (key: string, value: string): Promise<void> => writer.set(nameOf(key), value);

  return {
    ...stock,
    durable: true,
    // The connection for writes may be the first to notice that a server was replaced.
    generation: () => connections.reduce((sum, one) => sum + one.generation(), 0),
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
    getItemRaw: getItem, // Text is stored and returned unchanged: unstorage would decode what starts with "base64:".
    setItemRaw: setItem,
    removeItem: (key) => writer.remove(nameOf(key)),
    createItem(key, value, before, later) {
      const predecessor = before && { name: nameOf(before.key), value: before.value };
      return writer.create({ name: nameOf(key), value, predecessor, later });
    },
    async appendItem(stem, version, value, { first, ...rest }) {
      if (!settings.cluster || first === undefined) return writer.append(stem, version, value, { ...rest, first });
      // `first` is in another slot, so it needs a command of its own.
      const made = await writer.create({ name: nameOf(first.key), value: first.value, predecessor: undefined });
      if (made !== "created" && (await getItem(first.key)) !== first.value) return "taken";
      return writer.append(stem, version, value, rest);
    },
    laterItem: (stem, end) => reader.laterItem(stem, end),
    confirmItem: (key, value) => writer.confirm(nameOf(key), value),
    isDamage: isRedisDamage,
    async *keys(below, kind) {
      const [lost] = (await connection.findLost()).lost;
      if (lost !== undefined) throw lost;
      const names = scanKeys(connection, scanPattern(settings.prefix, below, kind));
      for await (const name of names) yield plainKey(settings.prefix, name);
    },
    examine: (now) => examineRedis(connection, settings, now),
    dispose: () => connections.forEach((one) => one.close()),
  };
}

function createRedisReader(connection: RedisConnection, { cluster, prefix }: RedisSettings) {
  const { client } = connection;
  const ends = new BoundedLru<number>(10_000);

  const getTogether = (names: readonly string[]) => connection.runOn(names[0]!, () => client.mget([...names]));

  const get = (name: string) => connection.runOn(name, () => client.get(name));

  /** The same; MGET takes a value of another type for an absent one, which GET refuses. */
  async function getAll(names: readonly string[]): Promise<(string | null)[]> {
    const found = await getTogether(names);
    const absent = names.filter((_, index) => found[index] === null);
    if (absent.length === 0 || (await connection.runOn(absent[0]!, () => client.exists(absent))) === 0) return found;
    return Promise.all(names.map(get));
  }

  return {
    has: async (name: string) => (await connection.runOn(name, () => client.exists(name))) === 1,
    get,
    /** One command for a server, one for each hash tag on a cluster. */
    async getMany(names: readonly string[]): Promise<(string | null)[]> {
      if (!cluster) return getAll(names);
      const groups = [...groupBy(names, hashTagOf).values()];
      const found = (await Promise.all(groups.map(getAll))).flat();
      const values = new Map(groups.flat().map((name, index) => [name, found[index] ?? null]));
      return names.map((name) => values.get(name) ?? null);
    },
    /** Reads the head that appends update. If an import or older build left none, some numbers are checked, once. */
    async laterItem(stem: string, end: number): Promise<number | undefined> {
      const nameOf = (version: number): string => redisKey(prefix, encodedItem(stem, version));
      const [next, kept] = await getTogether([nameOf(end + 1), redisKey(prefix, `${stem}:head`)]);
      if (next !== null) return end + 1;
      const head = Number(kept ?? 0);
      if (head >= end && head > 0) return head > end ? head : undefined;
      if (ends.get(stem) === end) return undefined;
      const names = Array.from({ length: LOOK_AHEAD }, (_, step) => nameOf(end + 1 + step));
      if ((await connection.runOn(names[0]!, () => client.exists(...names))) > 0) return end + LOOK_AHEAD;
      ends.set(stem, end);
      return undefined;
    },
  };
}

/** Yields the keys that match a pattern on every primary of a cluster; a key may come twice. A SCAN cursor is valid
 * only for the server process that returned it: another one accepts it without an error, and skips keys.
 * @throws StorageError when a server was replaced meanwhile, or slots of a cluster moved, so that keys may be missing
 * @see https://redis.io/docs/latest/commands/scan/ */
async function* scanKeys(connection: RedisConnection, pattern: string): AsyncGenerator<string> {
  const { client } = connection;
  await connection.ready();
  const nodes = client instanceof Cluster ? client.nodes("master") : [client];
  const before = await statesOf(connection, nodes);
  const unchanged = async (): Promise<void> => {
    const now = await statesOf(connection, nodes);
    if (now.some((state, index) => state !== before[index])) throw interrupted(connection);
  };
  let generation = connection.generation();
  for (const node of nodes) {
    let cursor = "0";
    do {
      const [next, keys] = await connection.run(() => node.scan(cursor, "MATCH", pattern, "COUNT", 1000));
      // Fail early: a listing that has to be repeated may be long.
      if (connection.generation() !== generation) {
        generation = connection.generation();
        await unchanged();
      }
      yield* keys;
      cursor = next;
    } while (cursor !== "0");
  }
  await unchanged();
}

/** The state of each server. If it is the same after the scan, the cursors stayed valid and no slot has moved. */
async function statesOf(connection: RedisConnection, nodes: readonly Redis[]): Promise<string[]> {
  const stateOf = async (node: Redis): Promise<string> => {
    const info = await connection.run(() => node.info());
    // The replication id shows a server that took over another one's data while it ran.
    return ["run_id", "master_replid"].map((name) => new RegExp(`^${name}:.*$`, "m").exec(info)?.[0]).join(" ");
  };
  const states = await Promise.all(nodes.map(stateOf));
  if (!(connection.client instanceof Cluster)) return states;
  const shares = await Promise.all(nodes.map((node) => shareOf(connection, node)));
  const assigned = await connection.run(() => nodes[0]!.cluster("INFO"));
  const served = shares.reduce((sum, { slots }) => sum + slots, 0);
  // A migrating slot has keys on two nodes, and a slot without a known owner has its keys elsewhere.
  if (shares.some(({ open }) => open) || !assigned.includes(`cluster_slots_assigned:${served}\r\n`))
    throw interrupted(connection);
  return states.map((state, index) => `${state} ${shares[index]!.text}`);
}

async function shareOf(connection: RedisConnection, node: Redis) {
  const nodes = (await connection.run(() => node.cluster("NODES"))) as string;
  const own = nodes.split("\n").find((line) => / (?:\S+,)?myself/.test(line)) ?? "";
  // id address flags primary ping pong epoch link slot slot …
  const [id = "", , flags = "", , , , epoch = "", , ...ranges] = own.split(" ");
  const closed = ranges.filter((range) => !range.startsWith("["));
  const slots = closed.reduce((sum, range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return sum + last - first + 1;
  }, 0);
  return { slots, open: closed.length < ranges.length, text: [id, flags, epoch, ...ranges].join(" ") };
}

const interrupted = ({ name }: RedisConnection): StorageError =>
  new StorageError(
    `Redis at ${name} changed while its keys were listed: a server restarted or was replaced, or slots are being ` +
      "moved, and keys may be missing. Run it again.",
  );
