import { afterAll, beforeAll, describe } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
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
    const url = cluster.url({ prefix: `test-${made++}` });
    return Promise.resolve({ connect: () => openStorage(url), clean: () => Promise.resolve() });
  });
});
