import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { BoundedLru } from "../../runtime/bounded-lru.ts";
import type { AppendItemOutcome } from "../driver.ts";
import { encodedItem, HINT_EVERY, SEGMENT_SIZE } from "../keys.ts";
import { type DurableFiles, ignoring } from "./durable-files.ts";

/** A second name of the item of a folder that was appended last. */
const LAST = ".last";
/** Streams whose end is remembered as checked. */
const REMEMBERED = 20_000;

/**
 * Streams on files: up to {@link SEGMENT_SIZE} items a folder. An append leaves the item under the name `.last` too, in
 * the place of the one before, so an end with that second name needs no other proof. Where they differ (two writers, a
 * folder that was copied, an older build), the folders are listed. What was removed is noticed as long as the folder's
 * `.last`, a later item, or the hint of the head is left; of a folder that is gone with everything after it, it is not.
 */
export class FileStreams {
  readonly #files: DurableFiles;
  readonly #pathOf: (key: string) => string;
  /** By folder: nothing is after the item `end` as long as `.last` is that file (its inode). */
  readonly #checked = new BoundedLru<{ readonly end: number; readonly last: number | undefined }>(REMEMBERED);

  constructor(files: DurableFiles, pathOf: (key: string) => string) {
    this.#files = files;
    this.#pathOf = pathOf;
  }

  async append(stem: string, version: number, value: string): Promise<AppendItemOutcome> {
    const path = this.#pathOf(encodedItem(stem, version));
    const before = version - 1;
    const last = `${dirname(path)}/${LAST}`;
    if (existsSync(path)) return "conflict";
    // A predecessor that exists now still does when the file is linked: nothing of a stream is ever removed.
    const predecessor = before === 0 ? undefined : this.#files.stat(this.#itemPath(stem, before));
    if (before > 0 && predecessor === undefined) return "gap";
    const isEnd = predecessor !== undefined && predecessor.ino === this.#files.stat(last)?.ino;
    if (!isEnd && (await this.laterItem(stem, before)) !== undefined) return existsSync(path) ? "conflict" : "hole";
    if (before > 0) await this.#secure(stem, before);
    return (await this.#files.create(path, value, last)) ? "created" : "conflict";
  }

  /** As the driver's. One or two system calls where the folder is as it was left. */
  laterItem(stem: string, end: number): number | undefined | Promise<number | undefined> {
    const next = this.#itemPath(stem, end + 1);
    if (existsSync(next)) return end + 1;
    const folder = dirname(next);
    const last = this.#files.stat(`${folder}/${LAST}`);
    const checked = this.#checked.get(folder);
    if (checked?.end === end && checked.last === last?.ino) return undefined;
    const isWhole = end > 0 && last !== undefined && this.#files.stat(this.#itemPath(stem, end))?.ino === last.ino;
    if (!isWhole) return this.#searchFolders(stem, end, folder);
    this.#checked.set(folder, { end, last: last.ino });
    return undefined;
  }

  async #searchFolders(stem: string, end: number, folder: string): Promise<number | undefined> {
    const last = this.#files.stat(`${folder}/${LAST}`);
    const first = Math.floor(end / SEGMENT_SIZE);
    for (const segment of await numbersIn(dirname(folder))) {
      if (segment < first) continue;
      const later = (await numbersIn(`${dirname(folder)}/${segment}`)).at(-1) ?? 0;
      if (later > end) return later;
    }
    // With a name left besides, it is an item up to the end: its writer was slower than the next one.
    if (last?.nlink === 1 && !(await this.#hasCopy(stem, end, `${folder}/${LAST}`))) return end + 1;
    this.#checked.set(folder, { end, last: last?.ino });
    return undefined;
  }

  /** Whether an item of the folder has the same text: a copied folder has no second names. */
  async #hasCopy(stem: string, end: number, path: string): Promise<boolean> {
    const text = await this.#files.read(path);
    for (let version = end; version > end - (end % SEGMENT_SIZE); version--) {
      if ((await this.#files.read(this.#itemPath(stem, version))) === text) return true;
    }
    return false;
  }

  /** A writer may have died before its name was safe. Within a folder, syncing the next item's name makes it so. */
  async #secure(stem: string, version: number): Promise<void> {
    const isHinted = version % HINT_EVERY === 0;
    if (isHinted || version % SEGMENT_SIZE === 0) await this.#files.syncName(this.#itemPath(stem, version));
    // Before the next item, so that a failure here leaves nothing behind.
    if (isHinted) await this.#files.write(this.#pathOf(`${stem}:head`), String(version));
  }

  #itemPath(stem: string, version: number): string {
    return this.#pathOf(encodedItem(stem, version));
  }
}

/** The numbers that folders and values in a folder are named after, ascending; none where there is no folder. */
async function numbersIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(ignoring("ENOENT"))) ?? [];
  const numbers = names.flatMap((name) => /^(0|[1-9]\d{0,15})(?:\.json)?$/.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((one, other) => one - other);
}
