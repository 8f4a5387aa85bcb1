import { randomUUID } from "node:crypto";
import { statSync, type Stats } from "node:fs";
import { link, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { VALUE_GONE } from "../failure-kinds.ts";

/** How the name of a temporary file ends. */
export const TEMPORARY_SUFFIX = ".tmp";
/** Only the owner may read ledgers and questions. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Folders remembered as made: every session has one. */
const MAX_KNOWN_FOLDERS = 10_000;

/**
 * Files below `base` that a reader sees whole or not at all, and that survive a crash once a change of them is done: each
 * is written to a temporary file in its folder and synced, then linked or renamed to its name; then the folder is synced.
 */
export class DurableFiles {
  readonly #base: string;
  readonly #isThere: () => boolean;
  readonly #knownFolders = new Set<string>();
  readonly #writer = randomUUID();
  #temporaryFiles = 0;

  /** @param isThere whether the base is known to be there, false when it may be new; throws for another folder, or none */
  constructor(base: string, isThere: () => boolean = () => false) {
    this.#base = base;
    this.#isThere = isThere;
  }

  /** One system call without a thread switch: most reads on a hot path ask for an entry that does not exist yet. */
  stat(path: string): Stats | undefined {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) this.#checkFolder(dirname(path));
    return found;
  }

  exists(path: string): boolean {
    return this.stat(path) !== undefined;
  }

  /** The text of a file; undefined when there is none. */
  async read(path: string): Promise<string | undefined> {
    return this.exists(path) ? readFile(path, "utf8").catch(ignoring("ENOENT")) : undefined;
  }

  /** False when the file exists. @param second another name for it, in its folder: it replaces a file of that name */
  async create(path: string, text: string, second?: string): Promise<boolean> {
    const temporary = await this.#writeTemporary(path, text);
    let created = false;
    try {
      await link(temporary, path);
      created = true;
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    } finally {
      await (created && second !== undefined ? rename(temporary, second) : unlink(temporary));
    }
    if (created) await syncFolder(dirname(path));
    return created;
  }

  /** Writes the file, over an earlier one if there is one. */
  async write(path: string, text: string): Promise<void> {
    const temporary = await this.#writeTemporary(path, text);
    try {
      await rename(temporary, path);
    } catch (error) {
      await unlink(temporary).catch(ignoring("ENOENT"));
      throw error;
    }
    await syncFolder(dirname(path));
  }

  async remove(path: string): Promise<void> {
    await unlink(path).catch(ignoring("ENOENT"));
    await syncFolder(dirname(path)).catch(ignoring("ENOENT"));
  }

  /** Makes a file that was read as safe as an acknowledged one. @throws Error when it has another text, or is gone */
  async confirm(path: string, text: string): Promise<void> {
    const stored = await this.read(path);
    if (stored === undefined)
      throw Object.assign(new Error("it was read before, and is missing"), { code: VALUE_GONE });
    if (stored !== text) throw new Error("the key has another value by now");
    await this.syncName(path);
  }

  /** Makes the name of a file as safe as its writer would have, who may have been killed before that. */
  async syncName(path: string): Promise<void> {
    const folder = dirname(path);
    await this.ensureFolder(folder);
    await syncFolder(folder);
  }

  /** Makes a folder and those above it, as far as they do not exist. */
  async ensureFolder(folder: string): Promise<void> {
    if (this.#knownFolders.has(folder)) return;
    const isThere = this.#isThere();
    if (folder === this.#base) {
      const first = isThere ? undefined : await makeFolders(folder);
      if (first !== undefined) await syncUp(dirname(folder), dirname(first));
    } else {
      const parent = dirname(folder);
      await this.ensureFolder(parent);
      await mkdir(folder, FOLDER_MODE).catch(ignoring("EEXIST"));
      await syncFolder(parent);
    }
    // What is forgotten is only ensured again.
    if (this.#knownFolders.size >= MAX_KNOWN_FOLDERS) this.#knownFolders.clear();
    this.#knownFolders.add(folder);
  }

  /** Node.js 22 takes a path below a file for an absent one. @throws Error ENOTDIR for a file in the place of a folder */
  #checkFolder(folder: string): void {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === false) {
      throw Object.assign(new Error(`ENOTDIR: not a directory, ${folder}`), { code: "ENOTDIR" });
    }
    if (found === undefined && folder !== dirname(this.#base)) this.#checkFolder(dirname(folder));
  }

  async #writeTemporary(path: string, text: string): Promise<string> {
    const folder = dirname(path);
    await this.ensureFolder(folder);
    const name = `.${basename(path)}.${this.#writer}-${this.#temporaryFiles++}${TEMPORARY_SUFFIX}`;
    const temporary = join(folder, name);
    try {
      await writeSynced(temporary, text);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      // Somebody removed the folder since it was made.
      this.#knownFolders.clear();
      await this.ensureFolder(folder);
      await writeSynced(temporary, text);
    }
    return temporary;
  }
}

/** Makes a folder and those above it, and returns the topmost one that was new. Node's own way never ends below /proc. */
async function makeFolders(folder: string): Promise<string | undefined> {
  const first = await makeFolder(folder);
  if (first !== "orphan") return first === "made" ? folder : undefined;
  const above = await makeFolders(dirname(folder));
  if ((await makeFolder(folder)) === "orphan") throw new Error(`The file system of ${folder} makes no folder there.`);
  return above ?? folder;
}

/** An `orphan` lacks the folder above it. */
async function makeFolder(folder: string): Promise<"made" | "existed" | "orphan"> {
  try {
    await mkdir(folder, FOLDER_MODE);
    return "made";
  } catch (error) {
    if (hasCode(error, "EEXIST") && (await stat(folder)).isDirectory()) return "existed";
    if (hasCode(error, "ENOENT") && dirname(folder) !== folder) return "orphan";
    throw error;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w", FILE_MODE);
  try {
    await file.writeFile(text, "utf8");
    await file.sync();
  } catch (error) {
    await file.close();
    await unlink(path).catch(ignoring("ENOENT"));
    throw error;
  }
  await file.close();
}

/** Syncs the folders from `folder` up to `last`, so that one made below them survives a crash. */
async function syncUp(folder: string, last: string): Promise<void> {
  await syncFolder(folder);
  if (folder !== last) await syncUp(dirname(folder), last);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether it is an error of the system with that code, as `ENOENT`. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** A handler for `catch` that lets errors with that code pass as undefined. */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}
