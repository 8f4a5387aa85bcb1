import type { Storage } from "../../storage/storage.ts";
import { DAY_MS, daysBetween } from "../../runtime/clock.ts";
import { eventsOfDay } from "../log/day-log.ts";
import type { StoredEvent } from "../event.ts";

/** One user's feedback on an answer. */
export type UserFeedback = Pick<StoredEvent, "created_at" | "message_id" | "route" | "sub_intent"> & {
  readonly feedback_type: NonNullable<StoredEvent["feedback_type"]>;
};

type Recent = { readonly now: number; readonly days: number; readonly most: number };

/** Feedback on answers, newest first, of the last `days` UTC days up to `now` (ms). Reads whole days: for operators. */
export async function feedbackOf(storage: Storage, user: string, { now, days, most }: Recent): Promise<UserFeedback[]> {
  const found: UserFeedback[] = [];
  for (const day of daysBetween(now - (days - 1) * DAY_MS, now).reverse()) {
    const ofDay: UserFeedback[] = [];
    for await (const event of eventsOfDay(storage, day)) {
      const { user_id, feedback_type, created_at, message_id, route, sub_intent } = event;
      if (user_id !== user || feedback_type === undefined) continue;
      ofDay.push({ created_at, feedback_type, message_id, route, sub_intent });
    }
    found.push(...ofDay.sort((one, other) => (one.created_at < other.created_at ? 1 : -1)));
    if (found.length >= most) break;
  }
  return found.slice(0, most);
}
