import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { link, mkdir, open, opendir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import type { CreatingDriver } from "../driver.ts";
import { examineFiles } from "./fs-findings.ts";
import { sweepTemporaries } from "./fs-sweep.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = fsLite as (options: { base: string }) => Driver;

const SUFFIX = ".json";
const TEMP = ".tmp";
/** Ledgers and questions are for their owner's eyes alone. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Folders remembered as made: every session has one. */
const KNOWN_FOLDERS = 10_000;

/**
 * Keeps each value in a file of its own below `base`, on a local disk with hard links. Every write goes to a temporary
 * file in the same folder that is synced, then linked (create) or renamed (overwrite) to its name; then the folder is
 * synced. So a reader sees a whole value or none, and an acknowledged write survives a crash.
 */
export function fsDriver(base: string): CreatingDriver {
  const stock = stockDriver({ base });
  const folders = new Set<string>();
  const writer = randomUUID();
  let temps = 0;

  const pathOf = (key: string): string => `${base}/${key.replaceAll(":", "/")}${SUFFIX}`;

  // One system call without a thread switch: most reads on a hot path ask for an entry that is not there yet.
  const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

  async function ensureFolder(folder: string): Promise<void> {
    if (folders.has(folder)) return;
    if (folder === base) {
      const first = await makeFolders(base);
      if (first !== undefined) await syncUp(dirname(base), dirname(first));
    } else {
      const parent = dirname(folder);
      await ensureFolder(parent);
      await mkdir(folder, FOLDER_MODE).catch(ignoring("EEXIST"));
      await syncFolder(parent);
    }
    // What is forgotten is only made sure of again.
    if (folders.size >= KNOWN_FOLDERS) folders.clear();
    folders.add(folder);
  }

  async function writeTemp(path: string, value: string): Promise<string> {
    const folder = dirname(path);
    await ensureFolder(folder);
    const temp = join(folder, `.${basename(path)}.${writer}-${temps++}${TEMP}`);
    try {
      await writeSynced(temp, value);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      // Somebody removed the folder since we made it.
      folders.clear();
      await ensureFolder(folder);
      await writeSynced(temp, value);
    }
    return temp;
  }

  const getItem = (key: string): Promise<string | null> | null =>
    exists(pathOf(key)) ? (stock.getItem(`${key}${SUFFIX}`) as Promise<string | null>) : null;

  async function setItem(key: string, value: string): Promise<void> {
    const path = pathOf(key);
    const temp = await writeTemp(path, value);
    try {
      await rename(temp, path);
    } catch (error) {
      await unlink(temp).catch(ignoring("ENOENT"));
      throw error;
    }
    await syncFolder(dirname(path));
  }

  async function createFile(path: string, value: string): Promise<boolean> {
    const temp = await writeTemp(path, value);
    let created = true;
    try {
      await link(temp, path);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
      created = false;
    } finally {
      await unlink(temp);
    }
    if (created) await syncFolder(dirname(path));
    return created;
  }

  return {
    ...stock,
    durable: true,
    hasItem: (key) => exists(pathOf(key)),
    getItem,
    setItem,
    // Text goes in and out as it is: unstorage would decode what starts with "base64:".
    getItemRaw: getItem,
    setItemRaw: setItem,
    async createItem(key, value) {
      const path = pathOf(key);
      return !exists(path) && (await createFile(path, value));
    },
    async createItemAfter(key, value, predecessor) {
      const path = pathOf(key);
      if (exists(path)) return "conflict";
      // A predecessor that exists now still does when the file is linked: nothing of a stream is ever removed.
      if (!exists(pathOf(predecessor.key))) return "gap";
      return (await createFile(path, value)) ? "created" : "conflict";
    },
    // Its writer may have been killed before it synced its name, and the names of folders that it made.
    async confirmItem(key, value) {
      const folder = dirname(pathOf(key));
      if ((await getItem(key)) !== value) throw new Error("another value is there by now");
      await ensureFolder(folder);
      await syncFolder(folder);
    },
    async removeItem(key) {
      const path = pathOf(key);
      await unlink(path).catch(ignoring("ENOENT"));
      await syncFolder(dirname(path)).catch(ignoring("ENOENT"));
    },
    async *children(prefix) {
      const folder = await opendir(join(base, prefix.replaceAll(":", "/"))).catch(ignoring("ENOENT"));
      if (folder === undefined) return;
      const seen = new Set<string>();
      for await (const entry of folder) {
        if (entry.name.endsWith(TEMP)) continue;
        const name = entry.isDirectory() ? entry.name : entry.name.slice(0, -SUFFIX.length);
        if (!seen.has(name)) yield name;
        seen.add(name);
      }
    },
    keys: (prefix) => keysBelow(join(base, prefix.replaceAll(":", "/")), prefix),
    examine: () => examineFiles(base, ensureFolder),
    tidy: (now, signal) => sweepTemporaries(base, now, signal),
  };
}

/**
 * Makes a folder and those above it that are not there. Node's own way never ends where a file system says ENOENT though
 * the folder above is there, as /proc does.
 *
 * @returns the topmost folder that was made; undefined when all were there
 */
async function makeFolders(folder: string): Promise<string | undefined> {
  const make = async (): Promise<"made" | "there" | "orphan"> => {
    try {
      await mkdir(folder, FOLDER_MODE);
      return "made";
    } catch (error) {
      if (hasCode(error, "EEXIST") && (await stat(folder)).isDirectory()) return "there";
      if (hasCode(error, "ENOENT") && dirname(folder) !== folder) return "orphan";
      throw error;
    }
  };
  const first = await make();
  if (first !== "orphan") return first === "made" ? folder : undefined;
  const above = await makeFolders(dirname(folder));
  if ((await make()) === "orphan") throw new Error(`The file system of ${folder} makes no folder there.`);
  return above ?? folder;
}

/** Walks the folders one at a time, so that memory stays flat. */
async function* keysBelow(folder: string, prefix: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoring("ENOENT"));
  if (entries === undefined) return;
  for await (const entry of entries) {
    const key = (name: string): string => (prefix === "" ? name : `${prefix}:${name}`);
    if (entry.isDirectory()) yield* keysBelow(join(folder, entry.name), key(entry.name));
    else if (entry.name.endsWith(SUFFIX)) yield key(entry.name.slice(0, -SUFFIX.length));
  }
}

async function writeSynced(path: string, value: string): Promise<void> {
  const file = await open(path, "w", FILE_MODE);
  try {
    await file.writeFile(value, "utf8");
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

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}
