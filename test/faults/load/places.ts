import { startCluster } from "../../support/redis-cluster.ts";
import { noRedis } from "../../support/redis-available.ts";
import { startRedis } from "../../support/redis-server.ts";
import { folderOnDisk } from "../../support/folder.ts";

/** A storage that several processes share, and the way to remove it. */
export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

/** The kinds of storage that can be started here. */
export const PLACES: readonly string[] = noRedis === undefined ? ["files", "redis", "cluster"] : ["files"];

/** An empty storage of the kind: `files`, `redis`, `cluster`, or what a storage URL names, which must be empty. */
export async function openPlace(kind: string): Promise<Place> {
  switch (kind) {
    case "files": {
      const folder = await folderOnDisk();
      return { url: `fs:${folder.path}`, remove: folder.remove };
    }
    case "redis": {
      const server = await startRedis({ config: { appendonly: "yes", "maxmemory-policy": "noeviction" } });
      return { url: server.url(), remove: () => server.stop() };
    }
    case "cluster": {
      const cluster = await startCluster({ config: { appendonly: "yes", "maxmemory-policy": "noeviction" } });
      return { url: cluster.url(), remove: () => cluster.stop() };
    }
    default:
      return { url: kind, remove: () => Promise.resolve() };
  }
}
