import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster, type RedisCluster } from "../support/redis-cluster.ts";
import { describeStorage } from "./describe-storage.ts";

describe.skipIf(noRedis !== undefined)("on a real cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  let made = 0;
  describeStorage("a Redis Cluster of three", () => {
    // None fails because the machine is busy.
    const url = cluster.url({ prefix: `test-${made++}`, timeout_ms: "30000" });
    return Promise.resolve({ connect: () => openStorage(url), clean: () => Promise.resolve() });
  });

  it("creates several new values of one user at once while the slot is being moved", async () => {
    const storage = await openStorage(cluster.url({ prefix: "moving" }));
    expect(await storage.create(["users", "alice", "first"], "1")).toBe(true);
    const slot = await cluster.slotOf("moving:{users:alice}:first");
    const from = cluster.shards.find(({ firstSlot, lastSlot }) => firstSlot <= slot && slot <= lastSlot)!;
    const to = cluster.shards.find((shard) => shard !== from)!;
    await to.server.command("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id);
    await from.server.command("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id);
    expect(await Promise.all(["a", "b", "first"].map((name) => storage.create(["users", "alice", name], "2")))).toEqual(
      [true, true, false],
    );
    await to.server.command("CLUSTER", "SETSLOT", slot, "STABLE");
    await from.server.command("CLUSTER", "SETSLOT", slot, "STABLE");
    await storage.close();
  });

  it("leaves nothing running when it is closed while the client asks for the slots", async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "closing-client.js"), cluster.url()], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const end = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    for (const { server } of cluster.shards) server.pause();
    child.stdin.write("close\n");
    // Longer than the client waits for an answer.
    const left = await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 15_000, "still running"))]);
    for (const { server } of cluster.shards) server.resume();
    expect(left).toEqual([0, null]);
    await cluster.healthy();
  });
});
