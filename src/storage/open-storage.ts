import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createStorage } from "unstorage";
import { printKey } from "./documents.ts";
import type { CreatingDriver } from "./driver.ts";
import { StorageAddressError, StorageError } from "./storage-errors.ts";
import { encodeKey } from "./keys.ts";
import { EncodedSegment, type Key, type Storage } from "./storage.ts";

/**
 * Opens the storage that a URL names: `fs:./data` (files, relative to the working directory), `memory:`, or a Redis
 * (see `redis-url.ts`), which is connected to when it is first used.
 *
 * @throws StorageAddressError when the URL is not understood
 * @throws StorageError when nothing is there although it must exist
 */
export async function openStorage(url: string, options: { mustExist?: boolean } = {}): Promise<Storage> {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9-]*):(.*)$/s.exec(url) ?? [];
  switch (scheme) {
    case "fs": {
      if (rest === "") throw new StorageAddressError("The storage URL fs: needs a folder, as fs:./data.");
      if (options.mustExist === true && !existsSync(rest))
        throw new StorageError(`There is no storage at ${resolve(rest)}.`);
      const { fsDriver } = await import("./fs/fs-driver.ts");
      return storageOf(url, fsDriver(resolve(rest)));
    }
    case "memory": {
      const { memoryDriver } = await import("./memory-driver.ts");
      return storageOf(url, memoryDriver());
    }
    case "redis":
    case "rediss":
    case "redis-cluster":
    case "rediss-cluster": {
      const { parseRedisUrl } = await import("./redis/redis-url.ts");
      const settings = parseRedisUrl(url);
      const { redisDriver } = await import("./redis/redis-driver.ts");
      return storageOf(settings.shown, redisDriver(settings));
    }
    default:
      throw new StorageAddressError(
        `The storage URL ${JSON.stringify(shownOf(url))} is not understood. Use fs:FOLDER, memory:, redis://HOST:PORT/DB, ` +
          "rediss://… (TLS) or redis-cluster://HOST:PORT,….",
      );
  }
}

/** What may be told of a URL that is not understood: what stands before its last @ may be a password. */
function shownOf(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(url)?.[0] ?? "";
  const rest = url.slice(scheme.length);
  if (rest.includes("@")) return `${scheme}…${rest.slice(rest.lastIndexOf("@"))}`;
  return /^[\w./-]*$/.test(rest) ? url : `${scheme}…`;
}

/**
 * The storage's face on a driver.
 *
 * @throws StorageError for a driver without `createItem`
 */
export function storageOf(url: string, driver: CreatingDriver): Storage {
  if (typeof driver.createItem !== "function") {
    throw new StorageError(`The storage driver ${driver.name ?? url} cannot create a value atomically (createItem).`);
  }
  const stock = createStorage<string>({ driver });

  function failure(verb: string, key: Key, error: unknown): StorageError {
    if (error instanceof StorageError) return error;
    return new StorageError(`Cannot ${verb} ${printKey(key)}: ${(error as Error).message}`, { cause: error });
  }

  async function guarded<T>(verb: string, key: Key, action: (encoded: string) => Promise<T>): Promise<T> {
    const encoded = encodeKey(key);
    try {
      return await action(encoded);
    } catch (error) {
      throw failure(verb, key, error);
    }
  }

  const storage: Storage = {
    url,
    durable: driver.durable,
    generation: driver.generation ?? (() => 0),
    get: (key) => guarded("read", key, async (encoded) => (await stock.getItemRaw<string>(encoded)) ?? undefined),
    has(key) {
      let found: boolean | Promise<boolean>;
      try {
        found = driver.hasItem(encodeKey(key), {});
      } catch (error) {
        return guarded("read", key, () => Promise.reject(error as Error));
      }
      // Asked at every request, so an answer that is there at once makes no detour.
      return typeof found === "boolean" ? Promise.resolve(found) : guarded("read", key, () => Promise.resolve(found));
    },
    getMany: async (keys) => {
      const { getMany } = driver;
      if (getMany === undefined || keys.length === 0) return Promise.all(keys.map((key) => storage.get(key)));
      return guarded("read", keys[0]!, async () =>
        (await getMany(keys.map(encodeKey))).map((value) => value ?? undefined),
      );
    },
    create: (key, value) => guarded("create", key, (encoded) => driver.createItem(encoded, value)),
    createAfter: (key, value, predecessor) =>
      guarded("create", key, (encoded) =>
        driver.createItemAfter(encoded, value, { ...predecessor, key: encodeKey(predecessor.key) }),
      ),
    async confirm(key, value) {
      const { confirmItem } = driver;
      if (confirmItem !== undefined) await guarded("confirm", key, (encoded) => confirmItem(encoded, value));
    },
    put: (key, value) => guarded("write", key, (encoded) => stock.setItemRaw(encoded, value)),
    remove: (key) => guarded("remove", key, (encoded) => stock.removeItem(encoded)),
    async *children(prefix) {
      const encoded = encodeKey(prefix);
      try {
        for await (const segment of driver.children(encoded)) yield new EncodedSegment(segment);
      } catch (error) {
        throw failure("list", prefix, error);
      }
    },
    async *keys(prefix) {
      try {
        for await (const key of driver.keys(encodeKey(prefix))) {
          yield key.split(":").map((segment) => new EncodedSegment(segment));
        }
      } catch (error) {
        throw failure("list", prefix, error);
      }
    },
    examine: (now) => driver.examine(now),
    tidy: async (now, signal) => driver.tidy?.(now, signal) ?? 0,
    close: () => stock.dispose(),
  };
  return storage;
}
