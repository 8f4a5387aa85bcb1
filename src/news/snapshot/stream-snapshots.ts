import { z } from "zod";
import { readDocument } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage-errors.ts";
import type { Parts } from "../items/stored-items.ts";
import type { Key, Storage } from "../../storage/storage.ts";
import { openStream } from "../../storage/stream.ts";
import { type Snapshot, snapshotDocument, snapshotRecord } from "./snapshot-document.ts";

/** Items that are looked at for a snapshot that can be read. */
const TRIED = 20;
/** Stream items removed at a time. */
const TRIMMED = 100;

const PARTS = ["items", "topics", "notices", "help"] as const;

/** Each part of a snapshot was a document of its own, named as `DOCUMENT.DIGEST`. */
const streamRecord = snapshotRecord.extend({
  previous: z.int().min(0),
  parts: z.record(z.enum(PARTS), z.string()),
});
/** The sign of a process that was making a snapshot. */
const streamClaim = z.object({ claim: z.string(), snapshot: z.int().min(0) });
const streamItem = z.union([streamClaim, streamRecord]);

type StreamItem = z.infer<typeof streamItem>;
type References = z.infer<typeof streamRecord>["parts"];

/**
 * News that version 0.1.0 published until 2026-11: a stream of records and claims, `news/snapshots`, with the parts of
 * the records beside it. They are shown until the first refresh, then removed step by step.
 */
export interface StreamSnapshots {
  /** Number of the stream's last item (0 when there is none), and the newest snapshot that can be read. */
  newest(): Promise<{ readonly head: number; readonly snapshot: Snapshot | undefined }>;
  /** Removes some of the newest items and their parts: what is left is a stream without a gap. */
  trim(): Promise<void>;
}

export function createStreamSnapshots(storage: Storage): StreamSnapshots {
  const stream = openStream(storage, ["news", "snapshots"], streamItem);
  let found: ReturnType<StreamSnapshots["newest"]> | undefined;
  let isGone = false;

  const itemAt = (version: number): Promise<StreamItem | undefined> => orUndefined(stream.get(version));

  async function readParts(references: References): Promise<Parts | undefined> {
    const read = (name: keyof Parts): Promise<unknown> =>
      orUndefined(readDocument(storage, partKey(references[name]), z.unknown()));
    const parts = await Promise.all(PARTS.map(async (name) => [name, await read(name)] as const));
    return snapshotDocument.shape.parts.safeParse(Object.fromEntries(parts)).data;
  }

  async function find(): ReturnType<StreamSnapshots["newest"]> {
    const head = await stream.head();
    let version = head;
    for (let tried = 0; version > 0 && tried < TRIED; tried++) {
      const item = await itemAt(version);
      if (item === undefined) version -= 1;
      else if ("claim" in item) version = item.snapshot;
      else {
        const { previous, parts: references, ...record } = item;
        const parts = await readParts(references);
        // It counts as the stream's last item, so that the next snapshot has a greater number than all of them.
        if (parts !== undefined) return { head, snapshot: { version: head, record, parts } };
        version = previous;
      }
    }
    return { head, snapshot: undefined };
  }

  async function removeParts(item: StreamItem): Promise<void> {
    const keys = PARTS.map((name) => partKey("claim" in item ? `${item.claim}-${name}` : item.parts[name]));
    for (const key of keys) if (await storage.has(key)) await storage.remove(key);
  }

  return {
    newest() {
      found ??= find().catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    },
    async trim() {
      if (isGone) return;
      let version = await stream.head();
      for (const last = Math.max(0, version - TRIMMED); version > last; version--) {
        const item = await itemAt(version);
        if (item !== undefined) await removeParts(item);
        await storage.remove(stream.keyOf(version));
      }
      isGone = version === 0;
    },
  };
}

function partKey(reference: string): Key {
  return ["news", `part-${reference.split(".")[0]!}`];
}

async function orUndefined<T>(read: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof CorruptionError) return undefined;
    throw error;
  }
}
