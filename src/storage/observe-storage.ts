import { interceptStorage, type StorageCall } from "./intercept-storage.ts";
import type { Storage } from "./storage.ts";

/** The kinds of calls that are counted. */
export type StorageVerb = Exclude<StorageCall, "confirm" | "list">;

export interface StorageObserver {
  /** A call has succeeded in `ms`. @param times how many calls of that verb this one represents */
  storageCalled(verb: StorageVerb, ms: number, times: number): void;
  storageFailed(verb: StorageVerb, error: unknown): void;
  damaged(key: string): void; // A value was found damaged. @param key as `printKey` shows it
}

const TIMED_OF_HAS = 16; // `has` and `laterItem` run at every request: one call in this many is timed.

/** The same storage, with every call but listings reported to the observer. */
export function observeStorage(storage: Storage, observer: StorageObserver): Storage {
  let untimed = 0;

  /** Returns the call's own promise, not a chained one: most calls are on the path of a request. */
  function observed<T>(verb: StorageVerb, call: () => Promise<T>, times = 1): Promise<T> {
    const started = performance.now();
    const result = call();
    const failed = (error: unknown): void => observer.storageFailed(verb, error);
    result.then(() => observer.storageCalled(verb, performance.now() - started, times), failed);
    return result;
  }

  function failing<T>(verb: StorageVerb, result: Promise<T>): Promise<T> {
    result.catch((error: unknown) => observer.storageFailed(verb, error));
    return result;
  }

  const intercepted = interceptStorage(storage, (call, _key, run) => {
    if (call === "confirm" || call === "list") return run();
    if (call !== "has") return observed(call, run);
    untimed = (untimed + 1) % TIMED_OF_HAS;
    return untimed === 0 ? observed(call, run, TIMED_OF_HAS) : failing(call, run());
  });
  return { ...intercepted, verify: (key) => failing("get", storage.verify(key)) };
}
