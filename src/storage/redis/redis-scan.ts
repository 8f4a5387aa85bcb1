import { Cluster, type Redis } from "ioredis";
import { StorageError } from "../storage.ts";
import type { RedisConnection } from "./redis-connection.ts";

/** Yields the keys that match a pattern on every primary of a cluster; a key may come twice. A SCAN cursor is valid
 * only for the server process that returned it: another one accepts it without an error, and skips keys.
 * @throws StorageError when a server was replaced meanwhile, or slots of a cluster moved, so that keys may be missing
 * @see https://redis.io/docs/latest/commands/scan/ */
export async function* scanKeys(connection: RedisConnection, pattern: string): AsyncGenerator<string> {
  const { client } = connection;
  await connection.ready();
  const nodes = client instanceof Cluster ? client.nodes("master") : [client];
  const before = await statesOf(connection, nodes);
  const unchanged = async (): Promise<void> => {
    const now = await statesOf(connection, nodes);
    if (now.some((state, index) => state !== before[index])) throw interrupted(connection);
  };
  let generation = connection.generation();
  for (const node of nodes) {
    let cursor = "0";
    do {
      const [next, keys] = await connection.run(() => node.scan(cursor, "MATCH", pattern, "COUNT", 1000));
      // Fail early: a listing that has to be repeated may be long.
      if (connection.generation() !== generation) {
        generation = connection.generation();
        await unchanged();
      }
      yield* keys;
      cursor = next;
    } while (cursor !== "0");
  }
  await unchanged();
}

/** The state of each server. If it is the same after the scan, the cursors stayed valid and no slot has moved. */
async function statesOf(connection: RedisConnection, nodes: readonly Redis[]): Promise<string[]> {
  const stateOf = async (node: Redis): Promise<string> => {
    const info = await connection.run(() => node.info());
    // The replication id shows a server that took over another one's data while it ran.
    return ["run_id", "master_replid"].map((name) => new RegExp(`^${name}:.*$`, "m").exec(info)?.[0]).join(" ");
  };
  const states = await Promise.all(nodes.map(stateOf));
  if (!(connection.client instanceof Cluster)) return states;
  const shares = await Promise.all(nodes.map((node) => shareOf(connection, node)));
  const assigned = await connection.run(() => nodes[0]!.cluster("INFO"));
  const served = shares.reduce((sum, { slots }) => sum + slots, 0);
  // A migrating slot has keys on two nodes, and a slot without a known owner has its keys elsewhere.
  if (shares.some(({ open }) => open) || !assigned.includes(`cluster_slots_assigned:${served}\r\n`))
    throw interrupted(connection);
  return states.map((state, index) => `${state} ${shares[index]!.text}`);
}

async function shareOf(connection: RedisConnection, node: Redis) {
  const nodes = (await connection.run(() => node.cluster("NODES"))) as string;
  const own = nodes.split("\n").find((line) => / (?:\S+,)?myself/.test(line)) ?? "";
  // id address flags primary ping pong epoch link slot slot …
  const [id = "", , flags = "", , , , epoch = "", , ...ranges] = own.split(" ");
  const closed = ranges.filter((range) => !range.startsWith("["));
  const slots = closed.reduce((sum, range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return sum + last - first + 1;
  }, 0);
  return { slots, open: closed.length < ranges.length, text: [id, flags, epoch, ...ranges].join(" ") };
}

const interrupted = ({ name }: RedisConnection): StorageError =>
  new StorageError(
    `Redis at ${name} changed while its keys were listed: a server restarted or was replaced, or slots are being ` +
      "moved, and keys may be missing. Run it again.",
  );
