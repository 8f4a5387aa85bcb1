import type { Storage } from "../../storage/storage.ts";
import { loggedEvents, type DayRange, type OnSkipped } from "../log/day-log.ts";
import { userHash } from "./hot-questions.ts";

/** Counts of the events in a range of days. */
export type EventStats = Awaited<ReturnType<typeof countEvents>>;

/**
 * Counts the events of the range by reading them all; memory holds one number per user.
 *
 * @param onSkipped as of `batchesAfter`
 * @throws AnpError 422 when a bound of the range is not a day
 */
export async function countEvents(storage: Storage, range: DayRange, onSkipped?: OnSkipped) {
  let events = 0;
  const users = new Set<number>();
  const types = new Map<string, number>();
  const days = new Map<string, number>();
  const feedback = { helpful: 0, inaccurate: 0 };
  for await (const event of loggedEvents(storage, range, onSkipped)) {
    events += 1;
    users.add(userHash(event.user_id));
    types.set(event.event_type, (types.get(event.event_type) ?? 0) + 1);
    const day = event.created_at.slice(0, 10);
    days.set(day, (days.get(day) ?? 0) + 1);
    if (event.feedback_type !== undefined) feedback[event.feedback_type] += 1;
  }
  const byType = [...types].map(([event_type, count]) => ({ event_type, count }));
  byType.sort((a, b) => b.count - a.count || (a.event_type < b.event_type ? -1 : 1));
  const by_day = [...days].map(([day, count]) => ({ day, count }));
  /** Different users, types with the most frequent first, and the days that have events, in order. */
  return { events, users: users.size, by_type: byType, by_day, feedback };
}
