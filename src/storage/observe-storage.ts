import type { Storage } from "./storage.ts";

/** The kinds of calls that are counted. */
export type StorageVerb = "get" | "has" | "getMany" | "create" | "put" | "remove";

/** Is notified of every call on a storage. */
export interface StorageObserver {
  /**
   * A call has succeeded.
   *
   * @param ms how long it took
   * @param times how many calls of that verb this one represents
   */
  storageCalled(verb: StorageVerb, ms: number, times: number): void;
  /** A call has failed. */
  storageFailed(verb: StorageVerb, error: unknown): void;
}

/** `has` is called at every request: one of so many calls is timed. */
const TIMED_OF_HAS = 16;

/** The same storage, with every call but listings reported to the observer. */
export function observeStorage(storage: Storage, observer: StorageObserver): Storage {
  let untimed = 0;
  const hasFailed = (error: unknown): void => {
    observer.storageFailed("has", error);
  };

  /** The caller gets the very promise of the call: most are on the path of a request. */
  function observed<T>(verb: StorageVerb, started: number, result: Promise<T>, times = 1): Promise<T> {
    result.then(
      () => {
        observer.storageCalled(verb, performance.now() - started, times);
      },
      (error: unknown) => {
        observer.storageFailed(verb, error);
      },
    );
    return result;
  }

  return {
    ...storage,
    get: (key) => observed("get", performance.now(), storage.get(key)),
    has(key) {
      untimed++;
      if (untimed === TIMED_OF_HAS) {
        untimed = 0;
        return observed("has", performance.now(), storage.has(key), TIMED_OF_HAS);
      }
      const result = storage.has(key);
      result.catch(hasFailed);
      return result;
    },
    getMany: (keys) => observed("getMany", performance.now(), storage.getMany(keys)),
    create: (key, value) => observed("create", performance.now(), storage.create(key, value)),
    createAfter: (key, value, predecessor) =>
      observed("create", performance.now(), storage.createAfter(key, value, predecessor)),
    put: (key, value) => observed("put", performance.now(), storage.put(key, value)),
    remove: (key) => observed("remove", performance.now(), storage.remove(key)),
  };
}
