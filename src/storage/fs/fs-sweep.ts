import { opendir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ignoring } from "./error-codes.ts";

/** The name of a temporary file: nothing else that is stored begins with a dot. */
const TEMPORARY = /^\..*\.tmp$/s;
/** A write takes milliseconds. A day is far more than a running one takes, even if a clock was set meanwhile. */
const OLD_MS = 24 * 3600 * 1000;
/** Another process may have removed it first. */
const ignoreGone = ignoring("ENOENT");

/**
 * Removes the temporary files that killed writers left in a folder and below it: those untouched for a day, so that none
 * belongs to a running process. It walks in flat memory.
 *
 * @param now ms since 1970
 * @returns how many were removed
 */
export async function sweepTemporaries(folder: string, now: number, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  const entries = await opendir(folder, { bufferSize: 256 }).catch(ignoreGone);
  if (entries === undefined) return 0;
  for await (const entry of entries) {
    if (signal?.aborted === true) return removed;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removed += await sweepTemporaries(path, now, signal);
    else if (TEMPORARY.test(entry.name) && (await isOld(path, now))) {
      await unlink(path).catch(ignoreGone);
      removed++;
    }
  }
  return removed;
}

async function isOld(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(ignoreGone);
  return found !== undefined && now - Math.max(found.mtimeMs, found.ctimeMs) > OLD_MS;
}
