import { printKey } from "../storage/documents.ts";
import { CorruptionError, StorageError } from "../storage/storage-errors.ts";
import type { Key, Storage } from "../storage/storage.ts";

/** What is asked of a storage. */
export type Access = "read" | "write";

/** How a call on the storage ends; undefined lets it pass. */
export type Ending = "error" | "damage" | undefined;

/** A storage whose calls fail as `ending` says, each before it does anything. */
export function failingStorage(storage: Storage, ending: (access: Access, key: string) => Ending): Storage {
  function guard(access: Access, key: Key): void {
    const printed = printKey(key);
    const end = ending(access, printed);
    if (end === "damage") throw new CorruptionError(printed, "a fault was asked for");
    if (end === "error") throw new StorageError(`Cannot ${access} ${printed}: a fault was asked for`);
  }

  /** A call whose first argument is its key. All arguments go on, whatever they come to be. */
  function guarded<A extends readonly unknown[], T>(
    access: Access,
    call: (key: Key, ...rest: A) => Promise<T>,
  ): (key: Key, ...rest: A) => Promise<T> {
    return async (key, ...rest) => {
      guard(access, key);
      return await call(key, ...rest);
    };
  }

  async function* listed<T>(prefix: Key, list: AsyncIterable<T>): AsyncGenerator<T> {
    guard("read", prefix);
    yield* list;
  }

  return {
    ...storage,
    get: guarded("read", (...given) => storage.get(...given)),
    has: guarded("read", (...given) => storage.has(...given)),
    async getMany(keys) {
      if (keys[0] !== undefined) guard("read", keys[0]);
      return await storage.getMany(keys);
    },
    create: guarded("write", (...given) => storage.create(...given)),
    createAfter: guarded("write", (...given) => storage.createAfter(...given)),
    confirm: guarded("write", (...given) => storage.confirm(...given)),
    put: guarded("write", (...given) => storage.put(...given)),
    remove: guarded("write", (...given) => storage.remove(...given)),
    children: (prefix) => listed(prefix, storage.children(prefix)),
    keys: (prefix) => listed(prefix, storage.keys(prefix)),
  };
}
