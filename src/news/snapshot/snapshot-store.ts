import { printKey } from "../../storage/documents.ts";
import { CorruptionError, isOutage, type Key, type Storage } from "../../storage/storage.ts";
import { applyPatch } from "./line-patch.ts";
import { createStreamSnapshots } from "./stream-snapshots.ts";
import { isDisabled, NO_FAILURE } from "../sources/source-pacing.ts";
import { parseSnapshot, printSnapshot, type PublishedDocument, snapshotKey } from "./snapshot-document.ts";

const KEPT = 3; // Number of newest snapshots kept: they are the fallbacks for a damaged one.
const MAX_PATCHES = 200; // Maximum number of consecutive snapshots stored as patches.
/** Header of a patch: the number of the full document below the chain of patches, and the total length of the chain. */
const HEAD = /^@(\d+) (\d+)\n/;

const POINTER: Key = ["news", "snapshot", "newest"]; // Number of the newest; may lag by up to KEPT.

export type OnDamage = (version: number, error: CorruptionError) => void;

/** Published snapshots, one document per number: a full document, or a patch of the previous snapshot while the chain of
 * patches is shorter than the full document. The bytes written thus depend on the changes. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>;

export function createSnapshotStore(storage: Storage, onDamage: OnDamage) {
  const streamSnapshots = createStreamSnapshots(storage);
  /** The snapshot last read or published: its number, number and length of its full document, length of its patches. */
  let last = { version: 0, base: 0, whole: 0, patches: 0 };

  const newestNumber = () => newestOf(storage, streamSnapshots);

  /** @throws CorruptionError when the patches do not apply */
  async function textOf(version: number): Promise<string | undefined> {
    const text = await storage.get(snapshotKey(version));
    const { base, patches } = headOf(version, text);
    const numbers = Array.from({ length: version - base }, (_, at) => base + at);
    const [whole, ...before] = await storage.getMany(numbers.map(snapshotKey));
    const all = [...before, text].map((patch = "") => patch.replace(HEAD, ""));
    const result = base === version ? text : applyPatch(whole ?? "", all);
    if (text !== undefined && result === undefined)
      throw new CorruptionError(printKey(snapshotKey(version)), "is a patch of another snapshot");
    last = { version, base, whole: (whole ?? text ?? "").length, patches };
    return result;
  }

  /** Opens the snapshot of that number, or the newest readable one before it. Damage is reported to `onDamage`. */
  async function readNewest<S>(number: number, open: (document: PublishedDocument) => S | Promise<S>) {
    for await (const version of readableFrom(storage, number)) {
      try {
        const text = await textOf(version);
        if (text !== undefined) return await open({ version, text });
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
        onDamage(version, error);
      }
    }
    const { document } = await streamSnapshots.newest();
    return document && open(document);
  }

  return {
    newestNumber,
    readNewest,
    /** The document of the snapshot of that number; undefined if it was removed. */
    async read(version: number): Promise<string | undefined> {
      const text = await textOf(version);
      if (text !== undefined) return text;
      const { document } = await streamSnapshots.newest();
      return document?.version === version ? document.text : undefined;
    },
    /** Publishes a snapshot as number `after + 1`, and removes old ones.
     * @param patch changes the text of number `after` to `text`
     * @returns its number; undefined when `after` is not the newest any more
     * @throws StorageError when the storage fails; the snapshot may then be published or not */
    async publish(after: number, text: string, patch?: string): Promise<number | undefined> {
      const version = after + 1;
      if ((await newestNumber()) !== after) return undefined;
      let next = { version, base: version, whole: text.length, patches: 0 };
      if (patch !== undefined && last.version === after) {
        const patches = last.patches + patch.length;
        if (patches <= last.whole && after - last.base < MAX_PATCHES) next = { ...last, version, patches };
      }
      const document = next.base === version ? text : `@${next.base} ${next.patches}\n${patch}`;
      if (!(await storage.create(snapshotKey(version), document))) return undefined;
      last = next;
      if (((await pointerOf(storage)) ?? 0) < version) await storage.put(POINTER, String(version));
      try {
        await removeOld(storage, version);
        // The first snapshot may still need one of the stream as fallback.
        if (await storage.has(snapshotKey(after))) await streamSnapshots.trim();
      } catch (error) {
        if (!isOutage(error)) throw error; // The next publication removes them.
      }
      return version;
    },
  };
}

/** Enables a disabled source for the next refresh: publishes the newest snapshot again, without the source's failures.
 * A refresh that runs meanwhile starts again. @returns whether it was disabled */
export async function enableSource(storage: Storage, id: string): Promise<boolean> {
  const store = createSnapshotStore(storage, () => undefined);
  for (;;) {
    const number = await store.newestNumber();
    const newest = await store.readNewest(number, parseSnapshot);
    const state = newest?.record.sources.find((source) => source.id === id);
    if (newest === undefined || state === undefined || !isDisabled(state)) return false;
    const sources = newest.record.sources.map((one) => (one === state ? { ...one, ...NO_FAILURE } : one));
    const text = printSnapshot({ ...newest, record: { ...newest.record, sources, partial: true } });
    if ((await store.publish(number, text)) !== undefined) return true;
  }
}

/** The header of a document; a full document is its own base. */
function headOf(version: number, text = "") {
  const [, base = version, patches = 0] = HEAD.exec(text) ?? [];
  return { base: Math.max(version - MAX_PATCHES, Math.min(Number(base), version)), patches: Number(patches) };
}

/** Undefined before the first publication; a damaged pointer is replaced by the next one. */
async function pointerOf(storage: Storage): Promise<number | undefined> {
  const number = Number(await storage.get(POINTER));
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

const baseOf = async (storage: Storage, version: number): Promise<number> =>
  headOf(version, await storage.get(snapshotKey(version))).base;

/** Numbers to try: the kept snapshots, newest first, then the base of the oldest one and the number before it. */
async function* readableFrom(storage: Storage, newest: number) {
  const oldest = Math.max(1, newest - KEPT + 1);
  for (let version = newest; version >= oldest; version--) yield version;
  const base = await baseOf(storage, oldest);
  yield* [base, base - 1].filter((version) => version > 0 && version < oldest);
}

/** Removes the snapshots that the kept ones do not need, oldest first, so that an interruption leaves no gap. */
async function removeOld(storage: Storage, newest: number): Promise<void> {
  const base = await baseOf(storage, Math.max(1, newest - KEPT + 1));
  let old = base;
  while (await storage.has(snapshotKey(old - 1))) old -= 1;
  for (; old < base; old++) await storage.remove(snapshotKey(old));
}

/** Number of the newest snapshot, 0 when there is none: two small reads. */
async function newestOf(storage: Storage, { newest }: ReturnType<typeof createStreamSnapshots>): Promise<number> {
  let number = (await pointerOf(storage)) ?? (await newest()).head;
  // A publisher that dies before it moves the pointer has published all the same.
  while (await storage.has(snapshotKey(number + 1))) number += 1;
  return number;
}
