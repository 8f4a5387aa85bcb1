import type { Surroundings } from "../framework/global-flags.ts";

/**
 * Lists ids of the storage's users, in no order. Nothing is created. An id whose key is a digest, because it is long,
 * is not listed.
 *
 * @param options.most ends the listing at this number
 * @param options.signal ends the listing early
 */
export async function userIds(
  surroundings: Surroundings,
  options: { readonly fits?: (id: string) => boolean; readonly most: number; readonly signal?: AbortSignal },
): Promise<string[]> {
  const { fits = () => true, most, signal } = options;
  const { openConfig } = await import("./open-config.ts");
  const { openStorage } = await import("../../storage/open-storage.ts");
  const { decodeSegment } = await import("../../storage/keys.ts");
  const { config, cwd } = await openConfig(surroundings);
  const storage = await openStorage(config.storage, { mustExist: true, cwd });
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
