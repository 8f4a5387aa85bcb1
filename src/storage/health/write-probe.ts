import { withTimeout } from "../../runtime/with-timeout.ts";
import { StorageError, type Key, type Storage } from "../storage.ts";
import { LAST_USE, recordLastUse } from "./last-use.ts";

const KEYS_OF_PARTS = 6; // If parts can fail alone: one of this many keys, on different parts, must work.
const BOUND_MS = 3000;
const RESULT_MS = 1000; // How long its result is used, ms.

/** Checks whether a storage can be read and written. @param isFixed if the clock is `--now`, it is no use of the storage */
export function createWriteProbe(storage: Storage, isFixed = false) {
  const marks = storage.identity?.marks.length ?? 1;
  const keys = Array.from({ length: marks > 1 ? KEYS_OF_PARTS : 1 }, (_, number): Key => {
    return number === 0 ? LAST_USE : ["ready", `probe-${number}`];
  });
  let running: Promise<void> | undefined;
  let last: { readonly result: Promise<void>; readonly at: number } | undefined;

  async function write(key: Key): Promise<void> {
    await storage.verify(key);
    const found = await storage.get(key);
    await (isFixed ? storage.put(key, found ?? "{}") : recordLastUse(storage, key));
  }

  function run(): Promise<void> {
    if (running !== undefined) return running;
    const written = Promise.any(keys.map(write)).catch((error: unknown) => {
      throw (error as AggregateError).errors[0];
    });
    running = withTimeout(written, BOUND_MS, () => {
      throw new StorageError(`The storage did not take a write within ${BOUND_MS / 1000} s.`);
    }).finally(() => (running = undefined));
    last = { result: running, at: performance.now() };
    return running;
  }

  return {
    run, // Reads and writes. @throws StorageError when that fails, or takes too long
    /** The result of a probe that is at most a second old. @throws StorageError when it failed */
    recent: () => (last !== undefined && performance.now() - last.at < RESULT_MS ? last.result : run()),
  };
}
