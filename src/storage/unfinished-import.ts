import type { Key, Storage } from "./storage.ts";

const MARK: Key = ["import", "unfinished"];

/** Whether a whole storage is being taken in, or was and did not arrive as a whole: nobody is to work on it. */
export function isUnfinished(storage: Storage): Promise<boolean> {
  return storage.has(MARK);
}

export async function markUnfinished(storage: Storage): Promise<void> {
  await storage.put(MARK, "{}");
}

export async function markFinished(storage: Storage): Promise<void> {
  await storage.remove(MARK);
}
