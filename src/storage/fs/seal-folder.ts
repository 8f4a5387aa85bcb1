import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { SEGMENT_SIZE } from "../keys.ts";
import { type DurableFiles, ignoring, isFileDamage, TEMPORARY_SUFFIX } from "./durable-files.ts";
import { isWholeAndSealed, SEALED_ITEM, sealedPaths } from "./sealed-folders.ts";
import { readFile, unlink } from "./system-calls.ts";

const MAX_CHARACTERS = 4 * 1024 * 1024; // The texts of a folder are held in memory together.

/** Seals a full folder of a stream whose items are never replaced or removed: one file gets all texts, and all names
 * become links to one placeholder. Every name exists at every moment, so an append with its number is always refused,
 * also by a build that does not know sealed items. It may be interrupted anywhere, and run concurrently: it is repeated
 * until no item has a file of its own.
 * @param check throws if another folder has replaced the storage's: nothing is written there
 * @returns whether it sealed the folder now */
export async function sealFolder(files: DurableFiles, folder: string, check: () => void): Promise<boolean> {
  const first = Number(basename(folder)) * SEGMENT_SIZE + 1;
  const paths = Array.from({ length: SEGMENT_SIZE }, (_, index) => `${folder}/${first + index}.json`);
  const sealed = sealedPaths(folder);
  // The writer of the next item has synced the names in this folder.
  if (!files.exists(`${dirname(folder)}/${Number(basename(folder)) + 1}/${first + SEGMENT_SIZE}.json`)) return false;
  if (await isSealed(folder)) return false;
  const texts = await files.readMany(paths).catch((error: unknown) => {
    if (!isFileDamage(error)) throw error;
    return [undefined];
  });
  const text = texts.map((item) => `${item}\n`).join("");
  // A folder with a damaged item stays as it is.
  if (texts.some((item) => item?.includes("\n") !== false) || text.length > MAX_CHARACTERS) return false;
  check();
  await files.write(sealed.texts, text);
  if ((await readFile(sealed.texts)) !== text) throw new Error(`${sealed.texts} is not as it was written`);
  // A new placeholder each time: a reader with older texts in its cache does not use them for links to this one.
  await files.write(sealed.item, SEALED_ITEM);
  check();
  for (const path of paths) await files.replaceByLink(sealed.item, path);
  return true;
}

/** Whether all items of a folder are sealed. Removes links that a killed writer left: the link count includes them. */
async function isSealed(folder: string): Promise<boolean> {
  const { nlink = 0, ino } = statSync(sealedPaths(folder).item, { throwIfNoEntry: false }) ?? {};
  for (const name of nlink > SEGMENT_SIZE + 1 ? await readdir(folder) : []) {
    const path = `${folder}/${name}`;
    const isLeft = name.endsWith(TEMPORARY_SUFFIX) && statSync(path, { throwIfNoEntry: false })?.ino === ino;
    if (isLeft) await unlink(path).catch(ignoring("ENOENT")); // Another process may have removed it first.
  }
  return isWholeAndSealed(folder);
}
