import type { Env } from "../framework/environment.ts";
import type { Globals } from "../framework/global-flags.ts";

/**
 * Ids of the storage's users that fit, in no order. Nothing is created. An id that is so long that only its digest is
 * its key is not among them.
 *
 * @param most as many are enough
 * @param signal aborted when nobody should wait any longer
 */
export async function userIds(
  { globals, env }: { readonly globals: Globals; readonly env: Env },
  options: { readonly fits?: (id: string) => boolean; readonly most: number; readonly signal?: AbortSignal },
): Promise<string[]> {
  const { fits = () => true, most, signal } = options;
  const [{ openConfig }, { openStorage }, { decodeSegment }] = await Promise.all([
    import("./open-config.ts"),
    import("../../storage/open-storage.ts"),
    import("../../storage/keys.ts"),
  ]);
  const { config } = await openConfig({ globals, env });
  const storage = await openStorage(config.storage, { mustExist: true });
  const found: string[] = [];
  try {
    for await (const segment of storage.children(["users"])) {
      const id = decodeSegment(segment);
      if (id !== undefined && fits(id)) found.push(id);
      if (found.length === most || signal?.aborted === true) break;
    }
  } finally {
    await storage.close();
  }
  return found;
}
