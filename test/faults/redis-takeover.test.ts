import { promisify } from "node:util";
import { Cluster } from "ioredis";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { connectRedis, type RedisConnection } from "../../src/storage/redis/redis-connection.ts";
import { parseRedisUrl } from "../../src/storage/redis/redis-url.ts";
import { redisKey } from "../../src/storage/redis/redis-keys.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster, type RedisCluster, type Shard } from "../support/redis-cluster.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { inStep } from "../support/replication.ts";
import { until } from "../support/until.ts";
import { addUsers, giveOnePoint, ledgerOn } from "./redis-ledger-load.ts";

describe.skipIf(noRedis !== undefined)("a server that took over another one's data, with its connections open", () => {
  it("makes a ledger that remembers its end read it again, and answers no lost operation as a replay", async () => {
    const [server, other] = await Promise.all([startRedis(), startRedis()]);
    onTestFinished(() => Promise.all([server.stop(), other.stop()]).then(() => undefined));
    const storage = await openStorage(server.url());
    onTestFinished(() => storage.close());
    const follow = async (follower: RedisServer, followed: RedisServer): Promise<void> => {
      await follower.command("REPLICAOF", "127.0.0.1", followed.port);
      await inStep(followed, follower);
    };
    const ledger = ledgerOn(storage);
    await giveOnePoint(ledger, "alice", "kept", true);
    const { account } = await ledger.open("alice");
    await follow(other, server);
    await other.command("REPLICAOF", "NO", "ONE");
    await giveOnePoint(ledger, "alice", "lost", true);
    const generation = storage.generation();
    await follow(server, other);
    await server.command("REPLICAOF", "NO", "ONE");

    await until("it was known", async () => {
      await storage.has(["anything"]);
      return storage.generation() > generation;
    });
    expect((await ledger.open("alice")).account.balance).toBe(account.balance);
    const again = await giveOnePoint(ledger, "alice", "lost", true);
    expect(again.replayed).toBe(false);
    expect(again.entry.account.balance).toBe(account.balance + 1);
  });
});

describe.skipIf(noRedis !== undefined)("a slot of a cluster that goes to another primary, with the old one up", () => {
  const clusters: RedisCluster[] = [];

  afterEach(async () => {
    for (const cluster of clusters.splice(0)) await cluster.stop();
  });

  async function start(replicas: number): Promise<RedisCluster> {
    const cluster = await startCluster({ replicas });
    clusters.push(cluster);
    return cluster;
  }

  async function open(cluster: RedisCluster): Promise<Storage> {
    const storage = await openStorage(cluster.url());
    onTestFinished(() => storage.close());
    return storage;
  }

  async function homeOf(cluster: RedisCluster, user: string): Promise<{ slot: number; shard: Shard }> {
    const slot = await cluster.slotOf(redisKey("anp", `users:${user}`));
    return { slot, shard: cluster.shards.find(({ firstSlot, lastSlot }) => firstSlot <= slot && slot <= lastSlot)! };
  }

  /** Stops the replication of a shard, lets something be lost by it, and makes the replica the primary. */
  async function takeOver({ server, replicas }: Shard, lose: () => Promise<unknown>): Promise<void> {
    const [replica] = replicas;
    // What went before must not be lost with it.
    await inStep(server, replica!.server);
    await server.command("ACL", "SETUSER", "default", "-psync", "-sync");
    await server.command("CLIENT", "KILL", "TYPE", "replica");
    await lose();
    await replica!.server.command("CLUSTER", "FAILOVER", "TAKEOVER");
    await until("the old primary was a replica", async () => String(await server.command("ROLE")).startsWith("slave"));
  }

  it("makes a ledger that remembers its end read it again, and answers no lost operation as a replay", async () => {
    const cluster = await start(1);
    const storage = await open(cluster);
    const ledger = ledgerOn(storage);
    await addUsers(storage, ["alice"]);
    await giveOnePoint(ledger, "alice", "kept", true);
    const { account } = await ledger.open("alice");
    const generation = storage.generation();
    const { shard } = await homeOf(cluster, "alice");
    await takeOver(shard, () => giveOnePoint(ledger, "alice", "lost", true));

    // No command is sent: the client finds out by asking for the slots.
    await until("the takeover was known", () => storage.generation() > generation);
    expect((await ledger.open("alice")).account.balance).toBe(account.balance);
    const again = await giveOnePoint(ledger, "alice", "lost", true);
    expect(again.replayed).toBe(false);
    expect(again.entry.account.balance).toBe(account.balance + 1);
    expect((await ledgerOn(await open(cluster)).open("alice")).account.balance).toBe(account.balance + 1);
  });

  it("is known as soon as a command was answered by the new primary", async () => {
    const cluster = await start(1);
    const storage = await open(cluster);
    await storage.put(["users", "alice", "profile"], "1");
    const generation = storage.generation();
    // The old primary's answer leads the client to the new one before it has asked for the slots again.
    const asking = vi.spyOn(Cluster.prototype, "refreshSlotsCache").mockReturnValue();
    onTestFinished(() => {
      asking.mockRestore();
    });
    const { shard } = await homeOf(cluster, "alice");
    await takeOver(shard, () => storage.put(["users", "alice", "profile"], "2"));
    expect(storage.generation()).toBe(generation);
    expect(await storage.get(["users", "alice", "profile"])).toBe("1");
    expect(storage.generation()).toBeGreaterThan(generation);
  });

  it("is distinguished from slots that stay where they are, however often they are refreshed", async () => {
    const cluster = await start(0);
    const connection = connectRedis(parseRedisUrl(cluster.url()));
    onTestFinished(() => connection.close());
    await connection.ready();
    await refresh(connection);
    const generation = connection.generation();
    for (let time = 0; time < 3; time++) await refresh(connection);
    expect(connection.generation()).toBe(generation);

    const { slot, shard } = await homeOf(cluster, "alice");
    await cluster.moveSlot(
      slot,
      shard,
      cluster.shards.find((other) => other !== shard)!,
    );
    await refresh(connection);
    expect(connection.generation()).toBe(generation + 1);
    await refresh(connection);
    expect(connection.generation()).toBe(generation + 1);
  });

  function refresh({ client }: RedisConnection): Promise<void> {
    if (!(client instanceof Cluster)) throw new TypeError("not a cluster");
    return promisify(client.refreshSlotsCache.bind(client))();
  }
});
