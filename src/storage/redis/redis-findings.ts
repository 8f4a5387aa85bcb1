import { Cluster, type Redis } from "ioredis";
import { type Finding, findingsOf } from "../health/finding.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { catchOutage, StorageError } from "../storage.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisSettings } from "./redis-url.ts";
import FINDINGS from "./redis-findings.json" with { type: "json" };

const finding = findingsOf(FINDINGS);
const MIN_VERSION = "6.0.0";
const CLOCK_BOUND_MS = 2000;
const MAX_CLOCK_SKEW_MS = 86_400_000; // Beyond it, free uses would count on another day.

type Info = ReadonlyMap<string, string>;

/** Examines every primary of a Redis: append-only file and its syncs, eviction, replicas, role, version, clock; a
 * cluster's state. @throws StorageError when a server cannot be reached */
export async function examineRedis(connection: RedisConnection, settings: RedisSettings, now: number) {
  const { client } = connection;
  const started = performance.now();
  await connection.ready();
  const clockNow = (): number => now + performance.now() - started;
  if (!(client instanceof Cluster)) return connection.run(() => examineServer(client, settings, clockNow));
  const findings = [await connection.run(() => clusterState(client))];
  const owners = groupBy(client.slots, (nodes: readonly string[] | undefined) => nodes?.[0] ?? "");
  owners.delete(""); // Slots that no node has count in the cluster's state.
  for (const [place, { length: slots }] of owners) {
    const node = client.nodes("master").find(({ options: { host, port } }) => `${host}:${port}` === place);
    const examined = connection.run(async () => {
      if (node === undefined) throw new StorageError("there is no connection to it"); // The client forgets such nodes.
      return examineServer(node, settings, clockNow);
    });
    const found = await catchOutage(examined, (error) => {
      if (/\bNOPERM\b/.test(error.message)) throw error;
      return [finding("slotsNotServed", { slots, reason: error.message })];
    });
    findings.push(...found.map((one) => ({ ...one, subject: `${place} ${one.subject}` })));
  }
  return findings;
}

async function clusterState(cluster: Cluster): Promise<Finding> {
  const info = fieldsOf(await cluster.cluster("INFO"));
  const state = info.get("cluster_state") ?? "unknown";
  const slots = info.get("cluster_slots_ok");
  return finding(state === "ok" && slots === "16384" ? "clusterOk" : "clusterNotOk", { state, slots });
}

async function examineServer(node: Redis, settings: RedisSettings, now: () => number): Promise<Finding[]> {
  const info = fieldsOf(await node.info());
  const asked = now();
  const [seconds, microseconds] = (await node.time()) as unknown as [string, string];
  const [waited, at] = [(now() - asked) / 2, Number(seconds) * 1000 + Number(microseconds) / 1000];
  const ahead = at - asked - waited; // Half of the round trip may have passed at either end.
  const primary = info.get("master_host") ?? "another server";
  const role = info.get("role") === "master" ? finding("primary") : finding("replica", { primary });
  const found = [await appendOnly(node, info), eviction(info), replicas(info, settings), clock(ahead, waited)];
  return [version(info), role, ...found, ...(await password(node, settings))];
}

function version(info: Info): Finding {
  const found = info.get("redis_version") ?? "0";
  const isNewEnough = Number.parseInt(found) >= Number.parseInt(MIN_VERSION);
  return finding(isNewEnough ? "version" : "versionTooOld", { version: found, oldest: MIN_VERSION });
}

async function appendOnly(node: Redis, info: Info): Promise<Finding> {
  if (info.get("aof_enabled") !== "1") return finding("appendOnlyOff");
  if (info.get("aof_last_write_status") === "err") return finding("appendOnlyFailed");
  const [, policy] = await ifAllowed(node.config("GET", "appendfsync"));
  if (policy === undefined) return finding("syncUnknown");
  if (policy !== "always") return finding(policy === "everysec" ? "syncEverySecond" : "syncBySystem", { policy });
  // With it the server does not fsync while it rewrites its file or writes a snapshot, whatever appendfsync is.
  const [, pauses] = await ifAllowed(node.config("GET", "no-appendfsync-on-rewrite"));
  return finding(pauses === "yes" ? "noSyncOnRewrite" : "syncAlways");
}

function eviction(info: Info): Finding {
  const policy = info.get("maxmemory_policy") ?? "unknown";
  const limit = Number(info.get("maxmemory") ?? 0);
  if (policy === "noeviction") return finding("noEviction");
  if (!policy.startsWith("allkeys-")) return finding("evictsVolatile", { policy });
  const bound = limit === 0 ? "with no maxmemory yet" : `with maxmemory ${limit} bytes`;
  return finding("evictsAll", { policy, bound });
}

function replicas(info: Info, { waitReplicas }: RedisSettings): Finding {
  const connected = Number(info.get("connected_slaves") ?? 0);
  if (connected < waitReplicas) return finding("replicasMissing", { waitReplicas, connected });
  if (connected === 0) return finding("noReplica");
  return finding(waitReplicas > 0 ? "replicasAcknowledge" : "replicasBehind", { connected, waitReplicas });
}

function clock(ahead: number, tolerance: number): Finding {
  if (Math.abs(ahead) <= CLOCK_BOUND_MS + tolerance) return finding("clocksAgree");
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const isWrong = Math.abs(ahead) > MAX_CLOCK_SKEW_MS;
  const direction = ahead > 0 ? "ahead of" : "behind";
  return finding(isWrong ? "clocksDaysApart" : "clocksApart", { seconds, direction });
}

const fieldsOf = (info: string): Info =>
  new Map(Array.from(info.matchAll(/^(\w+):(.*)$/gm), ([, name, value]) => [name!, value!]));

/** A default user with `nopass` accepts any password. Other users may not be allowed to run ACL GETUSER. */
async function password(node: Redis, { username = "default", password: given }: RedisSettings): Promise<Finding[]> {
  if (given === undefined || username !== "default") return [];
  const [, flags = []] = await ifAllowed<string[]>(node.acl("GETUSER", username));
  return flags.includes("nopass") ? [finding("passwordNotNeeded")] : [];
}

/** The reply as a list; empty if the command is not allowed, as CONFIG on most hosted servers. */
const ifAllowed = <T = string>(reply: Promise<unknown>): Promise<T[]> =>
  (reply as Promise<T[]>).catch((error: unknown) => {
    if (/^(NOPERM|ERR unknown command)/.test((error as Error).message)) return [];
    throw error;
  });
