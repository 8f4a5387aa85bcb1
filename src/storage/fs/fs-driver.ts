import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import type { StorageDriver } from "../driver.ts";
import { DurableFiles, TEMPORARY_SUFFIX } from "./durable-files.ts";
import { ignoring } from "./error-codes.ts";
import { examineFiles } from "./fs-findings.ts";
import { sweepTemporaries } from "./fs-sweep.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = fsLite as (options: { base: string }) => Driver;

const SUFFIX = ".json";

/** Keeps each value in its own file below `base`, on a local disk with hard links: see {@link DurableFiles}. */
export function fsDriver(base: string): StorageDriver {
  const stock = stockDriver({ base });
  const files = new DurableFiles(base);
  const folderOf = (prefix: string): string => join(base, prefix.replaceAll(":", "/"));
  const pathOf = (key: string): string => `${base}/${key.replaceAll(":", "/")}${SUFFIX}`;
  const getItem = (key: string): Promise<string | null> | null =>
    files.exists(pathOf(key)) ? (stock.getItem(`${key}${SUFFIX}`) as Promise<string | null>) : null;
  const setItem = (key: string, value: string): Promise<void> => files.write(pathOf(key), value);

  return {
    ...stock,
    durable: true,
    hasItem: (key) => files.exists(pathOf(key)),
    getItem,
    setItem,
    // Text is stored and returned unchanged: unstorage would decode what starts with "base64:".
    getItemRaw: getItem,
    setItemRaw: setItem,
    removeItem: (key) => files.remove(pathOf(key)),
    async createItem(key, value) {
      const path = pathOf(key);
      return !files.exists(path) && (await files.create(path, value));
    },
    async createItemAfter(key, value, predecessor) {
      const path = pathOf(key);
      if (files.exists(path)) return "conflict";
      // A predecessor that exists now still does when the file is linked: nothing of a stream is ever removed.
      if (!files.exists(pathOf(predecessor.key))) return "gap";
      return (await files.create(path, value)) ? "created" : "conflict";
    },
    async confirmItem(key, value) {
      if ((await getItem(key)) !== value) throw new Error("the key has another value by now");
      await files.syncName(pathOf(key));
    },
    children: (prefix) => childrenOf(folderOf(prefix)),
    keys: (prefix) => keysBelow(folderOf(prefix), prefix),
    examine: () => examineFiles(base, (folder) => files.ensureFolder(folder)),
    tidy: (now, signal) => sweepTemporaries(base, now, signal),
  };
}

async function* childrenOf(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoring("ENOENT"));
  if (entries === undefined) return;
  const seen = new Set<string>();
  for await (const entry of entries) {
    if (entry.name.endsWith(TEMPORARY_SUFFIX)) continue;
    const name = entry.isDirectory() ? entry.name : entry.name.slice(0, -SUFFIX.length);
    if (!seen.has(name)) yield name;
    seen.add(name);
  }
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
