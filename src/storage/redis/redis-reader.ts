import { BoundedLru } from "../../runtime/bounded-lru.ts";
import { encodedItem, LOOK_AHEAD } from "../stream-keys.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { groupByHashTag, redisKey } from "./redis-keys.ts";
import type { RedisSettings } from "./redis-url.ts";

/** Reads Redis keys. */
export function createRedisReader(connection: RedisConnection, { cluster, prefix }: RedisSettings) {
  const { client } = connection;
  /** The end of streams without a head, as it was looked for. */
  const ends = new BoundedLru<number>(10_000);

  const getTogether = (names: readonly string[]): Promise<(string | null)[]> =>
    connection.runOn(names[0]!, () => client.mget([...names]));

  return {
    has: async (name: string) => (await connection.runOn(name, () => client.exists(name))) === 1,
    get: (name: string) => connection.runOn(name, () => client.get(name)),
    /** One command for a server, one for each hash tag on a cluster. */
    async getMany(names: readonly string[]): Promise<(string | null)[]> {
      if (!cluster) return getTogether(names);
      const groups = groupByHashTag(names);
      const found = (await Promise.all(groups.map(getTogether))).flat();
      const values = new Map(groups.flat().map((name, index) => [name, found[index] ?? null]));
      return names.map((name) => values.get(name) ?? null);
    },
    /**
     * As the driver's: by the head that is kept with each append, in one command. Where an older build appended, or values
     * were imported, it is behind or absent; then some numbers after the end are looked at, once.
     */
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
