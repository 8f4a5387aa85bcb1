import { statSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import { SEGMENT_SIZE } from "../keys.ts";
import { readBytes } from "./system-calls.ts";

/** What an item's file holds whose text is in the sealed file of its folder. No item is such a text, nor is it JSON: an
 * earlier build takes the item for damaged. */
export const SEALED_ITEM = "The text of this item is a line of the file .sealed in its folder.\n";
/** Of a folder whose items are sealed: the file with their texts, one a line, and the one that their names link to. */
export const sealedPaths = (folder: string) => ({ texts: `${folder}/.sealed`, item: `${folder}/.sealed-item` });
export const SEALED_DAMAGED = "ERR_SEALED_DAMAGED";

const REMEMBERED = 8; // Folders, of half a megabyte each with entries of a ledger.

interface SealedTexts {
  readonly file: Stats; // Of the texts.
  readonly item: Stats | undefined; // Of the file that the names link to: they need not be read.
  readonly textOf: (path: string) => string; // @throws Error SEALED_DAMAGED
}

/** Reads the texts of sealed items. A name that is there says that an item exists, and whether it is sealed; where it is,
 * the sealed file has its text: that is there before any name links to a sealed item, and keeps their texts. */
export class SealedFolders {
  readonly #folders = new BoundedLru<SealedTexts>(REMEMBERED);

  /** What reads items of a folder that is remembered, in one system call for all of them: none of its names is gone or
   * has another file as long as all of them link to the one. Undefined where that is not sure. */
  remembered(folder: string): SealedTexts["textOf"] | undefined {
    const texts = this.#folders.get(folder);
    if (texts?.item === undefined) return undefined;
    return isSameFile(wholeItemOf(folder), texts.item) ? texts.textOf : undefined;
  }

  /** The text of an item whose file was found to be that of a sealed one. @throws Error SEALED_DAMAGED */
  async read(path: string): Promise<string> {
    const folder = dirname(path);
    const paths = sealedPaths(folder);
    const file = statSync(paths.texts, { throwIfNoEntry: false });
    if (file === undefined) throw damaged("is missing");
    let texts = this.#folders.get(folder);
    if (texts === undefined || !isSameFile(file, texts.file)) {
      // Looked at first: whatever links to that one has its text in this file, and in each that takes its place.
      const item = statSync(paths.item, { throwIfNoEntry: false });
      texts = { file, item, textOf: linesOf(await readBytes(paths.texts)) };
      this.#folders.set(folder, texts);
    }
    return texts.textOf(path);
  }
}

/** The file that all names of a folder link to; undefined where not all do. */
function wholeItemOf(folder: string): Stats | undefined {
  const item = statSync(sealedPaths(folder).item, { throwIfNoEntry: false });
  return item?.nlink === SEGMENT_SIZE + 1 ? item : undefined;
}

/** Whether a folder is sealed and none of its items is gone. */
export const isWholeAndSealed = (folder: string): boolean => wholeItemOf(folder) !== undefined;

function linesOf(bytes: Buffer): SealedTexts["textOf"] {
  const ends: number[] = [];
  for (let at = -1; (at = bytes.indexOf("\n", at + 1)) !== -1;) ends.push(at);
  const isWhole = ends.length === SEGMENT_SIZE && ends.at(-1) === bytes.length - 1;
  return (path) => {
    if (!isWhole) throw damaged("is damaged");
    const index = (Number(basename(path, ".json")) - 1) % SEGMENT_SIZE;
    return bytes.toString("utf8", index === 0 ? 0 : ends[index - 1]! + 1, ends[index]);
  };
}

const damaged = (how: string): Error =>
  Object.assign(new Error(`the file .sealed of its folder ${how}`), { code: SEALED_DAMAGED });

/** Inode numbers are reused, so the time counts too. */
export const isSameFile = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev && one.mtimeMs === other.mtimeMs;
