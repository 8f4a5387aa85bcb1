import { z } from "zod";
import type { Storage } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";

/** Answers with ids below `before` may have been removed on purpose. */
const mark = z.strictObject({ before: z.int().min(1) });
const marksOf = (storage: Storage) => new Stream(storage, ["retention", "answers"], mark);

/** The least id of an answer that must be there once it was charged for: 0 where none was ever pruned. */
export async function prunedBefore(storage: Storage): Promise<number> {
  const marks = marksOf(storage);
  const head = await marks.head();
  return head === 0 ? 0 : ((await marks.get(head))?.before ?? 0);
}

/** Records, before any is removed, that answers with ids below this one are. The mark never falls, even when another process sets one. */
export async function markPruned(storage: Storage, before: number): Promise<void> {
  const marks = marksOf(storage);
  for (;;) {
    const head = await marks.head();
    if (head > 0 && ((await marks.get(head))?.before ?? 0) >= before) return;
    if ((await marks.append(head, { before })) === "created") return;
  }
}
