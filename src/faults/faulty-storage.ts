import { printKey } from "../storage/documents.ts";
import { CorruptionError, StorageError } from "../storage/storage-errors.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { itemKey } from "../storage/keys.ts";

/** The kind of a storage call. */
export type Access = "read" | "write";

/** How a storage call fails; undefined lets it pass. */
export type Failure = "error" | "damage" | undefined;

/** A storage whose calls fail as `failure` says, each before it does anything. */
export function failingStorage(storage: Storage, failure: (access: Access, key: string) => Failure): Storage {
  function guard(access: Access, key: Key): void {
    const printed = printKey(key);
    const kind = failure(access, printed);
    if (kind === "damage") throw new CorruptionError(printed, "injected fault");
    if (kind === "error") throw new StorageError(`Cannot ${access} ${printed}: injected fault`);
  }

  /** Guards a call whose first argument is its key; all arguments are passed on. */
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
    async append(stream, version, ...rest) {
      guard("write", itemKey(stream, version));
      return await storage.append(stream, version, ...rest);
    },
    async laterItem(stream, end) {
      guard("read", itemKey(stream, end + 1));
      return await storage.laterItem(stream, end);
    },
    confirm: guarded("write", (...given) => storage.confirm(...given)),
    put: guarded("write", (...given) => storage.put(...given)),
    remove: guarded("write", (...given) => storage.remove(...given)),
    children: (prefix) => listed(prefix, storage.children(prefix)),
    keys: (prefix) => listed(prefix, storage.keys(prefix)),
  };
}
