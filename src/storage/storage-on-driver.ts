import { createStorage } from "unstorage";
import { printKey } from "./documents.ts";
import type { StorageDriver } from "./driver.ts";
import { encodeKey, itemKey, missingItem } from "./keys.ts";
import { CorruptionError, catchDamage, StorageError, EncodedSegment, type Key, type Storage } from "./storage.ts";

/** A storage on a driver: it encodes keys; errors name call and key. @throws StorageError without `createItem` */
export function storageOnDriver(url: string, driver: StorageDriver): Storage {
  if (typeof driver.createItem !== "function")
    throw new StorageError(`The storage driver ${driver.name ?? url} cannot create a value atomically (createItem).`);
  const stock = createStorage<string>({ driver });
  const { call, readNow, list } = callsOn(driver);
  const children = driver.children ?? ((prefix: string) => segmentsBelow(driver.keys(prefix), prefix));
  const get = (key: Key): Promise<string | undefined> =>
    call("read", key, async (encoded) => (await stock.getItemRaw<string>(encoded)) ?? undefined);

  return {
    url,
    durable: driver.durable,
    generation: driver.generation ?? (() => 0),
    identity: driver.identity,
    verify: (key) => call("read", key, async (encoded) => driver.identity?.verify(encoded)),
    get,
    has: (key) => readNow(key, (encoded) => driver.hasItem(encoded, {})),
    async getMany(keys) {
      const { getMany } = driver;
      if (getMany === undefined || keys.length === 0) return Promise.all(keys.map(get));
      const together = call("read", keys[0]!, () => getMany(keys.map(encodeKey)));
      // Reading one by one, the error names the damaged value.
      const values = await catchDamage(together, () => Promise.all(keys.map(get)));
      return values.map((value: string | null | undefined) => value ?? undefined);
    },
    create: (key, value, { later } = {}) =>
      call("create", key, async (encoded) => (await driver.createItem(encoded, value, undefined, later)) === "created"),
    createAfter: (key, value, predecessor) =>
      call("create", key, (encoded) =>
        driver.createItem(encoded, value, { ...predecessor, key: encodeKey(predecessor.key) }),
      ),
    append: (stream, version, value, { first, ...rest } = {}) =>
      call("create", itemKey(stream, version), async () => {
        const behind = { ...rest, first: first && { ...first, key: encodeKey(first.key) } };
        const outcome = await driver.appendItem(stream.text, version, value, behind);
        if (outcome === "hole") throw missingItem(stream, version);
        return outcome;
      }),
    laterItem: (stream, end) => readNow(itemKey(stream, end + 1), () => driver.laterItem(stream.text, end)),
    confirm: (key, value) => call("confirm", key, async (encoded) => driver.confirmItem?.(encoded, value)),
    put: (key, value) => call("write", key, (encoded) => stock.setItemRaw(encoded, value)),
    remove: (key) => call("remove", key, (encoded) => stock.removeItem(encoded)),
    discard: (key) => call("remove", key, (encoded) => driver.discardItem?.(encoded) ?? stock.removeItem(encoded)),
    children: (prefix) => list(children, prefix, (segment) => new EncodedSegment(segment)),
    async *keys(prefix, kind, items) {
      const listed = (below: string): AsyncIterable<string> => driver.keys(below, kind, items);
      for await (const key of list(listed, prefix, (text) => text.split(":"))) {
        if (kind === undefined || key[prefix.length + 1] === kind) yield key.map((text) => new EncodedSegment(text));
      }
    },
    examine: (now, whole) => call("examine", ["storage"], () => driver.examine(now, whole)),
    tidy: async (now, signal) => driver.tidy?.(now, signal) ?? 0,
    close: () => stock.dispose(),
  };
}

function callsOn(driver: StorageDriver) {
  function failure(verb: string, key: Key, error: unknown): StorageError {
    if (error instanceof StorageError) return error;
    const { message } = error as Error;
    if (driver.isDamage?.(error) === true) return new CorruptionError(printKey(key), message);
    return new StorageError(`Cannot ${verb} ${printKey(key)}: ${message}`, { cause: error });
  }

  async function call<T>(verb: string, key: Key, action: (encoded: string) => Promise<T>): Promise<T> {
    const encoded = encodeKey(key);
    try {
      return await action(encoded);
    } catch (error) {
      throw failure(verb, key, error);
    }
  }

  /** Called at every request, so a result that the driver returns synchronously is not awaited. */
  function readNow<T>(key: Key, read: (encoded: string) => T | Promise<T>): Promise<T> {
    const encoded = encodeKey(key);
    let found: T | Promise<T>;
    try {
      found = read(encoded);
    } catch (error) {
      return Promise.reject(failure("read", key, error));
    }
    return found instanceof Promise ? call("read", key, () => found) : Promise.resolve(found);
  }

  async function* list<T>(listed: StorageDriver["keys"], prefix: Key, toItem: (text: string) => T): AsyncGenerator<T> {
    const encoded = encodeKey(prefix);
    try {
      for await (const text of listed(encoded)) yield toItem(text);
    } catch (error) {
      throw failure("list", prefix, error);
    }
  }

  return { call, readNow, list };
}

async function* segmentsBelow(keys: AsyncIterable<string>, prefix: string): AsyncGenerator<string> {
  const seen = new Set<string>();
  const start = prefix === "" ? 0 : prefix.length + 1;
  for await (const key of keys) {
    const segment = key.slice(start).split(":", 1)[0]!;
    if (segment !== "" && !seen.has(segment)) yield segment;
    seen.add(segment);
  }
}
