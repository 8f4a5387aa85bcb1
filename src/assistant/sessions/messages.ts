import { z } from "zod";
import { chatAnswer } from "../../contract/schemas/assistant-schemas.ts";
import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import { readDocument, readDocuments } from "../../storage/documents.ts";
import { CorruptionError, type Key, type NewValue, type Storage } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";
import { createSessions } from "./sessions.ts";

/** An answered question, as it is stored: all of the answer except what only the ledger has. */
export const message = z.strictObject({
  user_id: z.string(),
  created_at: z.iso.datetime(),
  question: z.string(),
  ...chatAnswer.omit({ points_cost: true, credits_remaining: true }).shape,
  // What its event says beside; absent in answers of earlier builds.
  lang: z.string().optional(),
  outcome: z.enum(["answered", "unsure", "offered", "declined"]).optional(),
});

export type Message = z.infer<typeof message>;
type Draft = Omit<Message, "message_id" | "session_id" | "created_at">;

/** Answers and the sessions they belong to. A message is stored before it is charged for, so that a charge never lacks
 * its answer; it joins its session after the charge, so that a session only holds what was delivered. The ledger's entry
 * names both, so a turn that is not written yet is read from there, and one that never was is added later. */
export type Messages = ReturnType<typeof createMessages>;

/** @param deps.kept_days how long answers are kept; for ever when left out */
export function createMessages(deps: { storage: Storage; clock: Clock; ids: Ids; kept_days?: number | undefined }) {
  const { storage, clock, ids } = deps;
  const sessions = createSessions(deps);
  return {
    ...sessions,
    /** Gives an answer a new id and lets `store` store it. Without a session it opens one, whose id is the message's.
     * @param store with undefined, another id is tried */
    async create<T>(draft: Draft, session: number | undefined, store: (made: Message, value: NewValue) => Promise<T>) {
      for (;;) {
        const message_id = ids.integer();
        const made = { ...draft, message_id, session_id: session ?? message_id, created_at: toIso(clock.now()) };
        const stored = await store(made, { key: messageKey(message_id), value: JSON.stringify(made) });
        if (stored !== undefined) return stored;
      }
    },
    /** The answer to a question that was charged; undefined for one that was removed because of its age.
     * @throws CorruptionError when it is missing otherwise */
    async get(id: number): Promise<Message | undefined> {
      const found = await readDocument(storage, messageKey(id), message);
      if (found !== undefined || id < (await prunedBefore(storage))) return found;
      throw new CorruptionError(`messages/${id}`, "the answer is missing");
    },
    /** The last messages of a session, oldest first: see `recent` of {@link createSessions}. */
    history: async (...asked: Parameters<typeof sessions.recent>): Promise<Message[]> =>
      readMessages(storage, await sessions.recent(...asked)),
  };
}

/** The answers of these ids that are there, in the order asked for. */
export const readMessages = (storage: Storage, ids: readonly number[]): Promise<Message[]> =>
  readDocuments(storage, ids.map(messageKey), message);

/** Where an answer is stored. */
export const messageKey = (id: number): Key => ["messages", String(id)];

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
