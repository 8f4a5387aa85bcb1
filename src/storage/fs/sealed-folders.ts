import { statSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { BoundedLru } from "../../runtime/cache/bounded-lru.ts";
import { SEGMENT_SIZE } from "../keys.ts";
import { readBytes } from "./system-calls.ts";

/** The placeholder in the file of a sealed item, whose text is in the sealed file of its folder. It is not JSON, so no
 * item equals it, and an earlier build reports the item as damaged. */
export const SEALED_ITEM = "The text of this item is a line of the file .sealed in its folder.\n";
/** The files of a sealed folder: all texts, one per line, and the placeholder that the names of the items link to. */
export const sealedPaths = (folder: string) => ({ texts: `${folder}/.sealed`, item: `${folder}/.sealed-item` });
export const SEALED_DAMAGED = "ERR_SEALED_DAMAGED";

const REMEMBERED = 8; // Cached folders, half a megabyte each for a ledger.

interface SealedTexts {
  readonly file: Stats; // Of the texts.
  readonly item: Stats | undefined; // Of the placeholder that the names link to.
  readonly textOf: (path: string) => string; // @throws Error SEALED_DAMAGED
}

/** Reads the texts of sealed items. An item exists if its name does, and is sealed if that links to the placeholder.
 * The file with the texts is written before the first such link, and keeps the text of each linked item. */
export class SealedFolders {
  readonly #folders = new BoundedLru<SealedTexts>(REMEMBERED);

  /** A reader of a cached folder, checked by one system call: no item is missing or changed while all names link to the
   * placeholder. Undefined if they do not, or the folder is not cached. */
  remembered(folder: string): SealedTexts["textOf"] | undefined {
    const texts = this.#folders.get(folder);
    if (texts?.item === undefined) return undefined;
    return isSameFile(wholeItemOf(folder), texts.item) ? texts.textOf : undefined;
  }

  /** The text of an item whose file holds the placeholder. @throws Error SEALED_DAMAGED */
  async read(path: string): Promise<string> {
    const folder = dirname(path);
    const paths = sealedPaths(folder);
    const file = statSync(paths.texts, { throwIfNoEntry: false });
    if (file === undefined) throw damaged("is missing");
    let texts = this.#folders.get(folder);
    if (texts === undefined || !isSameFile(file, texts.file)) {
      // Read before the texts: an item that links to it has its text in this file, and in any that replaces it.
      const item = statSync(paths.item, { throwIfNoEntry: false });
      texts = { file, item, textOf: linesOf(await readBytes(paths.texts)) };
      this.#folders.set(folder, texts);
    }
    return texts.textOf(path);
  }
}

/** The placeholder that all names of a folder link to; undefined if not all do. */
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

/** Inode numbers are reused, so the modification time is compared too. */
export const isSameFile = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev && one.mtimeMs === other.mtimeMs;
