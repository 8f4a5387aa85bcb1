import type { Key, Storage } from "./storage.ts";

const MARK: Key = ["import", "unfinished"];

/** Whether a whole storage is being restored, or was restored in part: it must not be used. */
export function isUnfinished(storage: Storage): Promise<boolean> {
  return storage.has(MARK);
}

export async function markUnfinished(storage: Storage): Promise<void> {
  await storage.put(MARK, "{}");
}

export async function markFinished(storage: Storage): Promise<void> {
  await storage.remove(MARK);
}
