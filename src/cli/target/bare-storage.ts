import type { Config } from "../../config/config-schema.ts";
import type { Storage } from "../../storage/storage.ts";
import type { CommandEnv } from "../framework/global-flags.ts";

/** Lists ids of the storage's users that begin with a prefix, in no order, until there are `most`. Nothing is
 * created. An id whose key is a digest, because it is long, is not listed. */
export async function userIds(surroundings: CommandEnv, { prefix = "", limit }: { prefix?: string; limit: number }) {
  const { decodeSegment } = await import("../../storage/keys.ts");
  return withBareStorage(surroundings, async (storage) => {
    const found: string[] = [];
    for await (const segment of storage.children(["users"])) {
      const id = decodeSegment(segment);
      if (id?.startsWith(prefix) === true) found.push(id);
      if (found.length === limit) break;
    }
    return found;
  });
}

type OnStorage<T> = (storage: Storage, config: Config) => Promise<T>;

/** Opens the configured storage, of any identity and without a service, for `action`, and closes it after. */
export async function withBareStorage<T>(surroundings: CommandEnv, action: OnStorage<T>): Promise<T> {
  const { openStorage } = await import("../../storage/open-storage.ts");
  const { config, cwd } = await (await import("./open-config.ts")).openConfig(surroundings);
  const storage = await openStorage(config.storage, { mustExist: true, cwd });
  try {
    return await action(storage, config);
  } finally {
    await storage.close();
  }
}
