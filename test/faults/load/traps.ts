import type { Storage } from "../../../src/storage/storage.ts";
import { watchedStorage } from "../../support/watched-storage.ts";
import { interceptFileCalls } from "./file-calls.js";

/**
 * How a call fails. `refused`: it does nothing. `lost`: it is done, and its answer does not come. `torn`: half of what
 * it writes is written. `from then on`: so does every later call that would change something.
 */
export type Failure = "refused" | "refused from then on" | "torn" | "torn from then on" | "lost";

/** Makes one call of many fail. */
export interface Trap {
  /** The n-th call from now on fails; 0 for none. */
  arm(nth: number, failure: Failure): void;
  /** Calls since then. */
  calls(): number;
}

function createTrap(): Trap & { next(changes: boolean): Failure | undefined } {
  let calls = 0;
  let armed = { nth: 0, failure: "refused" as Failure };
  return {
    arm(nth, failure) {
      calls = 0;
      armed = { nth, failure };
    },
    calls: () => calls,
    next(changes) {
      calls++;
      const { nth, failure } = armed;
      if (nth === 0 || calls < nth) return undefined;
      return calls === nth || (failure.endsWith("from then on") && changes) ? failure : undefined;
    },
  };
}

/** The storage with a trap on its calls. */
export function trapStorage(storage: Storage): { readonly storage: Storage; readonly trap: Trap } {
  const trap = createTrap();
  const trapped = watchedStorage(storage, ({ verb }) => {
    const failure = trap.next(["create", "put", "remove"].includes(verb));
    return failure === undefined ? "pass" : failure === "lost" ? "lose" : "fail";
  });
  return { storage: trapped, trap };
}

/** A trap on all calls on files below a folder: refused and lost ones give EIO, torn ones ENOSPC. */
export function trapFiles(folder: string): { readonly trap: Trap; readonly remove: () => void } {
  const trap = createTrap();
  const remove = interceptFileCalls(({ path, call, data }) => {
    const failure = path.startsWith(folder) ? trap.next(!call.startsWith("close")) : undefined;
    if (failure === undefined) return undefined;
    const half = failure.startsWith("torn") ? data?.slice(0, data.length / 2) : undefined;
    const code = failure.startsWith("torn") ? "ENOSPC" : "EIO";
    return {
      error: Object.assign(new Error(`${code}: made to fail, ${call}`), { code }),
      runs: failure === "lost" || call.startsWith("close") || half !== undefined,
      data: half,
    };
  });
  return { trap, remove };
}
