import { StorageError } from "../../src/storage/storage-errors.ts";
import { printKey } from "../../src/storage/documents.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";
import { itemKey } from "../../src/storage/keys.ts";

/** What can be asked of a storage. */
export type Verb = "get" | "has" | "getMany" | "create" | "confirm" | "put" | "remove" | "children";

/** A real storage, each of whose calls goes through `around`: it may wait, fail, run the call or run it twice. */
export function intercept(
  storage: Storage,
  around: <T>(verb: Verb, key: Key, run: () => Promise<T>) => Promise<T>,
): Storage {
  return {
    ...storage,
    get: (key) => around("get", key, () => storage.get(key)),
    has: (key) => around("has", key, () => storage.has(key)),
    getMany: (keys) => around("getMany", keys[0] ?? [], () => storage.getMany(keys)),
    create: (key, value) => around("create", key, () => storage.create(key, value)),
    createAfter: (key, value, predecessor) => around("create", key, () => storage.createAfter(key, value, predecessor)),
    confirm: (key, value) => around("confirm", key, () => storage.confirm(key, value)),
    append: (stream, version, ...rest) =>
      around("create", itemKey(stream, version), () => storage.append(stream, version, ...rest)),
    laterItem: (stream, end) => around("has", itemKey(stream, end + 1), () => storage.laterItem(stream, end)),
    put: (key, value) => around("put", key, () => storage.put(key, value)),
    remove: (key) => around("remove", key, () => storage.remove(key)),
    async *children(prefix) {
      await around("children", prefix, () => Promise.resolve());
      yield* storage.children(prefix);
    },
  };
}

/** One call on the storage. */
export interface Call {
  readonly number: number;
  readonly verb: Verb;
  readonly key: string;
}

/** `fail`: the call does nothing and throws. `lose`: it does its work, then the reply is lost. */
export type Outcome = "pass" | "fail" | "lose";

/**
 * A real storage whose calls are first shown to `decide`, which may wait, let them pass, fail them or lose their
 * replies.
 */
export function watchedStorage(
  storage: Storage,
  decide: (call: Call) => Outcome | Promise<Outcome>,
): Storage & { readonly calls: readonly Call[] } {
  const calls: Call[] = [];

  const watched = intercept(storage, async (verb, key, run) => {
    const call = { number: calls.length, verb, key: printKey(key) };
    calls.push(call);
    const outcome = await decide(call);
    if (outcome === "fail") throw new StorageError(`Cannot ${verb} ${call.key}: made to fail`);
    const result = await run();
    if (outcome === "lose") throw new StorageError(`Cannot ${verb} ${call.key}: reply lost`);
    return result;
  });
  return { ...watched, calls };
}
