import { parseDocument } from "../../storage/documents.ts";
import { CorruptionError, isOutage } from "../../storage/storage-errors.ts";
import type { Key, Storage } from "../../storage/storage.ts";
import { createStreamSnapshots } from "./stream-snapshots.ts";
import { type Snapshot, snapshotDocument } from "./snapshot-document.ts";

/** So many of the newest snapshots are kept: a damaged newest one falls back to the one before it. */
const KEPT = 3;

/** Holds the number of the newest snapshot. It may lag by as many as are kept. */
const POINTER: Key = ["news", "snapshot", "newest"];

export type OnDamage = (version: number, error: CorruptionError) => void;

/** Makes a snapshot of a document. @throws CorruptionError when it is damaged */
export type OpenSnapshot<S> = (version: number, text: string, key: Key) => S | Promise<S>;

/** Published snapshots: one document each, under its number. */
export type SnapshotStore<S> = ReturnType<typeof createSnapshotStore<S>>;

/** Parses a snapshot's document in this thread. */
export const parseSnapshot: OpenSnapshot<Snapshot> = (version, text, key) => ({
  version,
  ...parseDocument(key, text, snapshotDocument)!,
});

export function createSnapshotStore<S>(storage: Storage, onDamage: OnDamage, open: OpenSnapshot<S>) {
  const streamSnapshots = createStreamSnapshots(storage);

  /** Undefined before the first publication; a damaged pointer is replaced by the next one. */
  async function pointer(): Promise<number | undefined> {
    const number = Number(await storage.get(POINTER));
    return Number.isSafeInteger(number) && number > 0 ? number : undefined;
  }

  /** Number of the newest snapshot, 0 when there is none: two small reads. */
  async function newestNumber(): Promise<number> {
    let number = (await pointer()) ?? (await streamSnapshots.newest()).head;
    // A publisher that dies before it moves the pointer has published all the same.
    while (await storage.has(documentKey(number + 1))) number += 1;
    return number;
  }

  /** The snapshot of that number, or the newest one before it that can be read. Damage is reported. */
  async function readNewest(number: number): Promise<S | undefined> {
    for (let version = number; version > Math.max(0, number - KEPT); version--) {
      try {
        const key = documentKey(version);
        const text = await storage.get(key);
        if (text !== undefined) return await open(version, text, key);
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
        onDamage(version, error);
      }
    }
    const { snapshot } = await streamSnapshots.newest();
    return snapshot && open(snapshot.version, JSON.stringify(snapshot), documentKey(snapshot.version));
  }

  async function removeOld(newest: number): Promise<void> {
    for (let old = newest - KEPT; await storage.has(documentKey(old)); old--) await storage.remove(documentKey(old));
    // The first snapshot may still have to fall back to one of the stream.
    if (await storage.has(documentKey(newest - 1))) await streamSnapshots.trim();
  }

  return {
    newestNumber,
    readNewest,
    /** Publishes a snapshot as number `after + 1`, and removes old ones.
     * @param text the document
     * @returns its number; undefined when number `after` is not the newest any more
     * @throws StorageError when the storage fails; the snapshot may then be published or not */
    async publish(after: number, text: string): Promise<number | undefined> {
      const version = after + 1;
      if ((await newestNumber()) !== after) return undefined;
      if (!(await storage.create(documentKey(version), text))) return undefined;
      if (((await pointer()) ?? 0) < version) await storage.put(POINTER, String(version));
      try {
        await removeOld(version);
      } catch (error) {
        // The next publication removes them.
        if (!isOutage(error)) throw error;
      }
      return version;
    },
  };
}

function documentKey(version: number): Key {
  return ["news", "snapshot", String(version)];
}
