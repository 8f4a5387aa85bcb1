import type { Cluster, Redis } from "ioredis";

/** The client has one timer for all connections: left running, it would close the next. A test covers this field. */
export function stopSocketTimer(client: Redis): void {
  const timed = client as unknown as { socketTimeoutTimer: NodeJS.Timeout | undefined };
  clearTimeout(timed.socketTimeoutTimer);
  timed.socketTimeoutTimer = undefined;
}

const CHECK_EVERY_MS = 1000;

/** Detects that a server, after a time as a replica, has another one's data and replication id on open connections.
 * @returns checks the id, at most once a second; `changed` is called before later commands are answered
 * @see https://redis.io/docs/latest/operate/oss_and_stack/management/replication/ */
export function watchReplicationId(client: Redis, changed: () => void): () => void {
  let id: string | undefined;
  let checkedAt = -Infinity;

  client.on("close", () => {
    id = undefined;
    checkedAt = -Infinity;
  });

  return () => {
    if (performance.now() < checkedAt + CHECK_EVERY_MS) return;
    checkedAt = performance.now();
    client.info("replication").then(
      (info) => {
        const found = /^master_replid:(\S+)/m.exec(info)?.[1];
        if (id !== undefined && found !== id) changed();
        id = found;
      },
      (error: unknown) => {
        // A server that forbids INFO will not allow it later; a lost server is noticed by the other commands.
        if (/^(NOPERM|ERR unknown command)/.test((error as Error).message)) checkedAt = Infinity;
      },
    );
  };
}

/** Watches which primary owns each slot of a cluster, as its client knows it: a primary that is demoted but stays up
 * closes no connection, and the new one may lack what was acknowledged last. `slots` and the event `refresh` are not
 * documented by ioredis, so its version is pinned and a test watches them.
 * @returns checks whether a slot has changed its owner since the last check */
export function watchSlotOwners(cluster: Cluster): () => boolean {
  let owners: readonly (string | undefined)[] | undefined;
  // The client's lists of nodes, one for each range of slots, with the owner that each listed first.
  let ranges: readonly { readonly nodes: readonly string[] | undefined; readonly owner: string | undefined }[] = [];
  let changed = false;

  function compare(): void {
    const lists: readonly (readonly string[] | undefined)[] = cluster.slots;
    const seen = Array.from(lists, (nodes) => nodes?.[0]);
    changed ||= owners?.some((owner, slot) => owner !== seen[slot]) ?? false;
    owners = seen;
    ranges = Array.from(new Set(lists), (nodes) => ({ nodes, owner: nodes?.[0] }));
  }

  cluster.on("refresh", compare);

  return () => {
    // A MOVED reply changes the lists at once, before the client refreshes them.
    if (ranges.some(({ nodes, owner }) => nodes?.[0] !== owner)) compare();
    const answer = changed;
    changed = false;
    return answer;
  };
}
