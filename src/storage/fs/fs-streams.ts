import { existsSync, type Stats } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import type { StorageDriver } from "../driver.ts";
import { encodedItem, HINT_INTERVAL, SEGMENT_SIZE } from "../keys.ts";
import { type DurableFiles, ignoring } from "./durable-files.ts";

const LAST = ".last"; // A second link to the last appended item of a folder.
const REMEMBERED = 20_000;

/** Streams on files: up to {@link SEGMENT_SIZE} items per folder. An append also links the item as `.last`, replacing
 * the link of the one before, so an item that is the same file as `.last` is the end. If they differ (two writers, a
 * copied folder, an older build), the folders are listed. A removed item is noticed while the folder's `.last`, a later
 * item, or the head hint is left; a folder that is gone with everything after it is not noticed. */
export function createFileStreams(files: DurableFiles, pathOf: (key: string) => string) {
  /** By folder: no item follows item `end` while `.last` has the inode `last`. */
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
    if (before > 0) await syncItem(stem, before);
    return files.create(path, value, last, first && files.ensure(pathOf(first.key), first.value));
  }

  /** As the driver's. One or two system calls while the folder is unchanged. */
  function laterItem(stem: string, end: number): number | undefined | Promise<number | undefined> {
    const next = itemPath(stem, end + 1);
    const folder = dirname(next);
    if (end === 0 && !files.exists(dirname(folder))) return undefined; // A new stream has no folder yet.
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
    // If `.last` has another link, it is an item up to the end: its writer was slower than the next one.
    if (last?.nlink === 1 && !(await hasCopy(stem, end, `${folder}/${LAST}`))) return end + 1;
    checked.set(folder, { end, last: last?.ino });
    return undefined;
  }

  /** Whether an item of the folder has the same text: in a copied folder, links have become separate files. */
  async function hasCopy(stem: string, end: number, path: string): Promise<boolean> {
    const text = await files.read(path);
    for (let version = end; version > end - (end % SEGMENT_SIZE); version--) {
      if ((await files.read(itemPath(stem, version))) === text) return true;
    }
    return false;
  }

  /** Syncs an item's name, since its writer may have died first. Within a folder, the next item's sync does that. */
  async function syncItem(stem: string, version: number): Promise<void> {
    const isHinted = version % HINT_INTERVAL === 0;
    if (isHinted || version % SEGMENT_SIZE === 0) await files.syncName(itemPath(stem, version));
    // Before the next item, so that a failure here leaves nothing behind.
    if (isHinted) await files.write(pathOf(`${stem}:head`), String(version));
  }

  return { append, laterItem };
}

/** Writes a value. An item's second link is removed first: it would keep the old text. */
export async function replaceItem(files: DurableFiles, path: string, value: string): Promise<void> {
  const last = `${dirname(path)}/${LAST}`;
  const second = existsSync(last) ? files.stat(last) : undefined;
  const isSame = second !== undefined && second.ino === files.stat(path)?.ino;
  // In a copied folder, `.last` is a separate file with the same text.
  const isCopy = second?.nlink === 1 && (await files.read(last)) === (await files.read(path));
  if (isSame || isCopy) await files.remove(last);
  await files.write(path, value);
}

/** Removes the last item of a stream on purpose, and the folders below `base` that have become empty. */
export async function discardItem(files: DurableFiles, path: string, base: string): Promise<void> {
  const last = `${dirname(path)}/${LAST}`;
  if (files.exists(last)) await files.remove(last); // In a copied folder, it is not a second link, but a separate file.
  await files.remove(path);
  try {
    for (let folder = dirname(path); folder !== base; folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Whatever the error: an empty folder does no harm.
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(ignoring("ENOENT"))) ?? [];
  const numbers = names.flatMap((name) => /^(0|[1-9]\d{0,15})(?:\.json)?$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((one, other) => one - other);
}
