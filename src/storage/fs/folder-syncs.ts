import { closeSync, openSync } from "node:fs";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { sync } from "./system-calls.ts";

/** Syncs folders (group commit): callers that arrive while a folder is being synced share the next sync.
 * @returns syncs a folder. It resolves after a sync that began after the call, since a running one may have missed the
 * caller's last change. A failed sync rejects for all its callers */
export function createFolderSyncs(): (folder: string) => Promise<void> {
  const mutex = createKeyedMutex();
  const waiting = new Map<string, Promise<void>>(); // By folder: the next sync, which has not begun.
  return (folder) => {
    const begin = async () => {
      await Promise.resolve(); // Calls in the same tick share it, too.
      waiting.delete(folder);
      await syncNow(folder);
    };
    const next = waiting.get(folder) ?? mutex(folder, begin);
    waiting.set(folder, next);
    return next;
  };
}

/** Opens the folder each time, since another one may have got its name. */
async function syncNow(folder: string): Promise<void> {
  const handle = openSync(folder, "r");
  try {
    await sync(handle);
  } finally {
    closeSync(handle);
  }
}
