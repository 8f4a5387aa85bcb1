import { closeSync, openSync } from "node:fs";
import { sync } from "./system-calls.ts";

interface FolderSync {
  readonly ended: Promise<void>;
  next?: Promise<void>; // Begins when that one has ended.
}

/** Syncs folders (group commit): of those who wait for a folder while it is being synced, all share the next sync. */
export class FolderSyncs {
  readonly #running = new Map<string, FolderSync>();

  /** Makes the names in a folder safe. Ends with a sync that began after this call: the running one may have missed
   * what the caller did last. @throws Error for each caller who waits for a sync that fails */
  sync(folder: string): Promise<void> {
    const running = this.#running.get(folder);
    if (running === undefined) return this.#begin(folder);
    const begin = (): Promise<void> => this.#begin(folder);
    return (running.next ??= running.ended.then(begin, begin));
  }

  #begin(folder: string): Promise<void> {
    const running: FolderSync = { ended: syncNow(folder) };
    this.#running.set(folder, running);
    const end = (): void => {
      if (running.next === undefined) this.#running.delete(folder);
    };
    running.ended.then(end, end);
    return running.ended;
  }
}

/** No handle is kept: another folder may have the name by then. */
async function syncNow(folder: string): Promise<void> {
  const handle = openSync(folder, "r");
  try {
    await sync(handle);
  } finally {
    closeSync(handle);
  }
}
