import { StorageError } from "../../src/storage/errors.ts";
import { printKey } from "../../src/storage/documents.ts";
import type { Key, Storage } from "../../src/storage/storage.ts";

/** One call on the storage. */
export interface Call {
  readonly number: number;
  readonly verb: "get" | "getMany" | "create" | "put" | "remove" | "children";
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

  async function watch<T>(verb: Call["verb"], key: Key, action: () => Promise<T>): Promise<T> {
    const call = { number: calls.length, verb, key: printKey(key) };
    calls.push(call);
    const outcome = await decide(call);
    if (outcome === "fail") throw new StorageError(`Cannot ${verb} ${call.key}: made to fail`);
    const result = await action();
    if (outcome === "lose") throw new StorageError(`Cannot ${verb} ${call.key}: reply lost`);
    return result;
  }

  return {
    ...storage,
    calls,
    get: (key) => watch("get", key, () => storage.get(key)),
    getMany: (keys) => watch("getMany", keys[0] ?? [], () => storage.getMany(keys)),
    create: (key, value) => watch("create", key, () => storage.create(key, value)),
    put: (key, value) => watch("put", key, () => storage.put(key, value)),
    remove: (key) => watch("remove", key, () => storage.remove(key)),
    async *children(prefix) {
      await watch("children", prefix, () => Promise.resolve());
      yield* storage.children(prefix);
    },
  };
}
