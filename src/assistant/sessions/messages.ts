import { z } from "zod";
import { chatAnswer } from "../../contract/schemas/assistant-schemas.ts";
import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import { parseDocument, readDocument } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage-errors.ts";
import type { EncodedSegment, Key, Storage } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";
import { streamItem } from "../../storage/keys.ts";

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

/**
 * Answers and the sessions they belong to. A message is stored before it is charged for, so that a charge never lacks
 * its answer; it joins its session after the charge, so that a session only holds what was delivered.
 */
export type Messages = ReturnType<typeof createMessages>;

export function createMessages(deps: { storage: Storage; clock: Clock; ids: Ids }) {
  const { storage, clock, ids } = deps;
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
    async get(id: number): Promise<Message> {
      const found = await readDocument(storage, messageKey(id), message);
      if (found === undefined) throw new CorruptionError(`messages/${id}`, "the answer is missing");
      return found;
    },
    /** Adds a message to its session. */
    async join({ user_id, session_id, message_id }: Message): Promise<void> {
      const stream = sessionOf(user_id, session_id);
      for (
        // A session that this message opened has no turn yet.
        let head = session_id === message_id ? 0 : await stream.head();
        (await stream.append(head, { message_id })) !== "appended";
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
export async function readMessages(storage: Storage, ids: readonly number[]): Promise<Message[]> {
  const keys = ids.map(messageKey);
  const texts = await storage.getMany(keys);
  return texts.flatMap((text, index) => parseDocument(keys[index]!, text, message) ?? []);
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
