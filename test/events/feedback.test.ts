import { describe, expect, it } from "vitest";
import fc from "fast-check";
import {
  emptyFeedbackDay,
  FEEDBACK_LIMITS,
  foldFeedback,
  summarizeFeedback,
} from "../../src/events/projections/feedback.ts";
import type { StoredEvent } from "../../src/events/event.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { HOUR, openEvents } from "./open-events.ts";

type Vote = "helpful" | "inaccurate";

function vote(feedback_type: Vote, of: { route?: string; sub_intent?: string; message_id?: number }): StoredEvent {
  return {
    created_at: "2026-11-20T12:00:00.000Z",
    user_id: "a",
    event_type: "answer_feedback",
    feedback_type,
    ...of,
  };
}

describe("feedback", () => {
  it("counts by route and sub-intent, and by message", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const withdrawal = { user_id: "a", event_type: "answer_feedback", route: "help", sub_intent: "withdrawal" };
    await events.record({ ...withdrawal, message_id: 1, feedback_type: "helpful" });
    await events.record({ ...withdrawal, message_id: 2, feedback_type: "inaccurate" });
    await events.record({ ...withdrawal, user_id: "b", message_id: 2, feedback_type: "inaccurate" });
    await events.record({ user_id: "c", event_type: "thumbs", route: "news", feedback_type: "helpful" });
    await events.record({ user_id: "c", event_type: "thumbs", message_id: 1, feedback_type: "helpful" });
    await events.record({ user_id: "c", event_type: "page_view", message_id: 1, route: "help" });
    expect(await events.feedback({ days: 1 })).toEqual({
      helpful: 3,
      inaccurate: 2,
      by_route: [
        { route: "help", sub_intent: "withdrawal", helpful: 1, inaccurate: 2 },
        { route: "news", sub_intent: null, helpful: 1, inaccurate: 0 },
        { route: null, sub_intent: null, helpful: 1, inaccurate: 0 },
      ],
      by_message: [
        { message_id: 2, helpful: 0, inaccurate: 2 },
        { message_id: 1, helpful: 2, inaccurate: 0 },
      ],
    });
  });

  it("adds the last UTC days up", async () => {
    const { events, clock } = openEvents(await openStorage("memory:"));
    for (let day = 0; day < 3; day++) {
      await events.record({ user_id: "a", event_type: "thumbs", message_id: 5, feedback_type: "helpful" });
      clock.advance(24 * HOUR);
    }
    clock.advance(-24 * HOUR);
    expect(await events.feedback({ days: 1 })).toMatchObject({ helpful: 1 });
    expect(await events.feedback({ days: 2 })).toMatchObject({ helpful: 2 });
    expect(await events.feedback({ days: 30 })).toMatchObject({ by_message: [{ message_id: 5, helpful: 3 }] });
    await expect(events.feedback({ days: 31 })).rejects.toThrow(RangeError);
  });

  it("does not depend on the order of the events, nor on the days they are spread over", () => {
    const event = fc.record({
      feedback_type: fc.constantFrom<Vote>("helpful", "inaccurate"),
      of: fc.record(
        {
          route: fc.constantFrom("help", "news"),
          sub_intent: fc.constantFrom("x", "y", "__proto__"),
          message_id: fc.integer({ min: 1, max: 4 }),
        },
        { requiredKeys: [] },
      ),
      day: fc.integer({ min: 0, max: 2 }),
    });
    const permuted = fc
      .array(event, { maxLength: 40 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(permuted, ([all, shuffled]) => {
        const one = emptyFeedbackDay();
        for (const { feedback_type, of } of all) foldFeedback(one, vote(feedback_type, of));
        const days = [emptyFeedbackDay(), emptyFeedbackDay(), emptyFeedbackDay()];
        for (const { feedback_type, of, day } of shuffled) foldFeedback(days[day]!, vote(feedback_type, of));
        expect(summarizeFeedback(days)).toEqual(summarizeFeedback([one]));
      }),
    );
  });

  it("keeps a day's memory bounded, and the totals right", () => {
    const day = emptyFeedbackDay();
    const many = FEEDBACK_LIMITS.messages + 5;
    for (let n = 1; n <= many; n++) foldFeedback(day, vote("helpful", { route: `route ${n}`, message_id: n }));
    expect(day.messages.size).toBe(FEEDBACK_LIMITS.messages);
    expect(day.routes.size).toBe(FEEDBACK_LIMITS.routes + 1);
    const summary = summarizeFeedback([day]);
    expect(summary.helpful).toBe(many);
    expect(summary.by_route.reduce((sum, { helpful }) => sum + helpful, 0)).toBe(many);
    expect(summary.by_message).toHaveLength(100);
  });
});
