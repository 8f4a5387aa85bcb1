import { CorruptionError, isOutage } from "../../storage/storage-errors.ts";
import type { Key, Storage } from "../../storage/storage.ts";
import { createStreamSnapshots } from "./stream-snapshots.ts";
import { type PublishedDocument, snapshotKey } from "./snapshot-document.ts";

const KEPT = 3; // So many of the newest snapshots are kept: a damaged newest one falls back to the one before it.

const POINTER: Key = ["news", "snapshot", "newest"]; // The newest; may lag by as many as are kept.

export type OnDamage = (version: number, error: CorruptionError) => void;

/** Published snapshots: one document each, under its number. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>;

export function createSnapshotStore(storage: Storage, onDamage: OnDamage) {
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
    while (await storage.has(snapshotKey(number + 1))) number += 1;
    return number;
  }

  /** What `open` makes of the snapshot of that number, or the newest readable one before. Damage is reported. */
  async function readNewest<S>(number: number, open: (document: PublishedDocument) => S | Promise<S>) {
    for (let version = number; version > Math.max(0, number - KEPT); version--) {
      try {
        const text = await storage.get(snapshotKey(version));
        if (text !== undefined) return await open({ version, text });
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
        onDamage(version, error);
      }
    }
    const { document } = await streamSnapshots.newest();
    return document && open(document);
  }

  async function removeOld(newest: number): Promise<void> {
    for (let old = newest - KEPT; await storage.has(snapshotKey(old)); old--) await storage.remove(snapshotKey(old));
    // The first snapshot may still have to fall back to one of the stream.
    if (await storage.has(snapshotKey(newest - 1))) await streamSnapshots.trim();
  }

  return {
    newestNumber,
    readNewest,
    /** The document of the snapshot of that number; undefined when it is not there any more. */
    async read(version: number): Promise<string | undefined> {
      const text = await storage.get(snapshotKey(version));
      if (text !== undefined) return text;
      const { document } = await streamSnapshots.newest();
      return document?.version === version ? document.text : undefined;
    },
    /** Publishes a snapshot as number `after + 1`, and removes old ones.
     * @returns its number; undefined when `after` is not the newest any more
     * @throws StorageError when the storage fails; the snapshot may then be published or not */
    async publish(after: number, text: string): Promise<number | undefined> {
      const version = after + 1;
      if ((await newestNumber()) !== after) return undefined;
      if (!(await storage.create(snapshotKey(version), text))) return undefined;
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
