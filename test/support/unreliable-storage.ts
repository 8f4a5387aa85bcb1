import { printKey } from "../../src/storage/documents.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";

/** The process that called died: nothing it does afterwards reaches the storage. */
export class Crashed extends Error {
  override readonly name = "Crashed";
}

/** What goes wrong at one storage call, counted from 1. */
export interface Fault {
  readonly call: number;
  /**
   * `before`: the process dies before the call. `after`: it dies right after the call took effect.
   * `lost`: the call takes effect, its reply does not arrive, the process lives on. `resent`: as `lost`, but a client
   * below sends the call again and gets the reply to that.
   */
  readonly kind: "before" | "after" | "lost" | "resent";
}

/**
 * A real storage as one process sees it: each call waits until `turn` lets it go, and one call goes wrong. `wrote` runs
 * after every create that won.
 */
export function unreliable(
  base: Storage,
  options: { turn: (label: string) => Promise<unknown>; fault?: Fault | undefined; wrote?: () => Promise<unknown> },
): Storage {
  let calls = 0;
  let dead = false;

  return interceptStorage(base, async (verb, key, run) => {
    await options.turn(`${verb} ${printKey(key)}`);
    if (dead) throw new Crashed();
    calls++;
    const fault = options.fault?.call === calls ? options.fault.kind : undefined;
    if (fault === "before") {
      dead = true;
      throw new Crashed();
    }
    const result = await run();
    if (verb === "create" && (result === true || result === "created")) await options.wrote?.();
    if (fault === "after") {
      dead = true;
      throw new Crashed();
    }
    if (fault === "lost") throw new StorageError("the reply was lost");
    return fault === "resent" ? run() : result;
  });
}
