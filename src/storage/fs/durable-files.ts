import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { CreateOutcome } from "../storage.ts";
import { createFolderSyncs } from "./folder-syncs.ts";
import { SEALED_DAMAGED, SEALED_ITEM, SealedFolders } from "./sealed-folders.ts";
import { link, mkdir, open, readFile, rename, sync, unlink, writeAll } from "./system-calls.ts";

const READ_AT_ONCE = 16 * 1024; // Bytes of a file read without thread switches: four take ten times an entry's reading.
const READS_A_TURN = 32; // So many are read before others have their turn: about a millisecond.
const VALUE_GONE = "ERR_VALUE_GONE"; // Our own: a value was read and is gone. Nothing confirmed is ever removed.
/** Something that is not a value, in the place of one. Other errors than ENOENT are outages: for ENOTDIR, the storage's own folder may be a file. */
const DAMAGE_CODES = ["EISDIR", "ERR_FS_FILE_TOO_LARGE", "ERR_STRING_TOO_LONG", VALUE_GONE, SEALED_DAMAGED];
export const TEMPORARY_SUFFIX = ".tmp";
/** Linux writes and syncs in one call (O_SYNC). Elsewhere, as on macOS, only fsync reaches beyond the cache of the disk. */
const OPENED = process.platform === "linux" ? "as" : "a";
const FILE_MODE = 0o600; // Only the owner may read ledgers and questions.
const FOLDER_MODE = 0o700;
const MAX_KNOWN_FOLDERS = 10_000; // Folders remembered as made: every session has one.

/** Files below `base` that a reader sees whole or not at all, and that survive a crash once a change of them is done:
 * each is written to a temporary file in its folder and synced, then linked or renamed; then the folder is synced. */
export class DurableFiles {
  readonly #base: string;
  readonly #isThere: () => boolean;
  readonly #sync = createFolderSyncs();
  readonly #sealed = new SealedFolders();
  readonly #knownFolders = new Set<string>();
  readonly #safeFolders = new Set<string>(); // Those whose names are safe.
  readonly #writer = randomUUID();
  #temporaryFiles = 0;
  #readsAtOnce = 0;
  readonly #buffer = Buffer.allocUnsafeSlow(READ_AT_ONCE + 1);

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

  /** The text of a file; of a sealed item, that of the item. */
  async read(path: string): Promise<string | undefined> {
    const size = this.stat(path)?.size;
    if (size === undefined) return undefined;
    if (size > READ_AT_ONCE) return readFile(path).catch(ignoring("ENOENT"));
    // A caller that reads many files must not block the rest of a daemon.
    if (++this.#readsAtOnce % READS_A_TURN === 0) await setImmediate();
    try {
      const text = readFileSync(path, "utf8");
      return text === SEALED_ITEM ? await this.#sealed.read(path) : text;
    } catch (error) {
      ignoring("ENOENT")(error);
      return undefined;
    }
  }

  /** Several files in the order asked for, small ones in three system calls each, sealed ones in none. */
  async readMany(paths: readonly string[]): Promise<(string | undefined)[]> {
    const texts: (string | undefined)[] = [];
    let folder: string | undefined;
    let sealed: ReturnType<SealedFolders["remembered"]>;
    for (const path of paths) {
      if (sealed === undefined || dirname(path) !== folder) sealed = this.#sealed.remembered((folder = dirname(path)));
      if (sealed === undefined && ++this.#readsAtOnce % READS_A_TURN === 0) await setImmediate();
      texts.push(sealed?.(path) ?? this.#readSmall(path) ?? (await this.read(path)));
    }
    return texts;
  }

  #readSmall(path: string): string | undefined {
    let file: number | undefined;
    try {
      file = openSync(path, "r");
      const length = readSync(file, this.#buffer);
      if (length > READ_AT_ONCE) return undefined;
      const text = this.#buffer.toString("utf8", 0, length);
      return text === SEALED_ITEM ? undefined : text;
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /** @param second another name for it, in its folder: it replaces a file of that name
   * @param first what goes on while the file is written, and ends before it gets its name: false, and it gets none */
  async create(path: string, text: string, second?: string, first?: Promise<boolean>): Promise<CreateOutcome> {
    first?.catch(() => undefined); // It is reported below, unless the file itself could not be written.
    const temporary = await this.#writeTemporary(path, text);
    let outcome: CreateOutcome = "taken";
    try {
      if ((await first) !== false) {
        await link(temporary, path);
        outcome = "created";
      }
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
      outcome = "conflict";
    } finally {
      // Once its name is there, what becomes of the temporary one need not be safe: it goes meanwhile.
      const isDone = outcome === "created";
      await Promise.all([
        isDone && second !== undefined ? rename(temporary, second) : unlink(temporary),
        isDone && this.#makeSafe(dirname(path)),
      ]);
    }
    return outcome;
  }

  /** Creates a file, or makes one safe that has the same text. False when it has another one. */
  async ensure(path: string, text: string): Promise<boolean> {
    if ((await this.create(path, text)) === "created") return true;
    if ((await this.read(path)) !== text) return false;
    await this.syncName(path);
    return true;
  }

  async write(path: string, text: string): Promise<void> {
    const temporary = await this.#writeTemporary(path, text);
    try {
      await rename(temporary, path);
    } catch (error) {
      await unlink(temporary).catch(ignoring("ENOENT"));
      throw error;
    }
    await this.#makeSafe(dirname(path));
  }

  /** Gives a file's name to another file of its folder, which may have many. */
  async replaceByLink(file: string, path: string): Promise<void> {
    const temporary = this.#temporaryPath(path);
    await link(file, temporary);
    await rename(temporary, path);
    // Of two names of one file a rename leaves both: another process was first.
    await unlink(temporary).catch(ignoring("ENOENT"));
  }

  async remove(path: string): Promise<void> {
    await unlink(path).catch(ignoring("ENOENT"));
    await this.#sync(dirname(path)).catch(ignoring("ENOENT"));
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
    await this.#makeSafe(folder);
  }

  /** Makes the names in a folder safe, and its own: all syncs at once, since one of them writes the journal for all. */
  async #makeSafe(folder: string): Promise<void> {
    if (folder === this.#base || this.#safeFolders.has(folder)) return this.#sync(folder);
    await Promise.all([this.#sync(folder), this.#makeSafe(dirname(folder))]);
    this.#safeFolders.add(folder);
  }

  /** Makes a folder that is missing, and those above it. Their names are safe once a file's is. */
  async ensureFolder(folder: string): Promise<void> {
    if (this.#knownFolders.has(folder)) return;
    if (folder !== this.#base) {
      await this.ensureFolder(dirname(folder));
      await mkdir(folder, FOLDER_MODE).catch(ignoring("EEXIST"));
    } else if (!this.#isThere()) await this.#makeFolders(folder);
    if (this.#knownFolders.size >= MAX_KNOWN_FOLDERS) this.#forgetFolders();
    this.#knownFolders.add(folder);
  }

  /** What is forgotten is only ensured again. */
  #forgetFolders(): void {
    this.#knownFolders.clear();
    this.#safeFolders.clear();
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
    const temporary = this.#temporaryPath(path);
    try {
      await this.ensureFolder(folder);
      await writeSynced(temporary, text);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      this.#forgetFolders(); // Somebody removed the folder, or one above it, since it was made.
      await this.ensureFolder(folder);
      await writeSynced(temporary, text);
    }
    return temporary;
  }

  #temporaryPath(path: string): string {
    const name = `.${basename(path)}.${this.#writer}-${this.#temporaryFiles++}${TEMPORARY_SUFFIX}`;
    return join(dirname(path), name);
  }

  /** Makes a folder and those above it that are missing, and their names safe. Node's own way never ends below /proc. */
  async #makeFolders(folder: string): Promise<void> {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
    await this.#makeFolders(dirname(folder));
    await mkdir(folder, FOLDER_MODE).catch(ignoring("EEXIST"));
    await this.#sync(dirname(folder));
  }
}

/** Replaces a file as a whole, readable by the user alone, and makes the folders above it that are missing. */
export const replaceFile = (path: string, text: string): Promise<void> =>
  new DurableFiles(dirname(path)).write(path, text);

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, OPENED, FILE_MODE);
  try {
    await writeAll(file, text)
      .then(() => (OPENED === "as" ? undefined : sync(file)))
      .finally(() => closeSync(file));
  } catch (error) {
    await unlink(path).catch(ignoring("ENOENT"));
    throw error;
  }
}

/** Whether an error of a file system call concerns one key alone: what is stored there is not a value of ours. */
export const isFileDamage = (error: unknown): boolean => DAMAGE_CODES.some((code) => hasCode(error, code));

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** A handler for `catch` that lets errors with that code pass as undefined. */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}
