import { existsSync, statSync } from "node:fs";
import { opendir, stat, unlink, statfs } from "node:fs/promises";
import { join, basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import type { StorageDriver } from "../driver.ts";
import { isEncodedSegment, SEGMENT_SIZE } from "../keys.ts";
import { DurableFiles, ignoring, isFileDamage } from "./durable-files.ts";
import { createFolderIdentity } from "./fs-identity.ts";
import { createFileStreams, discardItem, replaceItem } from "./fs-streams.ts";
import { sealFolder } from "./seal-folder.ts";
import { isWholeAndSealed } from "./sealed-folders.ts";
import { randomUUID } from "node:crypto";
import { type Finding, findingsOf } from "../health/finding.ts";
import { storageRemedy } from "../health/storage-remedy.ts";
import FINDINGS from "../health/storage-findings.json" with { type: "json" };
import LOSSY_FILE_SYSTEMS from "./lossy-file-systems.json" with { type: "json" };

// The package's declarations of its drivers do not resolve under ES modules, so the type is given here.
const stockDriver = fsLite as (options: { base: string }) => Driver;
const SUFFIX = ".json";

/** Stores each value in its own file below `base`, on a local disk with hard links: see {@link DurableFiles}. */
export function fsDriver(base: string): StorageDriver {
  const pathOf = (key: string): string => `${base}/${key.replaceAll(":", "/")}${SUFFIX}`;
  const identity = createFolderIdentity(base, pathOf);
  const files = new DurableFiles(base, () => identity.isThere(), pathOf(identity.marks[0]!));
  const folderOf = (prefix: string): string => join(base, prefix.replaceAll(":", "/"));
  /** The path of a file that is to be read. @throws StorageReplacedError while the folder is lost */
  const admitted = (key: string): string => {
    identity.admit();
    return pathOf(key);
  };
  const streams = createFileStreams(files, pathOf);
  // Not the stock driver's, which returns an error as if it were a value.
  const getItem = async (key: string): Promise<string | null> => (await files.read(admitted(key))) ?? null;
  const setItem = (key: string, value: string): Promise<void> =>
    identity.around(() => replaceItem(files, pathOf(key), value));

  return {
    ...stockDriver({ base }),
    durable: true,
    generation: () => identity.generation(),
    identity,
    hasItem: (key) => files.exists(admitted(key)),
    getItem,
    setItem,
    getItemRaw: getItem, // Text is stored and returned unchanged: unstorage would decode what starts with "base64:".
    getMany: async (keys) => files.readMany(keys.map(admitted)),
    setItemRaw: setItem,
    removeItem: (key) => identity.around(() => files.remove(pathOf(key))),
    createItem: (key, value, predecessor, later) =>
      identity.around(async () => {
        const path = pathOf(key);
        if (predecessor === undefined) return later ? files.createLater(path, value) : files.create(path, value);
        // Not checked before every creation: the lookup of an absent name waits while its folder is written to.
        if (existsSync(path)) return "conflict";
        // A predecessor that exists now still does when the file is linked: nothing of a stream is ever removed.
        const before = await files.read(pathOf(predecessor.key));
        if (before === undefined) return "gap";
        // In a copy of the folder it may have another value.
        return before === (predecessor.value ?? before) ? files.create(path, value) : "failover";
      }),
    appendItem: (...given) => identity.around(() => streams.append(...given)),
    laterItem(stem, end) {
      identity.check(); // The first call on any stream: it drops what was cached of another folder.
      return streams.laterItem(stem, end);
    },
    confirmItem: (key, value) => identity.around(() => files.confirm(pathOf(key), value)),
    async *children(prefix) {
      identity.check();
      yield* childrenOf(folderOf(prefix));
    },
    async *keys(prefix, kind, items) {
      identity.check();
      const folder = folderOf(prefix);
      for await (const paths of kind === undefined ? filesBelow(folder, items) : filesOfKind(folder, kind))
        for (const path of paths)
          if (isValue(path)) yield path.slice(base.length + 1, -SUFFIX.length).replaceAll("/", ":");
    },
    discardItem: (key) => identity.around(() => discardItem(files, pathOf(key), base)),
    isDamage: isFileDamage,
    examine: async (_, whole) => [
      ...(whole ? await foreignFile(base, files) : []),
      ...(await examineFiles(base, files)),
    ],
    tidy: (now, signal) => tidyFiles(base, files, identity.check, now, signal),
  };
}

async function* childrenOf(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(ignoreGone);
  if (entries === undefined) return;
  const seen = new Set<string>();
  for await (const entry of entries) {
    const name = basename(entry.name, SUFFIX);
    if (seen.has(name) || !(entry.isDirectory() ? isEncodedSegment : isValue)(entry.name)) continue;
    seen.add(name);
    yield name;
  }
}

/** Whether a file has a value: a foreign one, such as an editor's, has not. */
const isValue = (path: string): boolean => path.endsWith(SUFFIX) && isEncodedSegment(basename(path, SUFFIX));

const TEMPORARY = /^\..*\.tmp$/s;
const LEDGER_ITEM = /^\/users\/[^/]+\/ledger\/(\d+)\/(\d+)\.json$/;
const OLD_MS = 24 * 3600 * 1000; // Age of a killed writer's file: no write takes a day, even if a clock was set.
const ignoreGone = ignoring("ENOENT"); // Another process may have removed it first.
const TOGETHER = 256; // Files that are listed at once.

async function* filesBelow(folder: string, items?: "last"): AsyncGenerator<string[]> {
  if (items !== undefined && isWholeAndSealed(folder)) return void (yield [lastItemOf(folder)]);
  const entries = await opendir(folder, { bufferSize: TOGETHER }).catch(ignoreGone);
  if (entries === undefined) return;
  let paths: string[] = [];
  for await (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) paths.push(path);
    else if (isEncodedSegment(entry.name)) yield* filesBelow(path, items);
    if (paths.length < TOGETHER) continue;
    yield paths;
    paths = [];
  }
  yield paths;
}

const lastItemOf = (folder: string): string => `${folder}/${(Number(basename(folder)) + 1) * SEGMENT_SIZE}${SUFFIX}`;

/** Of each folder in a folder: the file with the name `kind`, and the files below that name. */
async function* filesOfKind(folder: string, kind: string): AsyncGenerator<string[]> {
  for await (const name of childrenOf(folder)) {
    const path = join(folder, name, kind);
    if (existsSync(`${path}${SUFFIX}`)) yield [`${path}${SUFFIX}`];
    yield* filesBelow(path);
  }
}

/** Removes old temporary files, and seals the full folders of ledgers.
 * @throws Error of the first folder that could not be sealed, after all others were */
async function tidyFiles(base: string, files: DurableFiles, check: () => void, now: number, signal?: AbortSignal) {
  let removed = 0;
  const failures: unknown[] = [];
  for await (const paths of filesBelow(base)) {
    check();
    for (const path of paths) {
      if (signal?.aborted === true) return removed;
      const found = TEMPORARY.test(basename(path)) ? await stat(path).catch(ignoreGone) : undefined;
      if (found !== undefined && now - Math.max(found.mtimeMs, found.ctimeMs) > OLD_MS) {
        await unlink(path).catch(ignoreGone);
        removed++;
      }
      const [, folder, number] = LEDGER_ITEM.exec(path.slice(base.length)) ?? [];
      if (folder === undefined || Number(number) !== (Number(folder) + 1) * SEGMENT_SIZE) continue;
      const began = performance.now();
      const isNew = await sealFolder(files, dirname(path), check).catch((error: unknown) => void failures.push(error));
      // The disk is left to other writers for half of the time.
      if (isNew) await delay(performance.now() - began, undefined, { signal }).catch(() => undefined);
    }
  }
  if (failures.length > 0) throw failures[0];
  return removed;
}

const finding = findingsOf(FINDINGS);
const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 256 * MIB;
const SEARCH_MS = 4000;
/** File systems that may lose data, by the number that statfs(2) gives (`linux/magic.h`). */
const FILE_SYSTEMS: Readonly<Record<string, { readonly name: string; readonly loses: string }>> = LOSSY_FILE_SYSTEMS;

async function examineFiles(base: string, files: DurableFiles): Promise<Finding[]> {
  try {
    const path = join(base, `.examination-${randomUUID()}.tmp`);
    await files.create(path, "{}");
    await files.remove(path);
  } catch (error) {
    const [reason] = (error as Error).message.split(" '"); // Without the path of the examination.
    const isKnown = /\b(?:ENOSPC|EROFS|EACCES)\b/.test(reason!);
    return [finding(isKnown ? "filesRefused" : "filesUnwritable", { base, reason, remedy: storageRemedy(reason!) })];
  }
  const { type, bavail, bsize } = await statfs(base);
  const free = bavail * bsize;
  const system = FILE_SYSTEMS[`0x${type.toString(16)}`];
  return [
    finding("filesWritable"),
    system === undefined ? finding("localDisk") : finding("lossyDisk", { ...system }),
    finding(free >= MIN_FREE_BYTES ? "room" : "littleRoom", { mib: Math.floor(free / MIB) }),
  ];
}

/** The first file that another user made and the storage's user cannot read. Root reads everything. */
async function foreignFile(base: string, { owner }: DurableFiles): Promise<Finding[]> {
  const user = owner === false ? process.geteuid?.() : owner.uid;
  const until = performance.now() + SEARCH_MS;
  for await (const paths of user ? filesBelow(base) : []) {
    for (const path of paths) {
      const { uid, mode } = statSync(path, { throwIfNoEntry: false }) ?? { uid: user, mode: 0 };
      if (uid !== user && (mode & 0o044) === 0) return [finding("foreignFile", { path, uid, user, base })];
    }
    if (performance.now() > until) break;
  }
  const { uid } = statSync(base);
  return user && uid !== 0 && uid !== user ? [finding("otherOwner", { base, uid, user })] : [];
}
