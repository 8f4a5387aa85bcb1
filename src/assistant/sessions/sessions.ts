import { z } from "zod";
import { DAY_MS, type Clock } from "../../runtime/clock.ts";
import { leastIdAt } from "../../runtime/ids.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import type { EncodedSegment, Storage } from "../../storage/storage.ts";
import { Stream } from "../../storage/stream.ts";
import { streamItem } from "../../storage/keys.ts";

/** One turn of a session, as it is stored. */
export const sessionTurn = z.strictObject({ message_id: z.int() });
type SessionTurn = z.infer<typeof sessionTurn>;
type SessionMessage = SessionTurn & { readonly user_id: string; readonly session_id: number };
/** How many turns back one is searched for: answers made side by side may join in another order than their ids. */
const RECENT_TURNS = 16;
/** How many messages may be on their way into their sessions before a caller that adds another one waits for it. So many
 * a process that dies leaves out at most. */
export const MOST_JOINING = 64;

/** The turns of sessions: see `Messages`. */
export function createSessions(deps: { storage: Storage; clock: Clock; kept_days?: number | undefined }) {
  const { storage, clock, kept_days } = deps;
  const sessionOf = (user: string, session: number) =>
    new Stream(storage, ["users", user, "sessions", String(session)], sessionTurn);

  const inTurn = createKeyedMutex();
  const joining = new Set<Promise<void>>();
  const recentTurns = (stream: Stream<SessionTurn>, head: number, count = 0): Promise<SessionTurn[]> =>
    stream.read(head - Math.max(count, RECENT_TURNS) + 1, head);
  /** The last turns of a session, at least `count` of them, and which of these answers are not among them. */
  async function compare(user: string, session: number, count: number, charged: readonly number[]) {
    const stream = sessionOf(user, session);
    const read = async () => recentTurns(stream, await stream.head(), count);
    const turns = (await inTurn(sessionName(user, session), read)).map(({ message_id }) => message_id);
    // What is older than the turns that were read has its turn before them.
    const from = turns.length < Math.max(count, RECENT_TURNS) ? 0 : Math.min(...turns);
    const missing = charged.filter((id) => id >= from && id >= oldestKept() && !turns.includes(id));
    return { turns, missing };
  }
  const oldestKept = (): number => (kept_days === undefined ? 0 : leastIdAt(clock.now() - kept_days * DAY_MS));

  /** Adds a turn, unless it is among the recent ones: another caller that missed it may have been first. */
  async function append({ user_id, session_id, message_id }: SessionMessage): Promise<void> {
    const stream = sessionOf(user_id, session_id);
    // A session that this message opened has no turn yet.
    let head = session_id === message_id ? 0 : await stream.head();
    for (;;) {
      if ((await recentTurns(stream, head)).some((turn) => turn.message_id === message_id)) return;
      if ((await stream.append(head, { message_id }, { later: true })) === "created") return;
      head = await stream.headAfterRefusal(head);
    }
  }

  const sessions = {
    /** Whether the last turn is older than answers are kept: turns may go at any time, so nothing is added any more. */
    async isOver(user: string, session: number): Promise<boolean> {
      if (kept_days === undefined) return false;
      const stream = sessionOf(user, session);
      const last = await inTurn(sessionName(user, session), async () => stream.get(await stream.head()));
      return last !== undefined && last.message_id < oldestKept();
    },
    /** Adds a message to its session, after those of this process that were to join before it, and after `first`. */
    join(added: SessionMessage, first?: Promise<unknown>): Promise<void> {
      const name = sessionName(added.user_id, added.session_id);
      const joined = inTurn(name, () => Promise.resolve(first).then(() => append(added)));
      return sessions.follow(joined);
    },
    /** As `join`, but ends at once, unless many are on their way. @param failed is called with the reason when a message could not join */
    async joinLater(added: SessionMessage, first: Promise<unknown>, failed: (error: unknown) => void): Promise<void> {
      const joined = sessions.join(added, first).catch(failed);
      if (joining.size > MOST_JOINING) await joined;
    },
    /** Counts what follows a reply as on its way. */
    follow(work: Promise<void>): Promise<void> {
      joining.add(work);
      const leave = (): void => void joining.delete(work);
      work.then(leave, leave);
      return work;
    },
    /** Waits for what is on its way. */
    async settled(): Promise<void> {
      while (joining.size > 0) await Promise.allSettled(joining);
    },
    /** Those of the answers that a session should hold, oldest first, and does not. */
    missing: async (user: string, session: number, charged: readonly number[]): Promise<number[]> =>
      (await compare(user, session, MOST_JOINING, charged)).missing,
    /** The ids of the last `count` messages of a user's session, oldest first.
     * @param charged those of it that the user's last entries charged for: one that it lacks is on its way, or lost */
    async recent(user: string, session: number, count: number, charged: readonly number[] = []): Promise<number[]> {
      const { turns, missing } = await compare(user, session, count, charged);
      return [...turns, ...missing].toSorted((one, other) => one - other).slice(-count);
    },
  };
  return sessions;
}

const sessionName = (user: string, session: number): string => `${session}\n${user}`;

/** The turns of sessions, as a verification of ledgers reads them: a turn is written after its answer was charged. */
export const sessionTrace = {
  isAt: (key: readonly EncodedSegment[]): boolean => key[2]?.text === "sessions" && streamItem(key) !== undefined,
  schema: sessionTurn,
};
