import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { storageOnDriver } from "./storage-on-driver.ts";
import { StorageAddressError, StorageError, type Storage } from "./storage.ts";

/** Opens the storage that a URL names: `fs:./data` (files, relative to `cwd`, by default the working directory),
 * `memory:`, or a Redis (see `redis-url.ts`), which is connected to when it is first used.
 * @throws StorageAddressError for a URL that is not understood, StorageError when it must exist and does not
 * @example
 * const storage = await openStorage("fs:./data");
 * await storage.put(["users", "alice", "profile"], "{}");
 * await storage.close(); */
export async function openStorage(url: string, options: { mustExist?: boolean; cwd?: string } = {}): Promise<Storage> {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9-]*):(.*)$/s.exec(url) ?? [];
  if (/^rediss?(-cluster)?$/.test(scheme)) {
    const settings = (await import("./redis/redis-url.ts")).parseRedisUrl(url);
    return storageOnDriver(settings.shown, (await import("./redis/redis-driver.ts")).redisDriver(settings));
  }
  if (scheme === "memory") return storageOnDriver(url, (await import("./memory-driver.ts")).memoryDriver());
  if (scheme !== "fs") {
    const forms = "fs:FOLDER, memory:, redis://HOST:PORT/DB, rediss://… (TLS) or redis-cluster://HOST:PORT,…";
    throw new StorageAddressError(`The storage URL ${JSON.stringify(shownOf(url))} is not understood. Use ${forms}.`);
  }
  if (rest === "") throw new StorageAddressError("The storage URL fs: needs a folder, as fs:./data.");
  const folder = resolve(options.cwd ?? "", rest);
  if (options.mustExist === true && !existsSync(folder)) throw new StorageError(`There is no storage at ${folder}.`);
  return storageOnDriver(url, (await import("./fs/fs-driver.ts")).fsDriver(folder));
}

/** What may be shown of a URL that is not understood: the part before its last @ may be a password. */
function shownOf(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(url)?.[0] ?? "";
  const rest = url.slice(scheme.length);
  if (rest.includes("@")) return `${scheme}…${rest.slice(rest.lastIndexOf("@"))}`;
  return /^[\w./-]*$/.test(rest) ? url : `${scheme}…`;
}
