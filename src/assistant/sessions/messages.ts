import { z } from "zod";
import { chatAnswer } from "../../contract/schemas/assistant-schemas.ts";
import { DAY_MS, toIso, type Clock } from "../../runtime/clock.ts";
import { leastIdAt, type Ids } from "../../runtime/ids.ts";
import { readDocument, readDocuments } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage-errors.ts";
import type { EncodedSegment, Key, Storage } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";
import { streamItem } from "../../storage/keys.ts";
import { prunedBefore } from "./pruned-answers.ts";

/** An answered question, as it is stored: all of the answer except what only the ledger has. */
export const message = z.strictObject({
  user_id: z.string(),
  created_at: z.iso.datetime(),
  question: z.string(),
  ...chatAnswer.omit({ points_cost: true, credits_remaining: true }).shape,
});

export type Message = z.infer<typeof message>;

/** One turn of a session, as it is stored. */
export const sessionTurn = z.strictObject({ message_id: z.int() });

/** How many turns back one is searched for: answers made side by side may join in another order than their ids. */
const RECENT_TURNS = 16;

/** Answers and the sessions they belong to. A message is stored before it is charged for, so that a charge never lacks
 * its answer; it joins its session after the charge, so that a session only holds what was delivered. */
export type Messages = ReturnType<typeof createMessages>;

/** @param deps.kept_days how long answers are kept; for ever when left out */
export function createMessages(deps: { storage: Storage; clock: Clock; ids: Ids; kept_days?: number | undefined }) {
  const { storage, clock, ids, kept_days } = deps;
  const sessionOf = (user: string, session: number) =>
    new Stream(storage, ["users", user, "sessions", String(session)], sessionTurn);

  const messages = {
    /** Stores an answer under a new id. Without a session it opens one, whose id is the message's. */
    async create(
      draft: Omit<Message, "message_id" | "session_id" | "created_at">,
      session: number | undefined,
    ): Promise<Message> {
      for (;;) {
        const message_id = ids.integer();
        const made: Message = {
          ...draft,
          message_id,
          session_id: session ?? message_id,
          created_at: toIso(clock.now()),
        };
        if (await storage.create(messageKey(message_id), JSON.stringify(made))) return made;
      }
    },
    /** The answer to a question that was charged; undefined for one that was removed because of its age.
     * @throws CorruptionError when it is missing otherwise */
    async get(id: number): Promise<Message | undefined> {
      const found = await readDocument(storage, messageKey(id), message);
      if (found !== undefined || id < (await prunedBefore(storage))) return found;
      throw new CorruptionError(`messages/${id}`, "the answer is missing");
    },
    /** Whether a session's last turn is older than answers are kept. Its turns may be removed at any time, so nothing is
     * added to it any more. */
    async isOver(user: string, session: number): Promise<boolean> {
      if (kept_days === undefined) return false;
      const stream = sessionOf(user, session);
      const last = await stream.get(await stream.head());
      return last !== undefined && last.message_id < leastIdAt(clock.now() - kept_days * DAY_MS);
    },
    async join({ user_id, session_id, message_id }: Message): Promise<void> {
      const stream = sessionOf(user_id, session_id);
      for (
        // A session that this message opened has no turn yet.
        let head = session_id === message_id ? 0 : await stream.head();
        (await stream.append(head, { message_id })) !== "created";
        head = await stream.headAfterRefusal(head)
      ) {
        // The turn that was first may be ours, if the reply to an earlier write was lost.
        if ((await stream.get(head + 1))?.message_id === message_id) return;
      }
    },
    /** Adds a message that an earlier call was charged for, unless it has joined or later turns have. */
    async rejoin(again: Message): Promise<void> {
      const stream = sessionOf(again.user_id, again.session_id);
      const head = await stream.head();
      const recent = await stream.read(head - RECENT_TURNS + 1, head);
      if (recent.every(({ message_id }) => message_id < again.message_id)) await messages.join(again);
    },
    /** The last `count` messages of a user's session, oldest first. */
    async history(user: string, session: number, count: number): Promise<Message[]> {
      const stream = sessionOf(user, session);
      const head = await stream.head();
      const turns = await stream.read(head - count + 1, head);
      return readMessages(
        storage,
        turns.map(({ message_id }) => message_id),
      );
    },
  };
  return messages;
}

/** The answers of these ids that are there, in the order asked for. */
export function readMessages(storage: Storage, ids: readonly number[]): Promise<Message[]> {
  return readDocuments(storage, ids.map(messageKey), message);
}

/** The turns of sessions, as a verification of ledgers reads them: a turn is written after its answer was charged. */
export const sessionTrace = {
  isAt: (key: readonly EncodedSegment[]): boolean => key[2]?.text === "sessions" && streamItem(key) !== undefined,
  schema: sessionTurn,
};

/** Where an answer is stored. */
export function messageKey(id: number): Key {
  return ["messages", String(id)];
}
