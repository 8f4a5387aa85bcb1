import { Cluster, Redis, type ChainableCommander } from "ioredis";
import type { Driver } from "unstorage";
import redis from "unstorage/drivers/redis";
import type { CreatingDriver } from "../driver.ts";
import type { CreateOutcome } from "../storage.ts";
import {
  clusterNodes,
  clusterOptions,
  keepConnected,
  redisOptions,
  type RedisConnection,
  type Tries,
} from "./redis-connection.ts";
import {
  gatherCreations,
  oneByOne,
  outcomeOfReply,
  queueCreations,
  runCreations,
  type Creation,
  type CreationReply,
} from "./redis-batch-create.ts";
import { examineRedis } from "./redis-findings.ts";
import { scanKeys } from "./redis-scan.ts";
import { UncertainError } from "./redis-errors.ts";
import type { RedisSettings } from "./redis-url.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = redis as (options: object) => Driver<object, Redis | Cluster>;

/**
 * Writes KEYS[1] once more if its value is ARGV[1], so that WAIT has a write to wait for, which is after the first. 1:
 * written; 0: something else is there.
 */
const CONFIRM = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1`;

/**
 * Keeps each value under a Redis key of its own, `prefix:{first:second}:rest`: what shares the first two segments of a
 * key shares a slot of a cluster. Every command ends in time; none is sent twice unless that is safe.
 */
export function redisDriver(settings: RedisSettings): CreatingDriver {
  const stock = stockDriver(
    settings.cluster
      ? { cluster: clusterNodes(settings), clusterOptions: clusterOptions(settings) }
      : { ...settings.nodes[0], ...redisOptions(settings) },
  );
  const connection = keepConnected(stock.getInstance!(), settings.shown.replace(/\?.*$/s, ""));
  const { client } = connection;
  // WAIT holds up its connection, so with it writes have one of their own.
  const writing: RedisConnection =
    settings.waitReplicas > 0 ? keepConnected(client.duplicate(), settings.shown) : connection;
  const writer = writing.client;
  const keyOf = (key: string): string => redisKey(settings.prefix, key);
  /** What stands and falls together: a node's slots, of which the hash tag tells enough, or the one server. */
  const placeOf = (name: string): string => (settings.cluster ? tagOf(name) : "");

  /** Runs one write and, if asked to, waits until replicas have it. */
  async function replicated<T>(key: string, write: (commands: ChainableCommander) => ChainableCommander): Promise<T> {
    const replies = await write(writer.pipeline()).wait(settings.waitReplicas, settings.waitMs).exec();
    const [[error, reply], [waitError, confirmed]] = replies as [[Error | null, T], [Error | null, number]];
    if (error !== null) {
      // The client follows a moved slot for single commands alone: one lets it learn where the key is now.
      if (/^(MOVED|ASK) /.test(error.message)) await writer.exists(key);
      throw error;
    }
    if (waitError !== null) throw new UncertainError(waitError.message);
    if (confirmed < settings.waitReplicas) {
      throw new UncertainError(
        `${confirmed} of ${settings.waitReplicas} replicas confirmed within ${settings.waitMs} ms`,
      );
    }
    return reply;
  }

  /** Makes creations, whose keys are in one slot of a cluster. */
  const makeAll = (creations: readonly Creation[]): Promise<(CreateOutcome | Error)[]> => {
    const { name } = creations[0]!;
    const make = async ({ uncertain }: Tries): Promise<(CreateOutcome | Error)[]> => {
      const replies =
        settings.waitReplicas > 0
          ? await replicated<CreationReply[]>(name, (commands) => queueCreations(commands, creations))
          : await runCreations(writer, creations);
      return replies.map((reply) => (reply instanceof Error ? reply : outcomeOfReply(reply, uncertain)));
    };
    return writing.run(make, { place: placeOf(name) });
  };
  // The keys of different users are in different slots; those of one user in a slot that moves can be made one by one.
  const create = settings.cluster ? oneByOne(makeAll) : gatherCreations(makeAll);

  async function* scan(prefix: string): AsyncGenerator<string> {
    // Keys are encoded, so they hold nothing that a pattern would take for more than itself.
    for await (const key of scanKeys(connection, scanPattern(settings.prefix, prefix))) {
      yield plainKey(settings.prefix, key);
    }
  }

  const getItem = (key: string): Promise<string | null> => {
    const name = keyOf(key);
    return connection.run(() => client.get(name), { place: placeOf(name) });
  };
  const setItem = async (key: string, value: string): Promise<void> => {
    const name = keyOf(key);
    const write =
      settings.waitReplicas > 0
        ? () => replicated(name, (commands) => commands.set(name, value))
        : () => writer.set(name, value);
    await writing.run<unknown>(write, { once: true, place: placeOf(name) });
  };

  return {
    ...stock,
    durable: true,
    // The connection that writes may be the first to learn of another server.
    generation: () => connection.generation() + (writing === connection ? 0 : writing.generation()),
    async hasItem(key) {
      const name = keyOf(key);
      return (await connection.run(() => client.exists(name), { place: placeOf(name) })) === 1;
    },
    getItem,
    setItem,
    // Text goes in and out as it is: unstorage would decode what starts with "base64:".
    getItemRaw: getItem,
    setItemRaw: setItem,
    async createItem(key, value) {
      return (await create({ name: keyOf(key), value, predecessor: undefined })) === "created";
    },
    createItemAfter(key, value, predecessor) {
      return create({
        name: keyOf(key),
        value,
        predecessor: { name: keyOf(predecessor.key), value: predecessor.value },
      });
    },
    async confirmItem(key, value) {
      if (settings.waitReplicas === 0) return;
      const name = keyOf(key);
      const confirmed = await writing.run(
        () => replicated<number>(name, (commands) => commands.eval(CONFIRM, 1, name, value)),
        { place: placeOf(name) },
      );
      if (confirmed !== 1) throw new Error("another value is there by now");
    },
    async removeItem(key) {
      const name = keyOf(key);
      const write =
        settings.waitReplicas > 0
          ? () => replicated(name, (commands) => commands.unlink(name))
          : () => writer.unlink(name);
      await writing.run<unknown>(write, { once: true, place: placeOf(name) });
    },
    async getMany(keys) {
      const names = keys.map(keyOf);
      if (!settings.cluster) return connection.run(() => client.mget(names), { place: "" });
      const values = new Map<string, string | null>();
      await Promise.all(
        groupsOf(names).map(async (together) => {
          const found = await connection.run(() => client.mget(together), { place: placeOf(together[0]!) });
          for (const [index, name] of together.entries()) values.set(name, found[index] ?? null);
        }),
      );
      return names.map((name) => values.get(name) ?? null);
    },
    async *children(prefix) {
      const seen = new Set<string>();
      const start = prefix === "" ? 0 : prefix.length + 1;
      for await (const key of scan(prefix)) {
        const segment = key.slice(start).split(":", 1)[0]!;
        if (segment !== "" && !seen.has(segment)) yield segment;
        seen.add(segment);
      }
    },
    keys: scan,
    examine: (now) => examineRedis(connection, settings, now),
    async dispose() {
      await connection.close();
      if (writing !== connection) await writing.close();
    },
  };
}

/** `a:b:c:d` as `prefix:{a:b}:c:d`. */
export function redisKey(prefix: string, key: string): string {
  const second = key.indexOf(":", key.indexOf(":") + 1);
  const end = key.includes(":") && second !== -1 ? second : key.length;
  return `${prefix}:{${key.slice(0, end)}}${key.slice(end)}`;
}

function plainKey(prefix: string, name: string): string {
  return name.slice(prefix.length + 2).replace("}", "");
}

function scanPattern(prefix: string, below: string): string {
  const escaped = prefix.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`);
  if (below === "") return `${escaped}:{*`;
  return below.includes(":") ? `${redisKey(escaped, below)}:*` : `${escaped}:{${below}:*`;
}

function tagOf(name: string): string {
  return name.slice(0, name.indexOf("}"));
}

/** Keys that one command may ask a cluster for: those of one hash tag. */
function groupsOf(names: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const tag = tagOf(name);
    const group = groups.get(tag);
    if (group === undefined) groups.set(tag, [name]);
    else group.push(name);
  }
  return [...groups.values()];
}
