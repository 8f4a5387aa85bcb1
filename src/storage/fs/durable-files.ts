import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync, type Stats } from "node:fs";
import { lchown, lstat, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { CreateOutcome } from "../storage.ts";
import { createFolderSyncs } from "./folder-syncs.ts";
import { SEALED_DAMAGED, SEALED_ITEM, SealedFolders } from "./sealed-folders.ts";
import { link, mkdir, open, readFile, rename, sync, unlink, writeAll } from "./system-calls.ts";

const READ_AT_ONCE = 16 * 1024; // Largest file read synchronously, bytes: the thread switches take ten times as long.
const READS_A_TURN = 32; // Reads before the event loop gets its turn: about a millisecond.
const VALUE_GONE = "ERR_VALUE_GONE"; // Our own code: a value that was read is gone. Durable ones never are.
/** Codes of damaged values. All others except ENOENT are outages: on ENOTDIR, the storage's folder may be a file. */
const DAMAGE_CODES = ["EISDIR", "ERR_FS_FILE_TOO_LARGE", "ERR_STRING_TOO_LONG", VALUE_GONE, SEALED_DAMAGED];
export const TEMPORARY_SUFFIX = ".tmp";
const SHARED = ".shared";
/** Linux writes and syncs in one call (O_SYNC). Elsewhere, as on macOS, only fsync reaches beyond the cache of the disk. */
const OPENED = process.platform === "linux" ? "as" : "a";
const FILE_MODE = 0o600; // Only the owner may read ledgers and questions.
const FOLDER_MODE = 0o700;
const MAX_KNOWN_FOLDERS = 10_000; // Folders cached as existing: every session has one.

/** Files below `base` that are written atomically and durably: each is written to a temporary file in its folder and
 * fsynced, then linked or renamed; then the folder is fsynced. */
export class DurableFiles {
  readonly #base: string;
  readonly #isThere: () => boolean;
  readonly #mark: string | undefined;
  #owner: Stats | false | undefined; // Once it was looked up.
  readonly #sync = createFolderSyncs();
  readonly #sealed = new SealedFolders();
  readonly #knownFolders = new Set<string>();
  readonly #syncedFolders = new Set<string>(); // Folders whose names are synced.
  readonly #writer = randomUUID();
  #temporaryFiles = 0;
  #shared: string | undefined; // Text of the file that `createLater` links, once known.
  #readsAtOnce = 0;
  readonly #buffer = Buffer.allocUnsafeSlow(READ_AT_ONCE + 1);

  /** @param isThere whether the base is known to exist, false when it may be new; throws if it was replaced or lost
   * @param mark a file that the first writer made */
  constructor(base: string, isThere: () => boolean = () => false, mark?: string) {
    this.#mark = mark;
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

  /** The text of a file, or of the sealed item that the file represents. */
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

  /** Reads several files in the given order: small ones in three system calls each, cached sealed ones in none. */
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

  /** @param second a second link to it in its folder, which replaces a file of that name
   * @param first work that runs while the file is written; it is linked after that, and not if the result is false */
  async create(path: string, text: string, second?: string, first?: Promise<boolean>): Promise<CreateOutcome> {
    first?.catch(() => undefined); // Its error is reported below, unless the file itself could not be written.
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
      // Once the file is linked, the removal of the temporary name need not be synced: both run in parallel.
      const isDone = outcome === "created";
      await Promise.all([
        isDone && second !== undefined ? rename(temporary, second) : unlink(temporary),
        isDone && this.#syncFolders(dirname(path)),
      ]);
    }
    return outcome;
  }

  /** Creates a file that nobody waits for, as one more link to a synced file of that text: one system call and no sync. A
   * power failure may undo it, and leaves no part of it. For one text per storage: another one replaces that file. */
  async createLater(path: string, text: string): Promise<CreateOutcome> {
    const shared = join(this.#base, SHARED);
    for (let isAgain = false; ; isAgain = true) {
      await this.ensureFolder(dirname(path));
      if (this.#shared !== text && (isAgain || (await this.read(shared)) !== text)) await this.write(shared, text);
      this.#shared = text;
      try {
        await link(shared, path);
        return "created";
      } catch (error) {
        if (hasCode(error, "EEXIST")) return "conflict";
        if (isAgain) throw error;
        this.#shared = undefined; // It has as many links as the file system allows, or it or a folder was removed.
        this.#forgetFolders();
      }
    }
  }

  /** Creates a file, or makes an existing one with the same text durable. False when it has another text. */
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
    await this.#syncFolders(dirname(path));
  }

  /** Replaces `path` by a link to `file`, which is in the same folder and may have many links. */
  async replaceByLink(file: string, path: string): Promise<void> {
    const temporary = this.#temporaryPath(path);
    await link(file, temporary);
    await rename(temporary, path);
    // Renaming one link of a file to another does nothing: another process was first.
    await unlink(temporary).catch(ignoring("ENOENT"));
  }

  async remove(path: string): Promise<void> {
    await unlink(path).catch(ignoring("ENOENT"));
    await this.#sync(dirname(path)).catch(ignoring("ENOENT"));
  }

  /** Makes a file durable that was read. @throws Error when it has another text, or is gone */
  async confirm(path: string, text: string): Promise<void> {
    const stored = await this.read(path);
    if (stored === undefined)
      throw Object.assign(new Error("it was read before, and is missing"), { code: VALUE_GONE });
    if (stored !== text) throw new Error("the key has another value by now");
    await this.syncName(path);
  }

  /** Syncs the folder of a file, since its writer may have been killed before it did that. */
  async syncName(path: string): Promise<void> {
    const folder = dirname(path);
    await this.ensureFolder(folder);
    await this.#syncFolders(folder);
  }

  /** Syncs a folder, and those above it with unsynced names: in parallel, as one sync writes the journal for all. */
  async #syncFolders(folder: string): Promise<void> {
    if (folder === this.#base || this.#syncedFolders.has(folder)) return this.#sync(folder);
    await Promise.all([this.#sync(folder), this.#syncFolders(dirname(folder))]);
    this.#syncedFolders.add(folder);
  }

  /** Creates a folder and missing ones above it. Their names are synced with that of the first file. */
  async ensureFolder(folder: string): Promise<void> {
    if (this.#knownFolders.has(folder)) return;
    if (folder !== this.#base) {
      await this.ensureFolder(dirname(folder));
      await this.#makeFolder(folder);
    } else if (!this.#isThere()) await this.#makeFolders(folder);
    if (this.#knownFolders.size >= MAX_KNOWN_FOLDERS) this.#forgetFolders();
    this.#knownFolders.add(folder);
  }

  /** The user who is to have what this process creates; false for its own user. */
  get owner(): Stats | false {
    return (this.#owner ??= ownerOf(this.#mark, this.#base));
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.owner === false) return mkdir(folder, FOLDER_MODE).catch(ignoring("EEXIST"));
    if (existsSync(folder)) return;
    const temporary = this.#temporaryPath(folder);
    await mkdir(temporary, FOLDER_MODE);
    const named = give(temporary, this.owner).then(() => rename(temporary, folder)); // It replaces only an empty folder.
    await named.catch((error: unknown) => rmdir(temporary).then(() => ignoring("EEXIST", "ENOTEMPTY")(error)));
  }

  /** A forgotten folder is only looked up again. */
  #forgetFolders(): void {
    this.#knownFolders.clear();
    this.#syncedFolders.clear();
  }

  /** Node.js 22 reports a path below a file as absent. @throws Error ENOTDIR for a file in the place of a folder */
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
      await writeSynced(temporary, text, this.owner);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      this.#forgetFolders(); // Somebody removed the folder, or one above it, since it was made.
      await this.ensureFolder(folder);
      await writeSynced(temporary, text, this.owner);
    }
    return temporary;
  }

  #temporaryPath(path: string): string {
    return join(dirname(path), `.${basename(path)}.${this.#writer}-${this.#temporaryFiles++}${TEMPORARY_SUFFIX}`);
  }

  /** Creates a folder and missing ones above it, and syncs their names. Node's recursive mkdir hangs below /proc. */
  async #makeFolders(folder: string): Promise<void> {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
    await this.#makeFolders(dirname(folder));
    await this.#makeFolder(folder);
    await this.#sync(dirname(folder));
  }
}

/** Replaces a file atomically, readable only by its owner, and creates missing folders above it. */
export const replaceFile = (path: string, text: string): Promise<void> =>
  new DurableFiles(dirname(path)).write(path, text);

/** The user who is to have what this process creates, since no other one can read it: the owner of the mark; for root, of
 * the folder if the mark is missing or root's. Only root asks the folder: a volume's may be anybody's. False for the user
 * of this process, and for root, who reads everything. */
function ownerOf(mark: string | undefined, base: string): Stats | false {
  const user = process.geteuid?.();
  const known = mark === undefined ? undefined : statSync(mark, { throwIfNoEntry: false });
  const owner = user === 0 && !known?.uid ? nearest(base) : known;
  return owner !== undefined && owner.uid !== 0 && owner.uid !== user && owner;
}

const nearest = (folder: string): Stats => statSync(folder, { throwIfNoEntry: false }) ?? nearest(dirname(folder));

/** Some file systems give all files one owner, whoever creates them. @throws Error EPERM if it may not be given away */
async function give(path: string, owner: Stats | false): Promise<void> {
  if (owner && (await lstat(path)).uid !== owner.uid) await lchown(path, owner.uid, owner.gid);
}

async function writeSynced(path: string, text: string, owner: Stats | false): Promise<void> {
  const file = await open(path, OPENED, FILE_MODE);
  try {
    await give(path, owner)
      .then(() => writeAll(file, text))
      .then(() => (OPENED === "as" ? undefined : sync(file)))
      .finally(() => closeSync(file));
  } catch (error) {
    await unlink(path).catch(ignoring("ENOENT"));
    throw error;
  }
}

/** Whether a file system error concerns only one key: what is stored there is not a value. */
export const isFileDamage = (error: unknown): boolean => DAMAGE_CODES.some((code) => hasCode(error, code));

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** A handler for `catch` that returns undefined for errors with one of these codes and rethrows others. */
export function ignoring(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.some((code) => hasCode(error, code))) throw error;
  };
}
