import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { SEGMENT_SIZE } from "../keys.ts";
import { type DurableFiles, ignoring, isFileDamage, TEMPORARY_SUFFIX } from "./durable-files.ts";
import { isWholeAndSealed, SEALED_ITEM, sealedPaths } from "./sealed-folders.ts";
import { readFile, unlink } from "./system-calls.ts";

const MOST_CHARACTERS = 4 * 1024 * 1024; // The texts of a folder are held together.

/** Seals a full folder of a stream whose items are never replaced or removed: their texts get one file, and their names
 * link to one other. A name leads to its item at every moment, so an append with its number is refused all the while,
 * also to a build that knows nothing of sealed items. It may be cut off anywhere, and done by several at once: it is
 * done again until no item has a file of its own.
 * @param check throws if another folder has taken the storage's place: what was read is not written there
 * @returns whether it sealed the folder now */
export async function sealFolder(files: DurableFiles, folder: string, check: () => void): Promise<boolean> {
  const first = Number(basename(folder)) * SEGMENT_SIZE + 1;
  const paths = Array.from({ length: SEGMENT_SIZE }, (_, index) => `${folder}/${first + index}.json`);
  const sealed = sealedPaths(folder);
  // Whoever appended the next item made the names of this folder safe.
  if (!files.exists(`${dirname(folder)}/${Number(basename(folder)) + 1}/${first + SEGMENT_SIZE}.json`)) return false;
  if (await isSealed(folder)) return false;
  const texts = await files.readMany(paths).catch((error: unknown) => {
    if (!isFileDamage(error)) throw error;
    return [undefined];
  });
  const text = texts.map((item) => `${item}\n`).join("");
  // What is damaged stays as it is.
  if (texts.some((item) => item?.includes("\n") !== false) || text.length > MOST_CHARACTERS) return false;
  check();
  await files.write(sealed.texts, text);
  if ((await readFile(sealed.texts)) !== text) throw new Error(`${sealed.texts} is not as it was written`);
  // A new one each time: a reader that remembers earlier texts does not take its links for theirs.
  await files.write(sealed.item, SEALED_ITEM);
  check();
  for (const path of paths) await files.replaceByLink(sealed.item, path);
  return true;
}

/** Whether all items of a folder are sealed. Names that a killed writer left of them are removed: they would count as items. */
async function isSealed(folder: string): Promise<boolean> {
  const { nlink = 0, ino } = statSync(sealedPaths(folder).item, { throwIfNoEntry: false }) ?? {};
  for (const name of nlink > SEGMENT_SIZE + 1 ? await readdir(folder) : []) {
    const path = `${folder}/${name}`;
    const isLeft = name.endsWith(TEMPORARY_SUFFIX) && statSync(path, { throwIfNoEntry: false })?.ino === ino;
    if (isLeft) await unlink(path).catch(ignoring("ENOENT")); // Another process may have removed it first.
  }
  return isWholeAndSealed(folder);
}
