import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import { utcDay } from "../../runtime/clock.ts";
import { readEvents, type TimeRange } from "../log/day-log.ts";
import { userHash } from "./hot-questions.ts";

/** Counts the events of the range by reading them all; memory per user. @param dayOf the day of ms; UTC by default */
export async function countEvents(storage: Storage, range: TimeRange, onSkipped?: OnSkipped, dayOf = utcDay) {
  let events = 0;
  const users = new Set<number>();
  const types = new Map<string, number>();
  const days = new Map<string, number>();
  const feedback = { helpful: 0, inaccurate: 0 };
  for await (const event of readEvents(storage, range, onSkipped)) {
    events += 1;
    users.add(userHash(event.user_id));
    types.set(event.event_type, (types.get(event.event_type) ?? 0) + 1);
    const day = dayOf(Date.parse(event.created_at));
    days.set(day, (days.get(day) ?? 0) + 1);
    if (event.feedback_type !== undefined) feedback[event.feedback_type] += 1;
  }
  const by_type = [...types].map(([event_type, count]) => ({ event_type, count }));
  by_type.sort((a, b) => b.count - a.count || (a.event_type < b.event_type ? -1 : 1));
  const by_day = [...days].map(([day, count]) => ({ day, count })).sort((a, b) => (a.day < b.day ? -1 : 1));
  return { events, users: users.size, by_type, by_day, feedback };
}
