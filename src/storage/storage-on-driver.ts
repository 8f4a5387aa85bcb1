import { createStorage } from "unstorage";
import { printKey } from "./documents.ts";
import type { StorageDriver } from "./driver.ts";
import { encodeKey } from "./keys.ts";
import { StorageError } from "./storage-errors.ts";
import { EncodedSegment, type Key, type Storage } from "./storage.ts";

/**
 * The storage on a driver: keys are encoded, and failures name the call and its key.
 *
 * @throws StorageError for a driver without `createItem`
 */
export function storageOnDriver(url: string, driver: StorageDriver): Storage {
  if (typeof driver.createItem !== "function") {
    throw new StorageError(`The storage driver ${driver.name ?? url} cannot create a value atomically (createItem).`);
  }
  const stock = createStorage<string>({ driver });
  const get = (key: Key): Promise<string | undefined> =>
    call("read", key, async (encoded) => (await stock.getItemRaw<string>(encoded)) ?? undefined);

  return {
    url,
    durable: driver.durable,
    generation: driver.generation ?? (() => 0),
    get,
    has: (key) => has(driver, key),
    async getMany(keys) {
      const { getMany } = driver;
      if (getMany === undefined || keys.length === 0) return Promise.all(keys.map(get));
      const values = await call("read", keys[0]!, () => getMany(keys.map(encodeKey)));
      return values.map((value) => value ?? undefined);
    },
    create: (key, value) => call("create", key, (encoded) => driver.createItem(encoded, value)),
    createAfter: (key, value, predecessor) =>
      call("create", key, (encoded) =>
        driver.createItemAfter(encoded, value, { ...predecessor, key: encodeKey(predecessor.key) }),
      ),
    async confirm(key, value) {
      const { confirmItem } = driver;
      if (confirmItem !== undefined) await call("confirm", key, (encoded) => confirmItem(encoded, value));
    },
    put: (key, value) => call("write", key, (encoded) => stock.setItemRaw(encoded, value)),
    remove: (key) => call("remove", key, (encoded) => stock.removeItem(encoded)),
    children: (prefix) =>
      list(
        prefix,
        (encoded) => driver.children(encoded),
        (segment) => new EncodedSegment(segment),
      ),
    keys: (prefix) =>
      list(
        prefix,
        (encoded) => driver.keys(encoded),
        (key) => key.split(":").map((segment) => new EncodedSegment(segment)),
      ),
    examine: (now) => driver.examine(now),
    tidy: async (now, signal) => driver.tidy?.(now, signal) ?? 0,
    close: () => stock.dispose(),
  };
}

async function call<T>(verb: string, key: Key, action: (encoded: string) => Promise<T>): Promise<T> {
  const encoded = encodeKey(key);
  try {
    return await action(encoded);
  } catch (error) {
    throw failure(verb, key, error);
  }
}

/** Called at every request, so a result that the driver returns at once is not awaited. */
function has(driver: StorageDriver, key: Key): Promise<boolean> {
  let found: boolean | Promise<boolean>;
  try {
    found = driver.hasItem(encodeKey(key), {});
  } catch (error) {
    return call("read", key, () => Promise.reject(error as Error));
  }
  return typeof found === "boolean" ? Promise.resolve(found) : call("read", key, () => Promise.resolve(found));
}

async function* list<T>(
  prefix: Key,
  source: (encoded: string) => AsyncIterable<string>,
  toItem: (text: string) => T,
): AsyncGenerator<T> {
  const encoded = encodeKey(prefix);
  try {
    for await (const text of source(encoded)) yield toItem(text);
  } catch (error) {
    throw failure("list", prefix, error);
  }
}

function failure(verb: string, key: Key, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError(`Cannot ${verb} ${printKey(key)}: ${(error as Error).message}`, { cause: error });
}
