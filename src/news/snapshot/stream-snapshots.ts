import { z } from "zod";
import { cachedPromise } from "../../runtime/cache/cached-promise.ts";
import { readDocument } from "../../storage/documents.ts";
import { catchDamage, type Key, type Storage } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";
import { type PublishedDocument, snapshotDocument, snapshotRecord } from "./snapshot-document.ts";

const TRIED = 40; // Maximum number of items searched for a readable snapshot.
const TRIMMED_AT_ONCE = 100;
const STREAM: Key = ["news", "snapshots"];
const HEAD: Key = [...STREAM, "head"];
const PARTS = ["items", "topics", "notices", "help"] as const;

const streamClaim = z.object({ claim: z.string() }); // Marks a snapshot that a process was building.
/** Each part of a snapshot was a document of its own, named as `DOCUMENT.DIGEST`. */
const streamRecord = snapshotRecord.extend({ parts: z.record(z.enum(PARTS), z.string()) });

/** Snapshots in the format of version 0.1.0 until 2026-11: a stream of records and claims, `news/snapshots`, and one
 * document per part of a record. They are shown until the first refresh, then removed in steps. */
export function createStreamSnapshots(storage: Storage) {
  const stream = new Stream(storage, STREAM, z.union([streamClaim, streamRecord]));
  let isGone = false;

  /** Items are removed newest first, so a head beyond the last item does not mean that items are lost. */
  async function headOf(): Promise<number> {
    const head = await orUndefined(stream.head());
    if (head !== undefined) return head;
    await storage.remove(HEAD);
    return stream.head();
  }

  /** A record with all its parts, as one document; undefined for a claim. @throws CorruptionError */
  async function textOf(version: number) {
    const item = await stream.get(version);
    if (item === undefined || "claim" in item) return undefined;
    const { parts: references, ...record } = item;
    const read = PARTS.map(async (name) => [name, await readDocument(storage, partKey(references[name]), z.unknown())]);
    const parts = snapshotDocument.shape.parts.safeParse(Object.fromEntries(await Promise.all(read))).data;
    return parts && JSON.stringify({ record, parts });
  }

  return {
    /** Number of the stream's last item (0 when there is none), and the newest snapshot that can be read. */
    newest: cachedPromise(async (): Promise<{ head: number; document?: PublishedDocument }> => {
      const head = await headOf();
      for (let version = head; version > Math.max(0, head - TRIED); version--) {
        const text = await orUndefined(textOf(version));
        // It gets the number of the stream's last item, so that the next snapshot has a greater number than all items.
        if (text !== undefined) return { head, document: { version: head, text } };
      }
      return { head };
    }),
    /** Removes some of the newest items and their parts, which leaves a stream without gaps. */
    async trim() {
      if (isGone) return;
      let version = await headOf();
      await storage.remove(HEAD);
      for (const last = Math.max(0, version - TRIMMED_AT_ONCE); version > last; version--) {
        const item = await orUndefined(stream.get(version));
        const parts =
          item && ("claim" in item ? PARTS.map((name) => `${item.claim}-${name}`) : Object.values(item.parts));
        for (const reference of parts ?? []) await storage.remove(partKey(reference));
        await storage.remove(stream.keyOf(version));
      }
      isGone = version === 0;
    },
  };
}

const partKey = (reference: string): Key => ["news", `part-${reference.split(".")[0]!}`];
const orUndefined = <T>(read: Promise<T>): Promise<T | undefined> => catchDamage(read, () => undefined);
