import { opendir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import type { StorageDriver } from "../driver.ts";
import { isFileDamage } from "../failure-kinds.ts";
import { DurableFiles, TEMPORARY_SUFFIX } from "./durable-files.ts";
import { ignoring } from "./error-codes.ts";
import { examineFiles } from "./fs-findings.ts";
import { FolderIdentity } from "./fs-identity.ts";
import { FileStreams } from "./fs-streams.ts";
import { filesBelow, sweepTemporaries } from "./fs-walk.ts";

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = fsLite as (options: { base: string }) => Driver;

const SUFFIX = ".json";

/** Keeps each value in its own file below `base`, on a local disk with hard links: see {@link DurableFiles}. */
export function fsDriver(base: string): StorageDriver {
  const stock = stockDriver({ base });
  const pathOf = (key: string): string => `${base}/${key.replaceAll(":", "/")}${SUFFIX}`;
  const identity = new FolderIdentity(base, pathOf);
  const files = new DurableFiles(base, () => identity.isThere());
  const folderOf = (prefix: string): string => join(base, prefix.replaceAll(":", "/"));
  const exists = (key: string): boolean => {
    identity.admit();
    return files.exists(pathOf(key));
  };
  const streams = new FileStreams(files, pathOf);
  // Not the stock driver's, which returns an error as if it were a value.
  const getItem = async (key: string): Promise<string | null> => {
    identity.admit();
    return (await files.read(pathOf(key))) ?? null;
  };
  const setItem = (key: string, value: string): Promise<void> => identity.around(() => files.write(pathOf(key), value));

  return {
    ...stock,
    durable: true,
    generation: () => identity.generation(),
    identity,
    hasItem: exists,
    getItem,
    setItem,
    // Text is stored and returned unchanged: unstorage would decode what starts with "base64:".
    getItemRaw: getItem,
    setItemRaw: setItem,
    removeItem: (key) => identity.around(() => files.remove(pathOf(key))),
    createItem: (key, value) =>
      identity.around(async () => !files.exists(pathOf(key)) && (await files.create(pathOf(key), value))),
    createItemAfter: (key, value, predecessor) =>
      identity.around(async () => {
        const path = pathOf(key);
        if (files.exists(path)) return "conflict";
        // A predecessor that exists now still does when the file is linked: nothing of a stream is ever removed.
        if (!files.exists(pathOf(predecessor.key))) return "gap";
        return (await files.create(path, value)) ? "created" : "conflict";
      }),
    appendItem: (stem, version, value) => identity.around(() => streams.append(stem, version, value)),
    laterItem(stem, end) {
      identity.admit();
      return streams.laterItem(stem, end);
    },
    confirmItem: (key, value) => identity.around(() => files.confirm(pathOf(key), value)),
    async *children(prefix) {
      identity.check();
      yield* childrenOf(folderOf(prefix));
    },
    async *keys(prefix) {
      identity.check();
      for await (const path of filesBelow(folderOf(prefix))) {
        if (path.endsWith(SUFFIX)) yield relative(base, path).slice(0, -SUFFIX.length).replaceAll("/", ":");
      }
    },
    isDamage: isFileDamage,
    examine: () => examineFiles(base, files),
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
