import type { Storage } from "./storage.ts";

/** A call on the storage, as it is counted. */
export type StorageVerb = "get" | "has" | "getMany" | "create" | "put" | "remove";

/** Learns of every call that is made on a storage. */
export interface StorageObserver {
  /**
   * A call has done its work.
   *
   * @param ms how long it took
   * @param times how many calls of that verb this one stands for
   */
  storageCalled(verb: StorageVerb, ms: number, times: number): void;
  /** A call has failed. */
  storageFailed(verb: StorageVerb, error: unknown): void;
}

/** Whether a value is there is asked at every request: of so many such calls one is timed. */
const TIMED_OF_HAS = 16;

/** The same storage, with every call but listings told to the observer. */
export function observeStorage(storage: Storage, observer: StorageObserver): Storage {
  let untimed = 0;
  const hasFailed = (error: unknown): void => {
    observer.storageFailed("has", error);
  };

  /** The caller gets the very promise of the call: most are on the path of a request. */
  function told<T>(verb: StorageVerb, started: number, result: Promise<T>, times = 1): Promise<T> {
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
    get: (key) => told("get", performance.now(), storage.get(key)),
    has(key) {
      untimed++;
      if (untimed === TIMED_OF_HAS) {
        untimed = 0;
        return told("has", performance.now(), storage.has(key), TIMED_OF_HAS);
      }
      const result = storage.has(key);
      result.catch(hasFailed);
      return result;
    },
    getMany: (keys) => told("getMany", performance.now(), storage.getMany(keys)),
    create: (key, value) => told("create", performance.now(), storage.create(key, value)),
    createAfter: (key, value, predecessor) =>
      told("create", performance.now(), storage.createAfter(key, value, predecessor)),
    put: (key, value) => told("put", performance.now(), storage.put(key, value)),
    remove: (key) => told("remove", performance.now(), storage.remove(key)),
  };
}
