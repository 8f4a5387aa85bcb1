import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";

/** A storage that several processes can open. */
export interface SharedStorage {
  readonly url: string;
  readonly remove: () => Promise<void>;
}

export interface SharedStorageKind {
  readonly name: string;
  readonly open: () => Promise<SharedStorage>;
}

/** The storages that daemons may share, each made new and empty. */
export const SHARED_STORAGES: readonly SharedStorageKind[] = [
  {
    name: "files",
    async open() {
      const folder = await temporaryFolder();
      return { url: `fs:${folder.path}/data`, remove: folder.remove };
    },
  },
  ...(noRedis === undefined
    ? [
        {
          name: "Redis",
          async open(): Promise<SharedStorage> {
            const server = await startRedis();
            return { url: server.url(), remove: () => server.stop() };
          },
        },
      ]
    : []),
];
