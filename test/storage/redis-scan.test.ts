import { afterEach, describe, expect, it } from "vitest";
import { StorageError, type EncodedSegment, type Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { redisKey } from "../../src/storage/redis/redis-keys.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster, type RedisCluster, type Shard } from "../support/redis-cluster.ts";
import { startRedisPair } from "../support/redis-pair.ts";
import { startRedis } from "../support/redis-server.ts";
import { inStep } from "../support/replication.ts";

/** Several pages of a scan on any server. */
const USERS = 4000;
const KEPT = { appendonly: "yes" };
/** No key is missing because the machine is busy. */
const PATIENT = { timeout_ms: "30000" };

describe.skipIf(noRedis !== undefined)("a listing of a Redis", () => {
  const open: { close?: () => Promise<void>; stop?: () => Promise<void> }[] = [];

  afterEach(async () => {
    for (const { close, stop } of open.splice(0).reverse()) await (close ?? stop)!();
  });

  async function filled(url: string): Promise<Storage> {
    const storage = await openStorage(url);
    open.push(storage);
    const users = Array.from({ length: USERS }, (_, number) => ["users", `u${number}`, "profile"]);
    // A server that syncs every write does so once for all that come together; more than these would wait too long
    // for their answers on a busy machine.
    for (let from = 0; from < USERS; from += 250) {
      await Promise.all(users.slice(from, from + 250).map((key) => storage.create(key, "{}")));
    }
    return storage;
  }

  /** Lists all keys, and lets something happen after the first. Tells how many different ones there were. */
  async function listed(keys: AsyncIterable<EncodedSegment[]>, meanwhile: () => Promise<unknown>): Promise<number> {
    const seen = new Set<string>();
    for await (const key of keys) {
      if (seen.size === 0) await meanwhile();
      seen.add(key.map(({ text }) => text).join("/"));
    }
    return seen.size;
  }

  const CHANGED = /^Redis at redis\S* changed while its keys were listed: .*Run it again\.$/;

  it("fails when the server restarts in the midst, and is whole when begun anew", async () => {
    const server = await startRedis({ config: KEPT });
    open.push(server);
    const storage = await filled(server.url(PATIENT));
    const failure = listed(storage.keys([]), () => server.restart());
    await expect(failure).rejects.toThrow(StorageError);
    await expect(failure).rejects.toThrow(CHANGED);
    expect(await listed(storage.keys([]), () => Promise.resolve())).toBe(USERS);

    const children = storage.children(["users"])[Symbol.asyncIterator]();
    await children.next();
    await server.restart();
    const rest = async (): Promise<void> => {
      while ((await children.next()).done !== true);
    };
    await expect(rest()).rejects.toThrow(CHANGED);
  });

  it("fails when the address leads to the promoted replica in the midst", async () => {
    const pair = await startRedisPair(KEPT);
    open.push(pair);
    const storage = await filled(pair.url(PATIENT));
    await expect(listed(storage.keys([]), () => pair.failOver())).rejects.toThrow(CHANGED);
  });

  it("fails when its server took over another one's data in the midst, with the connection open", async () => {
    const [server, other] = await Promise.all([startRedis({ config: KEPT }), startRedis({ config: KEPT })]);
    open.push(server, other);
    const storage = await filled(server.url(PATIENT));
    const become = async (): Promise<void> => {
      await server.command("REPLICAOF", "127.0.0.1", other.port);
      await inStep(other, server);
      await server.command("REPLICAOF", "NO", "ONE");
    };
    await expect(listed(storage.keys([]), become)).rejects.toThrow(CHANGED);
  });

  it("goes on over a new connection to the same server, whose cursor is good", async () => {
    const server = await startRedis();
    open.push(server);
    const storage = await filled(server.url(PATIENT));
    const cut = (): Promise<unknown> => server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    expect(await listed(storage.keys([]), cut)).toBe(USERS);
  });

  describe("of a cluster", () => {
    /** The user whose slot is moved, and the shards that it moves between. */
    async function mover(cluster: RedisCluster): Promise<{ slot: number; from: Shard; to: Shard }> {
      const slot = await cluster.slotOf(redisKey("anp", "users:u7"));
      const from = cluster.shards.find(({ firstSlot, lastSlot }) => firstSlot <= slot && slot <= lastSlot)!;
      return { slot, from, to: cluster.shards.find((shard) => shard !== from)! };
    }

    it("fails while slots move, and finds all before and after", async () => {
      const cluster = await startCluster();
      open.push(cluster);
      const storage = await filled(cluster.url(PATIENT));
      const nothing = (): Promise<void> => Promise.resolve();
      expect(await listed(storage.keys([]), nothing)).toBe(USERS);

      const { slot, from, to } = await mover(cluster);
      await expect(listed(storage.keys([]), () => cluster.moveSlot(slot, from, to))).rejects.toThrow(CHANGED);
      expect(await listed(storage.keys([]), nothing)).toBe(USERS);

      const halfway = async (): Promise<void> => {
        await from.server.command("CLUSTER", "SETSLOT", slot, "IMPORTING", to.id);
        await to.server.command("CLUSTER", "SETSLOT", slot, "MIGRATING", from.id);
      };
      await expect(listed(storage.keys([]), halfway)).rejects.toThrow(CHANGED);
      await expect(listed(storage.keys([]), nothing)).rejects.toThrow(CHANGED);
      for (const { server } of [from, to]) await server.command("CLUSTER", "SETSLOT", slot, "STABLE");
      expect(await listed(storage.keys([]), nothing)).toBe(USERS);
    });

    it("fails when a replica takes over in the midst", async () => {
      // Only the take-over below: a busy machine must not cause one while the cluster is filled.
      const cluster = await startCluster({ replicas: 1, config: { ...KEPT, "cluster-replica-no-failover": "yes" } });
      open.push(cluster);
      const storage = await filled(cluster.url(PATIENT));
      const [shard] = cluster.shards as [Shard];
      const takeOver = async (): Promise<void> => {
        await inStep(shard.server, shard.replicas[0]!.server);
        await shard.replicas[0]!.server.command("CLUSTER", "FAILOVER", "TAKEOVER");
        await expect.poll(() => shard.server.command("ROLE")).toContain("slave");
      };
      // The old primary may also cut the connection before it says that it is one no longer.
      await expect(listed(storage.keys([]), takeOver)).rejects.toThrow(
        /^Redis at redis\S* (?:changed while its keys were listed: .*Run it again\.|.*the connection was lost)$/,
      );
    });
  });
});
