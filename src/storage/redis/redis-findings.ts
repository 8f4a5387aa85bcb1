import { Cluster, type Redis } from "ioredis";
import type { Finding } from "../finding.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisSettings } from "./redis-url.ts";

/** The oldest version that has all the commands used here. */
const MIN_VERSION = "6.0.0";
const CLOCK_BOUND_MS = 2000;

/**
 * Examines every primary of a Redis: append-only file and how often it is synced, eviction, replicas, role, version,
 * clock; and a cluster's own state.
 *
 * @throws StorageError when a server cannot be reached
 */
export async function examineRedis(
  connection: RedisConnection,
  settings: RedisSettings,
  now: number,
): Promise<Finding[]> {
  const { client } = connection;
  await connection.ready();
  const started = performance.now();
  if (!(client instanceof Cluster)) {
    return connection.run(() => examineServer(client, settings, "", () => now + performance.now() - started));
  }
  const findings = [await connection.run(() => clusterState(client))];
  for (const node of client.nodes("master")) {
    const name = `${node.options.host}:${node.options.port} `;
    const found = await connection.run(() =>
      examineServer(node, settings, name, () => now + performance.now() - started),
    );
    findings.push(...found);
  }
  return findings;
}

async function clusterState(cluster: Cluster): Promise<Finding> {
  const info = fieldsOf(await cluster.cluster("INFO"));
  const slots = Number(info.get("cluster_slots_ok"));
  if (info.get("cluster_state") === "ok") {
    return { level: "ok", subject: "cluster", message: `The cluster's state is ok, ${slots} slots are served.` };
  }
  return {
    level: "error",
    subject: "cluster",
    message: `The cluster's state is ${info.get("cluster_state") ?? "unknown"}: ${slots} of 16384 slots are served.`,
    remedy:
      "Look at CLUSTER NODES; bring the missing node back or give its slots to another one (redis-cli --cluster fix).",
  };
}

async function examineServer(
  node: Redis,
  settings: RedisSettings,
  name: string,
  now: () => number,
): Promise<Finding[]> {
  const info = fieldsOf(await node.info());
  const [seconds, microseconds] = (await node.time()) as unknown as [string, string];
  const serverTime = Number(seconds) * 1000 + Number(microseconds) / 1000;
  const findings = [
    version(info),
    role(info),
    await appendOnly(node, info),
    eviction(info),
    replicas(info, settings),
    clock(serverTime - now()),
  ];
  return findings.map((finding) => ({ ...finding, subject: `${name}${finding.subject}` }));
}

function version(info: ReadonlyMap<string, string>): Finding {
  const found = info.get("redis_version") ?? "0";
  const [major = 0] = found.split(".").map(Number);
  if (major >= Number(MIN_VERSION.split(".")[0]))
    return { level: "ok", subject: "version", message: `Redis ${found}.` };
  return {
    level: "error",
    subject: "version",
    message: `Redis ${found} is older than ${MIN_VERSION}.`,
    remedy: `Use Redis ${MIN_VERSION} or later.`,
  };
}

function role(info: ReadonlyMap<string, string>): Finding {
  if (info.get("role") === "master") return { level: "ok", subject: "role", message: "A primary: writes are taken." };
  return {
    level: "error",
    subject: "role",
    message: `A replica of ${info.get("master_host") ?? "another server"}: writes are refused.`,
    remedy: "Let the storage URL name the primary.",
  };
}

async function appendOnly(node: Redis, info: ReadonlyMap<string, string>): Promise<Finding> {
  if (info.get("aof_enabled") !== "1") {
    return {
      level: "warning",
      subject: "appendonly",
      message: "appendonly is off: the server keeps writes in memory between snapshots.",
      loses: "everything since the last snapshot, when the server stops",
      remedy: "CONFIG SET appendonly yes, and in redis.conf: appendonly yes",
    };
  }
  if (info.get("aof_last_write_status") === "err") {
    return {
      level: "error",
      subject: "appendonly",
      message: "The last write of the append-only file failed.",
      remedy: "Look at the server's log and its disk.",
    };
  }
  const policy = await configured(node, "appendfsync");
  if (policy === "always") {
    // With it the server syncs nothing while it rewrites its file or writes a snapshot, whatever appendfsync is.
    if ((await configured(node, "no-appendfsync-on-rewrite")) === "yes") {
      return {
        level: "warning",
        subject: "appendfsync",
        message: "appendfsync always, but no-appendfsync-on-rewrite yes: nothing is synced while a file is rewritten.",
        loses: "half a minute of writes or more, when the server's machine stops while its files are being rewritten",
        remedy: "CONFIG SET no-appendfsync-on-rewrite no, and in redis.conf: no-appendfsync-on-rewrite no",
      };
    }
    return { level: "ok", subject: "appendfsync", message: "appendfsync always: what is acknowledged is on disk." };
  }
  const remedy = "CONFIG SET appendfsync always, and in redis.conf: appendfsync always";
  if (policy === undefined) {
    return {
      level: "warning",
      subject: "appendfsync",
      message: "The server does not report its appendfsync (CONFIG is not allowed).",
      loses: "up to two seconds of writes when the server's machine stops, if it is everysec, as is usual",
      remedy: "Look at the server's own settings for appendfsync always.",
    };
  }
  return {
    level: "warning",
    subject: "appendfsync",
    message: `appendfsync ${policy}.`,
    loses:
      policy === "everysec"
        ? "up to two seconds of writes, when the server's machine stops, or the server is killed while its disk is busy"
        : "what the system has not written to disk yet, half a minute or more, when the server's machine stops",
    remedy,
  };
}

function eviction(info: ReadonlyMap<string, string>): Finding {
  const policy = info.get("maxmemory_policy") ?? "unknown";
  const limit = Number(info.get("maxmemory") ?? 0);
  if (policy === "noeviction") return { level: "ok", subject: "maxmemory-policy", message: "noeviction." };
  const remedy = "CONFIG SET maxmemory-policy noeviction, and in redis.conf: maxmemory-policy noeviction";
  if (!policy.startsWith("allkeys-")) {
    return {
      level: "warning",
      subject: "maxmemory-policy",
      message: `${policy}: only what has an expiry goes.`,
      remedy,
    };
  }
  return {
    level: "warning",
    subject: "maxmemory-policy",
    message: `${policy}, ${limit === 0 ? "with no maxmemory yet" : `with maxmemory ${limit} bytes`}.`,
    loses: "entries of users' ledgers, when the memory is full",
    remedy,
  };
}

function replicas(info: ReadonlyMap<string, string>, settings: RedisSettings): Finding {
  const connected = Number(info.get("connected_slaves") ?? 0);
  const { waitReplicas } = settings;
  if (connected < waitReplicas) {
    return {
      level: "error",
      subject: "replicas",
      message: `wait_replicas=${waitReplicas}, but ${connected} replicas are connected: no write will be acknowledged.`,
      remedy: "Connect the replicas, or lower wait_replicas in the storage URL.",
    };
  }
  if (connected === 0) {
    return { level: "ok", subject: "replicas", message: "No replica: a lost disk is a lost ledger without a backup." };
  }
  if (waitReplicas === 0) {
    return {
      level: "warning",
      subject: "replicas",
      message: `${connected} connected; writes do not wait for them.`,
      loses: "the last moments of acknowledged writes, when a replica takes over",
      remedy: "Add wait_replicas=1 to the storage URL.",
    };
  }
  return {
    level: "ok",
    subject: "replicas",
    message: `${connected} connected; a write is acknowledged when ${waitReplicas} have it.`,
  };
}

function clock(ahead: number): Finding {
  if (Math.abs(ahead) <= CLOCK_BOUND_MS) {
    return { level: "ok", subject: "clock", message: "The server's clock and this machine's agree." };
  }
  return {
    level: "warning",
    subject: "clock",
    message: `The server's clock is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? "ahead of" : "behind"} this machine's.`,
    remedy: "Synchronise both (chrony, systemd-timesyncd): the daily quota resets by this machine's clock.",
  };
}

/** The fields of an INFO answer. */
function fieldsOf(info: string): Map<string, string> {
  return new Map(
    info.split(/\r?\n/).flatMap((line): [string, string][] => {
      const colon = line.indexOf(":");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
}

/** A setting, or undefined where CONFIG is not allowed, as on most hosted servers. */
async function configured(node: Redis, setting: string): Promise<string | undefined> {
  try {
    const [, value] = (await node.config("GET", setting)) as string[];
    return value;
  } catch (error) {
    if (/^(NOPERM|ERR unknown command)/.test((error as Error).message)) return undefined;
    throw error;
  }
}
