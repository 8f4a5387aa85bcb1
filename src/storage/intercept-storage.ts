import { itemKey } from "./keys.ts";
import type { Key, Storage } from "./storage.ts";

/** Kinds of calls: `has` includes `laterItem`; `create`, `createAfter` and `append`; `list` is `children` and `keys`. */
export type StorageCall = "get" | "has" | "getMany" | "create" | "confirm" | "put" | "remove" | "list";
type Around = <T>(call: StorageCall, key: Key, run: () => Promise<T>) => Promise<T>;

/** Wraps a storage: each call goes through `around`, which may observe, delay, fail or repeat it. For `getMany` it gets
 * the first key, for `list` the prefix, before the listing starts. */
export function interceptStorage(storage: Storage, around: Around): Storage {
  async function* listed<T>(prefix: Key, list: AsyncIterable<T>): AsyncGenerator<T> {
    await around("list", prefix, () => Promise.resolve());
    yield* list;
  }

  return {
    ...storage,
    get: (key) => around("get", key, () => storage.get(key)),
    has: (key) => around("has", key, () => storage.has(key)),
    getMany: (keys) =>
      keys[0] === undefined ? Promise.resolve([]) : around("getMany", keys[0], () => storage.getMany(keys)),
    create: (key, ...rest) => around("create", key, () => storage.create(key, ...rest)),
    createAfter: (key, ...rest) => around("create", key, () => storage.createAfter(key, ...rest)),
    append(stream, version, value, behind) {
      const key = itemKey(stream, version);
      const append = () => around("create", key, () => storage.append(stream, version, value, behind));
      return behind?.first === undefined ? append() : around("create", behind.first.key, append);
    },
    laterItem: (stream, end) => around("has", itemKey(stream, end + 1), () => storage.laterItem(stream, end)),
    confirm: (key, value) => around("confirm", key, () => storage.confirm(key, value)),
    put: (key, value) => around("put", key, () => storage.put(key, value)),
    remove: (key) => around("remove", key, () => storage.remove(key)),
    discard: (key) => around("remove", key, () => storage.discard(key)),
    children: (prefix) => listed(prefix, storage.children(prefix)),
    keys: (prefix, ...rest) => listed(prefix, storage.keys(prefix, ...rest)),
  };
}
