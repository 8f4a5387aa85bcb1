import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { printKey } from "../../src/storage/documents.ts";
import { interceptStorage, type StorageCall } from "../../src/storage/intercept-storage.ts";

/** One call on the storage. */
export interface Call {
  readonly number: number;
  readonly verb: StorageCall;
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

  const watched = interceptStorage(storage, async (verb, key, run) => {
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
