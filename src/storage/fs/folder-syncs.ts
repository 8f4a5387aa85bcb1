import { closeSync, openSync } from "node:fs";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { sync } from "./system-calls.ts";

/** Syncs folders (group commit): of those who wait for a folder while it is being synced, all share the next sync.
 * @returns makes the names in a folder safe. It ends with a sync that began after the call: the running one may have
 * missed what the caller did last. An Error is for each caller who waits for a sync that fails */
export function createFolderSyncs(): (folder: string) => Promise<void> {
  const inTurn = createKeyedMutex();
  const waiting = new Map<string, Promise<void>>(); // By folder: the next sync, which has not begun.
  return (folder) => {
    const begin = async () => {
      await Promise.resolve(); // Who calls in this very moment shares it, too.
      waiting.delete(folder);
      await syncNow(folder);
    };
    const next = waiting.get(folder) ?? inTurn(folder, begin);
    waiting.set(folder, next);
    return next;
  };
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
