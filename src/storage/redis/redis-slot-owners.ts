import type { Cluster } from "ioredis";

/**
 * Watches which primary owns each slot of a cluster, as its client knows it: a primary that is demoted but stays up
 * closes no connection, and the new one may lack what was acknowledged last. `slots` and the event `refresh` are not
 * documented by ioredis, so its version is pinned and a test watches them.
 *
 * @returns checks whether a slot has got another owner since the last check
 */
export function watchSlotOwners(cluster: Cluster): () => boolean {
  let owners: readonly (string | undefined)[] | undefined;
  // The client's lists of nodes, one for each range of slots, with the owner that each listed first.
  const ranges = new Map<readonly string[], string | undefined>();
  let changed = false;

  function compare(): void {
    const lists: readonly (readonly string[] | undefined)[] = cluster.slots;
    const seen = Array.from(lists, (nodes) => nodes?.[0]);
    changed ||= owners?.some((owner, slot) => owner !== seen[slot]) ?? false;
    owners = seen;
    ranges.clear();
    lists.forEach((nodes, slot) => {
      if (nodes !== undefined && nodes !== lists[slot - 1]) ranges.set(nodes, nodes[0]);
    });
  }

  cluster.on("refresh", compare);

  return () => {
    // A MOVED reply changes the lists at once, before the client refreshes them.
    for (const [nodes, owner] of ranges) {
      if (nodes[0] !== owner) {
        compare();
        break;
      }
    }
    const answer = changed;
    changed = false;
    return answer;
  };
}
