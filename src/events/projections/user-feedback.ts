import type { Storage } from "../../storage/storage.ts";
import { collect } from "../../runtime/batches.ts";
import { DAY_MS, daysBetween } from "../../runtime/clock.ts";
import { eventsOfDay } from "../log/day-log.ts";
import type { StoredEvent } from "../event.ts";

type Recent = { readonly now: number; readonly days: number; readonly limit: number };

/** One user's feedback of the last `days` UTC days up to `now` (ms), newest first. Reads whole days: for operators. */
export async function feedbackOf(storage: Storage, user: string, { now, days, limit }: Recent) {
  const found: StoredEvent[] = [];
  const isWanted = ({ user_id, feedback_type }: StoredEvent) => user_id === user && feedback_type !== undefined;
  for (const day of daysBetween(now - (days - 1) * DAY_MS, now).reverse()) {
    const ofDay = await collect(eventsOfDay(storage, day), isWanted);
    found.push(...ofDay.sort((one, other) => (one.created_at < other.created_at ? 1 : -1)));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit).map(({ created_at, feedback_type, message_id, route, sub_intent }) => {
    return { created_at, feedback_type, message_id, route, sub_intent };
  });
}
