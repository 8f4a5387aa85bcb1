import type { Key, Storage } from "../../src/storage/storage.ts";
import { StorageError } from "../../src/storage/errors.ts";

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

  async function through<T>(label: string, call: () => Promise<T>): Promise<T> {
    await options.turn(label);
    if (dead) throw new Crashed();
    calls++;
    const fault = options.fault?.call === calls ? options.fault.kind : undefined;
    if (fault === "before") {
      dead = true;
      throw new Crashed();
    }
    const result = await call();
    if (label.startsWith("create") && result === true) await options.wrote?.();
    if (fault === "after") {
      dead = true;
      throw new Crashed();
    }
    if (fault === "lost") throw new StorageError("the reply was lost");
    return fault === "resent" ? call() : result;
  }

  const name = (key: Key): string => key.map(String).join("/");
  return {
    ...base,
    get: (key) => through(`get ${name(key)}`, () => base.get(key)),
    has: (key) => through(`has ${name(key)}`, () => base.has(key)),
    getMany: (keys) => through("getMany", () => base.getMany(keys)),
    create: (key, value) => through(`create ${name(key)}`, () => base.create(key, value)),
    put: (key, value) => through(`put ${name(key)}`, () => base.put(key, value)),
    remove: (key) => through(`remove ${name(key)}`, () => base.remove(key)),
  };
}
