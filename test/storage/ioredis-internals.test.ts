import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Cluster, Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { noRedis } from "../support/redis-available.ts";
import { startCluster } from "../support/redis-cluster.ts";
import { startRedis } from "../support/redis-server.ts";

const root = join(import.meta.dirname, "../..");

function packageOf(folder: string): Package {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Package;
}

interface Package {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What the storage uses of ioredis without its documentation saying so. */
describe("ioredis", () => {
  it("is pinned to the version that these tests ran with", () => {
    const { dependencies, devDependencies } = packageOf(".");
    expect({ ...dependencies, ...devDependencies }["ioredis"]).toBe(packageOf("node_modules/ioredis").version);
  });

  it.skipIf(noRedis !== undefined)(
    "leaves the timer of a lost connection running, in a field we can stop",
    async () => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const client = new Redis({ port: server.port, socketTimeout: 60_000, maxRetriesPerRequest: 0 });
      const timerOf = (): unknown => (client as unknown as { socketTimeoutTimer: unknown }).socketTimeoutTimer;
      onTestFinished(() => {
        client.disconnect();
        clearTimeout(timerOf() as NodeJS.Timeout);
      });
      await client.ping();
      expect(timerOf()).toBeUndefined();
      const waiting = client.blpop("never", 0).catch(() => "lost");
      await promisify(setImmediate)();
      expect(timerOf()).toBeDefined();
      client.disconnect(true);
      await once(client, "close");
      expect(timerOf()).toBeDefined();
      expect(await waiting).toBe("lost");
    },
  );

  it.skipIf(noRedis !== undefined)(
    "keeps one list of nodes for each range of a cluster's slots, and says when it has asked for them",
    async () => {
      const started = await startCluster();
      onTestFinished(() => started.stop());
      const cluster = new Cluster(started.nodes.map(({ server }) => ({ host: "127.0.0.1", port: server.port })));
      onTestFinished(() => {
        cluster.disconnect();
      });
      await once(cluster, "ready");
      const refreshed = once(cluster, "refresh");
      cluster.refreshSlotsCache();
      await refreshed;
      for (const { server, firstSlot, lastSlot } of started.shards) {
        const list = cluster.slots[firstSlot]!;
        expect(list[0]).toBe(`127.0.0.1:${server.port}`);
        expect(cluster.slots[lastSlot]).toBe(list);
      }
      expect(new Set(cluster.slots).size).toBe(started.shards.length);
    },
  );
});
