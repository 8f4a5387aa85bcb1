import { existsSync, type Stats } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import type { StorageDriver } from "../driver.ts";
import { encodedItem, HINT_EVERY, SEGMENT_SIZE } from "../keys.ts";
import { type DurableFiles, ignoring } from "./durable-files.ts";

const LAST = ".last"; // A second name of the item of a folder that was appended last.
const REMEMBERED = 20_000;

/** Streams on files: up to {@link SEGMENT_SIZE} items a folder. An append leaves the item under the name `.last` too,
 * in the place of the one before, so an end with that second name needs no other proof. Where they differ (two writers,
 * a folder that was copied, an older build), the folders are listed. What was removed is noticed as long as the
 * folder's `.last`, a later item, or the hint of the head is left; of a folder that is gone with everything after it,
 * it is not. */
export function createFileStreams(files: DurableFiles, pathOf: (key: string) => string) {
  /** By folder: nothing is after the item `end` as long as `.last` is that file (its inode). */
  const checked = new BoundedLru<{ readonly end: number; readonly last: number | undefined }>(REMEMBERED);
  const itemPath = (stem: string, version: number): string => pathOf(encodedItem(stem, version));

  async function append(...[stem, version, value, { first }]: Parameters<StorageDriver["appendItem"]>) {
    const path = itemPath(stem, version);
    const before = version - 1;
    const last = `${dirname(path)}/${LAST}`;
    // A predecessor that exists now still does when the file is linked: nothing of a stream is ever removed.
    const predecessor = before === 0 ? undefined : files.stat(itemPath(stem, before));
    if (before > 0 && predecessor === undefined) return existsSync(path) ? "conflict" : "gap";
    const isEnd = predecessor !== undefined && predecessor.ino === files.stat(last)?.ino;
    if (!isEnd && (await laterItem(stem, before)) !== undefined) return existsSync(path) ? "conflict" : "hole";
    if (before > 0) await secure(stem, before);
    return files.create(path, value, last, first && files.ensure(pathOf(first.key), first.value));
  }

  /** As the driver's. One or two system calls where the folder is as it was left. */
  function laterItem(stem: string, end: number): number | undefined | Promise<number | undefined> {
    const next = itemPath(stem, end + 1);
    const folder = dirname(next);
    // Of a new stream, not even the folder is there.
    if (end === 0 && !files.exists(dirname(folder))) return undefined;
    if (existsSync(next)) return end + 1;
    const last = files.stat(`${folder}/${LAST}`);
    const known = checked.get(folder);
    if (known?.end === end && known.last === last?.ino) return undefined;
    const isWhole = end > 0 && last !== undefined && files.stat(itemPath(stem, end))?.ino === last.ino;
    return isWhole ? void checked.set(folder, { end, last: last.ino }) : searchFolders(stem, end, folder, last);
  }

  async function searchFolders(stem: string, end: number, folder: string, last: Stats | undefined) {
    const first = Math.floor(end / SEGMENT_SIZE);
    for (const segment of await numbersIn(dirname(folder))) {
      if (segment < first) continue;
      const later = (await numbersIn(`${dirname(folder)}/${segment}`)).at(-1) ?? 0;
      if (later > end) return later;
    }
    // With a name left besides, it is an item up to the end: its writer was slower than the next one.
    if (last?.nlink === 1 && !(await hasCopy(stem, end, `${folder}/${LAST}`))) return end + 1;
    checked.set(folder, { end, last: last?.ino });
    return undefined;
  }

  /** Whether an item of the folder has the same text: a copied folder has no second names. */
  async function hasCopy(stem: string, end: number, path: string): Promise<boolean> {
    const text = await files.read(path);
    for (let version = end; version > end - (end % SEGMENT_SIZE); version--) {
      if ((await files.read(itemPath(stem, version))) === text) return true;
    }
    return false;
  }

  /** A writer may have died before its name was safe. Within a folder, syncing the next item's name makes it so. */
  async function secure(stem: string, version: number): Promise<void> {
    const isHinted = version % HINT_EVERY === 0;
    if (isHinted || version % SEGMENT_SIZE === 0) await files.syncName(itemPath(stem, version));
    // Before the next item, so that a failure here leaves nothing behind.
    if (isHinted) await files.write(pathOf(`${stem}:head`), String(version));
  }

  return { append, laterItem };
}

/** Writes a value. An item's second name goes first: it would keep the text before. */
export async function replaceItem(files: DurableFiles, path: string, value: string): Promise<void> {
  const last = `${dirname(path)}/${LAST}`;
  const second = existsSync(last) ? files.stat(last) : undefined;
  const isSame = second !== undefined && second.ino === files.stat(path)?.ino;
  // In a folder that was copied it is a file of its own with the same text.
  const isCopy = second?.nlink === 1 && (await files.read(last)) === (await files.read(path));
  if (isSame || isCopy) await files.remove(last);
  await files.write(path, value);
}

/** Removes the last item of a stream on purpose, and the folders below `base` that have become empty. */
export async function discardItem(files: DurableFiles, path: string, base: string): Promise<void> {
  const last = `${dirname(path)}/${LAST}`;
  // In a folder that was copied it is not a second name, but a separate file.
  if (files.exists(last)) await files.remove(last);
  await files.remove(path);
  try {
    for (let folder = dirname(path); folder !== base; folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Whatever keeps one from being removed: a folder without values is no fault.
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(ignoring("ENOENT"))) ?? [];
  const numbers = names.flatMap((name) => /^(0|[1-9]\d{0,15})(?:\.json)?$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((one, other) => one - other);
}
