import { startRedisProxy, type RedisProxy } from "./redis-proxy.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";
import { inStep } from "./replication.ts";

/** A primary with one replica behind an address that leads to the current primary. */
export interface RedisPair {
  primary(): RedisServer;
  /** The address that clients are led through. */
  readonly address: RedisProxy;
  /** A storage URL of the address. */
  url(query?: Readonly<Record<string, string>>): string;
  /** Stops the replication without a notice: the replica gets nothing from now on. */
  holdReplica(): void;
  /** Lets the replica catch up, and waits until it has. */
  releaseReplica(): Promise<void>;
  /** Kills the primary, makes the replica the primary and leads the address to it. */
  failOver(): Promise<void>;
  /** Brings the server that was killed back, empty, as the replica, and waits until it has everything. */
  repair(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a primary, its replica, and the address. */
export async function startRedisPair(config: Readonly<Record<string, string>> = {}): Promise<RedisPair> {
  let primary = await startRedis({ config });
  let replica = await startRedis({ config });
  const address = await startRedisProxy(primary.port);
  const link: RedisProxy = await startRedisProxy(primary.port, { raw: true });

  async function follow(): Promise<void> {
    link.lead(primary.port);
    await replica.command("REPLICAOF", "127.0.0.1", link.port);
    await inStep(primary, replica);
  }

  await follow();
  return {
    primary: () => primary,
    address,
    url: (query) => primary.url(query).replace(`:${primary.port}/`, `:${address.port}/`),
    holdReplica() {
      link.decide(() => "drop");
    },
    async releaseReplica() {
      link.decide(() => "pass");
      link.cutAll();
      await inStep(primary, replica);
    },
    async failOver() {
      await primary.kill();
      await replica.command("REPLICAOF", "NO", "ONE");
      [primary, replica] = [replica, primary];
      address.lead(primary.port);
      address.cutAll();
    },
    async repair() {
      await replica.restart();
      link.decide(() => "pass");
      link.cutAll();
      await follow();
    },
    async stop() {
      await Promise.all([address.stop(), link.stop()]);
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}
