import { z } from "zod";
import { chatAnswer } from "../../contract/schemas/assistant-schemas.ts";
import { DAY_MS, toIso, type Clock } from "../../runtime/clock.ts";
import { minIdAt, type Ids } from "../../runtime/ids.ts";
import { createBackground } from "../../runtime/background.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { readDocument, readDocuments } from "../../storage/documents.ts";
import { encodeKey, streamItem } from "../../storage/keys.ts";
import type { EncodedSegment, Key, NewValue, Storage } from "../../storage/storage.ts";
import { CorruptionError, StorageError } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";

/** An answered question, as it is stored: all of the answer except what only the ledger has. */
export const message = z.strictObject({
  user_id: z.string(),
  created_at: z.iso.datetime(),
  question: z.string(),
  ...chatAnswer.omit({ points_cost: true, credits_remaining: true }).shape,
  // Further fields of its event; absent in answers of earlier builds.
  lang: z.string().optional(),
  outcome: z.enum(["answered", "unsure", "offered", "declined"]).optional(),
});

export type Message = z.infer<typeof message>;
type Draft = Omit<Message, "message_id" | "session_id" | "created_at">;

/** Answers and their sessions. A message is stored before its charge, so that every charge has its answer; it joins its
 * session after the charge, so that a session has only delivered answers. The ledger entry names message and session, so
 * that a turn not written yet is read from there, and a missing turn is added later. */
export type Messages = ReturnType<typeof createMessages>;

/** @param deps.kept_days retention of answers, days; unlimited by default */
export function createMessages(deps: SessionDeps & { ids: Ids }) {
  const { storage, clock, ids } = deps;
  const sessions = createSessions(deps);
  return {
    ...sessions,
    /** Gives an answer a new id and stores it by `store`. Without a session it opens one, whose id is the message's.
     * @param store returns undefined if the id is taken; another id is then tried */
    async create<T>(draft: Draft, session: number | undefined, store: (made: Message, value: NewValue) => Promise<T>) {
      for (;;) {
        const message_id = ids.integer();
        const made = { ...draft, message_id, session_id: session ?? message_id, created_at: toIso(clock.now()) };
        const stored = await store(made, { key: messageKey(message_id), value: JSON.stringify(made) });
        if (stored !== undefined) return stored;
      }
    },
    /** The answer to a charged question; undefined if retention removed it.
     * @throws CorruptionError when it is missing for another reason */
    async get(id: number): Promise<Message | undefined> {
      const found = await readDocument(storage, messageKey(id), message);
      if (found !== undefined || id < (await prunedBefore(storage))) return found;
      throw new CorruptionError(`messages/${id}`, "the answer is missing");
    },
  };
}

/** The existing answers of these ids, in the order of the ids. */
export const readMessages = (storage: Storage, ids: readonly number[]): Promise<Message[]> =>
  readDocuments(storage, ids.map(messageKey), message);

/** The storage key of an answer. */
export const messageKey = (id: number): Key => ["messages", String(id)];

const mark = z.strictObject({ before: z.int().min(1) }); // Retention may have removed answers with ids below `before`.
const marksOf = (storage: Storage) => new Stream(storage, ["retention", "answers"], mark);

/** The lowest id of an answer that must exist after its charge; 0 if none was ever pruned. */
export async function prunedBefore(storage: Storage): Promise<number> {
  const marks = marksOf(storage);
  const head = await marks.head();
  return head === 0 ? 0 : ((await marks.get(head))?.before ?? 0);
}

/** Records, before the removal, that answers with ids below `before` are removed. The mark never falls in any process. */
export async function markPruned(storage: Storage, before: number): Promise<void> {
  const marks = marksOf(storage);
  for (;;) {
    const head = await marks.head();
    if (head > 0 && ((await marks.get(head))?.before ?? 0) >= before) return;
    if ((await marks.append(head, { before })) === "created") return;
  }
}

/** One turn of a session, as it is stored. */
export const sessionTurn = z.strictObject({ message_id: z.int() });
type SessionTurn = z.infer<typeof sessionTurn>;
type SessionMessage = SessionTurn & { readonly user_id: string; readonly session_id: number };
/** Recent turns that are searched for a message: concurrent answers may join in another order than their ids. */
const RECENT_TURNS = 16;
const MOST_JOINING = 256; // Messages that may be joining their sessions before `joinLater` waits.
export const MAX_MISSING = 64; // Last entries and turns of a user that are compared to find turns that a dead process did not write.

/** The storage's generation when the charge was read, and the number of recent turns that may already have the message. */
type Joining = { readonly generation: number; readonly among: number };

type SessionDeps = { storage: Storage; clock: Clock; kept_days?: number | undefined };

/** The turns of sessions: see `Messages`. The turn of the message that opened a session is stored as a value under the
 * session's name, because most sessions have no other turn, and a stream needs its own folders. */
function createSessions({ storage, clock, kept_days }: SessionDeps) {
  const sessionOf = (user: string, session: number) =>
    new Stream(storage, ["users", user, "sessions", String(session)], sessionTurn);

  const inTurn = createKeyedMutex();
  const { size, follow, settled } = createBackground();
  /** The last turns of a session, at least `count`, and the ids in `charged` that are missing from them. */
  async function compare(user: string, session: number, count: number, charged: readonly number[]) {
    const stream = sessionOf(user, session);
    const read = async () => recentTurns(storage, stream, await stream.head(), count);
    const turns = await inTurn(sessionName(user, session), read);
    // Older answers have their turns before those that were read.
    const from = turns.length < Math.max(count, RECENT_TURNS) ? 0 : Math.min(...turns);
    return { turns, missing: charged.filter((id) => id >= from && id >= oldestKept() && !turns.includes(id)) };
  }
  const oldestKept = (): number => (kept_days === undefined ? 0 : minIdAt(clock.now() - kept_days * DAY_MS));

  /** Adds a turn unless the recent turns have it: another caller may have added it first. */
  async function append({ user_id, session_id, message_id }: SessionMessage, { generation, among }: Joining) {
    const stream = sessionOf(user_id, session_id);
    // A failover, or a copy that replaced the folder, may have lost the charge.
    const checkCharge = (): void => {
      if (storage.generation() !== generation) throw new StorageError("The storage was exchanged since the charge.");
    };
    if (session_id === message_id) {
      checkCharge();
      // If it already exists, another caller wrote it. After a power failure it is missing, and written again.
      await storage.create(stream.name, OPENED, { later: true });
      return;
    }
    for (let head = await stream.head(); ; head = await stream.headAfterRefusal(head)) {
      if ((await recentTurns(storage, stream, head, among)).includes(message_id)) return;
      checkCharge();
      if ((await stream.append(head, { message_id }, { later: true })) === "created") return;
    }
  }

  const sessions = {
    /** Whether the last turn is beyond retention: turns may be removed at any time, so no turn is added any more. */
    async isOver(user: string, session: number): Promise<boolean> {
      if (kept_days === undefined) return false;
      const last = await inTurn(sessionName(user, session), () => lastTurn(storage, sessionOf(user, session)));
      return last !== undefined && last.message_id < oldestKept();
    },
    /** Adds a message to its session, after `first` and after the earlier calls of this process for that session. */
    join(added: SessionMessage, first?: Promise<unknown>, how: Partial<Joining> = {}): Promise<void> {
      const name = sessionName(added.user_id, added.session_id);
      first?.catch(() => undefined); // It may fail before its turn comes.
      const joining = { generation: storage.generation(), among: RECENT_TURNS, ...how };
      return follow(inTurn(name, () => Promise.resolve(first).then(() => append(added, joining))));
    },
    /** Like `join`, but resolves immediately unless many messages are joining.
     * @param failed is called with the reason when a message could not join, or `first` failed */
    async joinLater(added: SessionMessage, first: Promise<unknown>, failed: (error: unknown) => void): Promise<void> {
      const joined = sessions.join(added, first).catch(failed);
      if (size() > MOST_JOINING) await joined;
    },
    follow, // Counts work after a reply as pending.
    settled, // Waits for pending work.
    /** The ids in `charged` that a session lacks, oldest first. */
    missing: async (user: string, session: number, charged: readonly number[]): Promise<number[]> =>
      (await compare(user, session, MAX_MISSING, charged)).missing,
    /** The last `count` messages of a user's session, oldest first.
     * @param charged the session's messages in the user's last ledger entries; one without a turn is pending or lost */
    async history(user: string, session: number, count: number, charged: readonly number[] = []): Promise<Message[]> {
      const { turns, missing } = await compare(user, session, count, charged);
      return readMessages(storage, [...turns, ...missing].toSorted((one, other) => one - other).slice(-count));
    },
  };
  return sessions;
}

const sessionName = (user: string, session: number): string => `${session}\n${user}`;

/** The messages of the last turns: at least `count` and at least `RECENT_TURNS`, or all. */
async function recentTurns(storage: Storage, stream: Stream<SessionTurn>, head: number, count = 0): Promise<number[]> {
  const turns = await stream.read(head - Math.max(count, RECENT_TURNS) + 1, head);
  if (turns.length === head) turns.unshift(...(await firstTurn(storage, stream)));
  return [...new Set(turns.map(({ message_id }) => message_id))];
}

/** What is stored for the message that opened a session, whose id is the session's: the same text for all sessions, which
 * files need not store again. Earlier builds stored the id. */
const OPENED = JSON.stringify({ message_id: 0 });

/** The turn of the message that opened a session; none if the session was opened without one, or by an earlier build. */
async function firstTurn(storage: Storage, { name }: Stream<SessionTurn>): Promise<SessionTurn[]> {
  return (await readDocuments(storage, [name], sessionTurn)).map((turn) => ({ message_id: messageOf(turn, name) }));
}

const messageOf = ({ message_id }: SessionTurn, key: Key): number =>
  message_id || Number(encodeKey(key).split(":").at(-1));

/** The last turn of a session; undefined if it has none. */
export async function lastTurn(storage: Storage, session: Stream<SessionTurn>): Promise<SessionTurn | undefined> {
  return (await session.get(await session.head())) ?? (await firstTurn(storage, session))[0];
}

/** The keys and schema of session turns for ledger verification: a turn is written after the charge of its answer. */
export const sessionTrace = {
  isAt: (key: readonly EncodedSegment[]): boolean =>
    key[2]?.text === "sessions" && (key.length === 4 || streamItem(key) !== undefined),
  schema: sessionTurn,
  answerOf: messageOf,
};
