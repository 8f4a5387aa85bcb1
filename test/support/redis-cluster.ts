import { startRedis, storageUrl, type RedisServer, type RedisServerOptions } from "./redis-server.ts";
import { inStep } from "./replication.ts";
import { until } from "./until.ts";

const SLOTS = 16_384;

/** A node of a cluster. */
export interface ClusterNode {
  readonly server: RedisServer;
  readonly id: string;
}

/** A primary of a cluster, with the slots it was given at the start. */
export interface Shard extends ClusterNode {
  readonly firstSlot: number;
  readonly lastSlot: number;
  readonly replicas: readonly ClusterNode[];
}

/** A real Redis Cluster on the loopback. */
export interface RedisCluster {
  readonly shards: readonly Shard[];
  readonly nodes: readonly ClusterNode[];
  /** A storage URL that names all primaries, with the query given. */
  url(query?: Readonly<Record<string, string>>): string;
  /** The slot of a key. */
  slotOf(key: string): Promise<number>;
  /** Waits until all nodes that run agree that all slots are served. */
  healthy(): Promise<void>;
  /** Moves a slot with its keys to another shard, a few keys at a time, as a resharding does. */
  moveSlot(slot: number, from: Shard, to: Shard): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a cluster of `shards` primaries with `replicas` replicas each, and waits until it serves every slot. A node is
 * held for lost after `lossMs`, ms, if it is given, and the others go on without its slots; else after a time that no
 * busy machine needs.
 */
export async function startCluster(
  options: RedisServerOptions & { readonly shards?: number; readonly replicas?: number; readonly lossMs?: number } = {},
): Promise<RedisCluster> {
  const { shards: count = 3, replicas: copies = 0, lossMs = 60_000, config, ...rest } = options;
  const start = async (): Promise<ClusterNode> => {
    const server = await startRedis({
      ...rest,
      config: {
        "cluster-enabled": "yes",
        // The shorter, the sooner the nodes hear of each other.
        "cluster-node-timeout": "1000",
        "cluster-require-full-coverage": "no",
        ...(rest.tls === undefined ? {} : { "tls-cluster": "yes", "tls-replication": "yes" }),
        ...config,
      },
    });
    return { server, id: String(await server.command("CLUSTER", "MYID")) };
  };
  const nodes = await Promise.all(Array.from({ length: count * (1 + copies) }, start));
  try {
    const shards = nodes
      .slice(0, count)
      .map(({ server, id }, index): Shard => ({
        server,
        id,
        firstSlot: Math.ceil((SLOTS * index) / count),
        lastSlot: Math.ceil((SLOTS * (index + 1)) / count) - 1,
        replicas: nodes.slice(count + index * copies, count + (index + 1) * copies),
      }));
    await form(nodes, shards);
    const patient = nodes.map(({ server }) => server.command("CONFIG", "SET", "cluster-node-timeout", lossMs));
    await Promise.all(patient);
    await until("no node was held for lost", () => everyNode(nodes, `cluster_slots_ok:${SLOTS}\r\n`));
    return clusterOf(nodes, shards, rest);
  } catch (error) {
    await Promise.all(nodes.map(({ server }) => server.stop()));
    throw error;
  }
}

async function form(nodes: readonly ClusterNode[], shards: readonly Shard[]): Promise<void> {
  const meeting = nodes[0]!.server;
  for (const [index, { server }] of nodes.entries()) {
    await server.command("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
    if (server !== meeting) await server.command("CLUSTER", "MEET", "127.0.0.1", meeting.port);
  }
  for (const { server, firstSlot, lastSlot } of shards) {
    const slots = Array.from({ length: lastSlot - firstSlot + 1 }, (_, index) => firstSlot + index);
    await server.command("CLUSTER", "ADDSLOTS", ...slots);
  }
  await until("every node knew the others", () => everyNode(nodes, `cluster_known_nodes:${nodes.length}\r\n`));
  for (const { id, replicas } of shards) {
    for (const { server } of replicas) await server.command("CLUSTER", "REPLICATE", id);
  }
  await until("the cluster served every slot", () => everyNode(nodes, "cluster_state:ok"));
  for (const { server, replicas } of shards) {
    for (const replica of replicas) await inStep(server, replica.server);
  }
}

async function everyNode(nodes: readonly ClusterNode[], words: string): Promise<boolean> {
  const infos = await Promise.all(
    nodes.map(({ server }) => server.command("CLUSTER", "INFO").catch(() => "not running")),
  );
  return infos.every((info) => info === "not running" || String(info).includes(words));
}

function clusterOf(nodes: readonly ClusterNode[], shards: readonly Shard[], options: RedisServerOptions): RedisCluster {
  return {
    shards,
    nodes,
    url: (query) =>
      storageUrl("-cluster", shards.map(({ server }) => `127.0.0.1:${server.port}`).join(","), options, query),
    slotOf: async (key) => Number(await shards[0]!.server.command("CLUSTER", "KEYSLOT", key)),
    healthy: async () => {
      await until("the cluster was whole again", async () => {
        const infos = await Promise.all(
          nodes.map(({ server }) => server.command("CLUSTER", "INFO").catch(() => undefined)),
        );
        const running = infos.filter((info) => info !== undefined).map(String);
        return running.every(
          (info) => info.includes("cluster_state:ok") && info.includes(`cluster_slots_ok:${SLOTS}\r\n`),
        );
      });
    },
    async moveSlot(slot, from, to) {
      await to.server.command("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id);
      await from.server.command("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id);
      const login = options.password === undefined ? [] : ["AUTH", options.password];
      for (;;) {
        const keys = (await from.server.command("CLUSTER", "GETKEYSINSLOT", slot, 10)) as string[];
        if (keys.length === 0) break;
        await from.server.command("MIGRATE", "127.0.0.1", to.server.port, "", 0, 5000, ...login, "KEYS", ...keys);
      }
      // The new owner first: a slot that nobody owns is one whose writes are refused.
      await to.server.command("CLUSTER", "SETSLOT", slot, "NODE", to.id);
      for (const { server } of [from, ...shards]) await server.command("CLUSTER", "SETSLOT", slot, "NODE", to.id);
    },
    async stop() {
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}
