import { opendir, stat, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { ignoring } from "./error-codes.ts";

/** The name of a temporary file: nothing else that is stored begins with a dot and ends so. */
const TEMPORARY = /^\..*\.tmp$/s;
/** A write takes milliseconds. A day is far more than a running one takes, even if a clock was set meanwhile. */
const OLD_MS = 24 * 3600 * 1000;
/** Another process may have removed it first. */
const ignoreGone = ignoring("ENOENT");

/** The paths of all files in a folder and below it, one folder at a time, in flat memory; none where there is no folder. */
export async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder, { bufferSize: 256 }).catch(ignoreGone);
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/**
 * Removes the temporary files that killed writers left in a folder and below it: those untouched for a day, so that none
 * belongs to a running process.
 *
 * @param now ms since 1970
 * @returns how many were removed
 */
export async function sweepTemporaries(folder: string, now: number, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for await (const path of filesBelow(folder)) {
    if (signal?.aborted === true) break;
    const found = TEMPORARY.test(basename(path)) ? await stat(path).catch(ignoreGone) : undefined;
    if (found === undefined || now - Math.max(found.mtimeMs, found.ctimeMs) <= OLD_MS) continue;
    await unlink(path).catch(ignoreGone);
    removed++;
  }
  return removed;
}
