import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import fc from "fast-check";
import { openDay } from "../../src/events/log/day-log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { collect, eventAt, next, NOON, openEvents, question, STORAGES, TODAY } from "./open-events.ts";
import { watchedStorage, type Outcome } from "../support/watched-storage.ts";

describe.each(STORAGES)("event log on $name", ({ open }) => {
  let fixture: Awaited<ReturnType<typeof open>>;
  let storage: Storage;

  beforeEach(async () => {
    fixture = await open();
    storage = await fixture.connect();
  });

  afterEach(async () => {
    await storage.close();
    await fixture.clean();
  });

  it("stores an event under an id that addresses it", async () => {
    const { events } = openEvents(storage);
    const event = {
      user_id: "alice",
      event_type: "answer_feedback",
      session_id: 7,
      message_id: 8,
      route: "help",
      sub_intent: "withdrawal",
      feedback_type: "helpful" as const,
      event_payload: { lang: "zh", nested: { list: [1, "二", null] } },
    };
    expect(await events.record(event)).toEqual({ event_id: "2026-11-20-1-0", stored: true });
    expect(await eventAt(storage, "2026-11-20-1-0")).toEqual({
      event_id: "2026-11-20-1-0",
      created_at: "2026-11-20T12:00:00.000Z",
      ...event,
    });
    for (const unknown of ["2026-11-20-1-1", "2026-11-20-2-0", "2026-11-21-1-0", "demo-0001", ""]) {
      expect(await eventAt(storage, unknown), unknown).toBeUndefined();
    }
  });

  it("carries events that come while an append is on its way in few appends, in their order", async () => {
    const { events } = openEvents(storage);
    const all = Array.from({ length: 1500 }, (_, n) => question(`user ${n}`, `question ${n}`));
    const recorded = await Promise.all(all.map((event) => events.record(event)));
    expect(recorded.every(({ stored }) => stored)).toBe(true);
    expect(new Set(recorded.map(({ event_id }) => event_id)).size).toBe(1500);
    for (const n of [0, 1, 512, 513, 1024, 1499]) {
      expect(await eventAt(storage, recorded[n]!.event_id)).toMatchObject({ user_id: `user ${n}` });
    }
    // The first goes alone, the others in batches of at most 512.
    expect(await openDay(storage, TODAY).head()).toBe(4);
    const lines = await collect(events.export());
    expect(lines.map((line) => (JSON.parse(line) as { user_id: string }).user_id)).toEqual(all.map((e) => e.user_id));
  });

  it("holds what nobody waits for, until something is waited for, all is flushed or a moment has passed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { events } = openEvents(storage);
    const later = () => events.recordLater(question("a", "?"), { created_at: new Date(NOON).toISOString() });
    const held = [later(), later(), events.record(question("b", "waited for")), later()];
    await Promise.all(held.slice(0, 3));
    await events.flush();
    await Promise.all(held);
    const last = later();
    await vi.advanceTimersByTimeAsync(10);
    await last;
    const batches = await openDay(storage, TODAY).read(1, 100);
    // In memory there is nothing to share: the first goes alone.
    const sizes = storage.durable ? [4, 1] : [1, 3, 1];
    expect(batches.map((batch) => batch.events.length)).toEqual(sizes);
  });

  it("gives several writers each its own place", async () => {
    const writers = await Promise.all(
      ["one", "two", "three"].map(async (seed) => openEvents(await fixture.connect(), { seed }).events),
    );
    const recorded = await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        const { event_id } = await writers[n % 3]!.record(question(`user ${n}`, "?"));
        return [event_id, `user ${n}`] as const;
      }),
    );
    expect(new Map(recorded).size).toBe(120);
    const lines = await collect(writers[0]!.export());
    const found = lines.map((line) => JSON.parse(line) as { event_id: string; user_id: string });
    expect(new Map(found.map(({ event_id, user_id }) => [event_id, user_id]))).toEqual(new Map(recorded));
  });

  it("keeps each event in the log of its day", async () => {
    const { events, clock } = openEvents(storage, { now: Date.parse("2026-11-20T23:59:59.999Z") });
    const first = events.record(question("a", "first"));
    const second = events.record(question("b", "second"));
    clock.advance(1);
    const third = events.record(question("c", "third"));
    clock.advance(-1);
    const fourth = events.record(question("d", "fourth"));
    expect((await Promise.all([first, second, third, fourth])).map(({ event_id }) => event_id)).toEqual([
      "2026-11-20-1-0",
      "2026-11-20-2-0",
      "2026-11-21-1-0",
      "2026-11-20-3-0",
    ]);
  });

  it("names the key of a damaged batch to readers who ask for it, and goes on without it", async () => {
    const { events } = openEvents(storage);
    await events.record(question("a", "first"));
    await storage.create(["events", TODAY, "0", "2"], '{"batch_id":"x","ev');
    expect(await events.record(question("b", "second"))).toEqual({ event_id: "2026-11-20-3-0", stored: true });
    const key = "events/2026-11-20/0/2";
    await expect(eventAt(storage, "2026-11-20-2-0")).rejects.toThrow(key);
    await expect(collect(events.export())).rejects.toThrow(key);
    await expect(events.stats()).rejects.toThrow(key);
    expect(await events.hotQuestions({ days: 1, limit: 2, min_users: 1 })).toHaveLength(2);
    const line = JSON.stringify({ created_at: "2026-11-20T01:00:00Z", user_id: "c", event_type: "page_view" });
    expect(await events.replay([line])).toMatchObject({ stored: 1 });
  });
});

describe("event log", () => {
  it("waits on flush and close for what is queued, and takes nothing in once closed", async () => {
    // Each write takes a turn of the event loop, as a real one does.
    const storage = watchedStorage(await openStorage("memory:"), async ({ verb }): Promise<Outcome> => {
      if (verb === "create") await new Promise((resolve) => setImmediate(resolve));
      return "pass";
    });
    const { events } = openEvents(storage);
    const settled: string[] = [];
    const record = async (user: string): Promise<void> => {
      const { event_id } = await events.record(question(user, "?"));
      settled.push(event_id);
    };
    const first = [record("a"), record("b"), record("c")];
    await events.flush();
    await Promise.all(first);
    expect(settled).toEqual(["2026-11-20-1-0", "2026-11-20-2-0", "2026-11-20-2-1"]);
    const last = record("d");
    await events.close();
    expect(await collect(events.export())).toHaveLength(4);
    await last;
    expect(settled.at(-1)).toBe("2026-11-20-3-0");
    const late = await events.record(question("e", "?"));
    expect(late.stored).toBe(false);
    expect(await collect(events.export())).toHaveLength(4);
  });

  it("refuses an event that is none", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    await expect(events.record({ user_id: "a", event_type: "x" })).rejects.toThrow("at least 2 characters");
    await expect(events.record({ user_id: "", event_type: "page_view" })).rejects.toThrow("must not be empty");
    expect(await collect(events.export())).toEqual([]);
  });

  it("reports that nothing was stored while the storage fails, logs the outage once, and recovers", async () => {
    let down = false;
    const storage = watchedStorage(await openStorage("memory:"), () => (down ? "fail" : "pass"));
    const { events, logger } = openEvents(storage);
    await events.record(question("a", "?"));
    down = true;
    const lost = await Promise.all(["b", "c", "d"].map((user) => events.record(question(user, "?"))));
    lost.push(await events.record(question("e", "?")));
    expect(lost.map(({ stored }) => stored)).toEqual([false, false, false, false]);
    expect(new Set(lost.map(({ event_id }) => event_id)).size).toBe(4);
    down = false;
    for (const { event_id } of lost) expect(await eventAt(storage, event_id)).toBeUndefined();
    expect(await events.record(question("f", "?"))).toEqual({ event_id: "2026-11-20-2-0", stored: true });
    expect(logger.lines).toEqual([
      {
        level: "error",
        fields: { reason: "Cannot create events/2026-11-20/0/2: made to fail" },
        message: "the event log cannot be written; events are dropped",
      },
      { level: "info", fields: { lost: 4 }, message: "the event log is written again" },
    ]);
  });

  it("opens the day's log when the storage comes back, if it was away from the start", async () => {
    let down = true;
    const storage = watchedStorage(await openStorage("memory:"), () => (down ? "fail" : "pass"));
    const { events } = openEvents(storage);
    expect((await events.record(question("a", "?"))).stored).toBe(false);
    down = false;
    expect(await events.record(question("b", "?"))).toEqual({ event_id: "2026-11-20-1-0", stored: true });
  });

  it("knows its own batch when only the reply was lost", async () => {
    const storage = watchedStorage(await openStorage("memory:"), ({ verb, number }) =>
      verb === "create" && number === storage.calls.findIndex((call) => call.verb === "create") ? "lose" : "pass",
    );
    const { events, logger } = openEvents(storage);
    expect(await events.record(question("a", "?"))).toEqual({ event_id: "2026-11-20-1-0", stored: true });
    expect(await events.record(question("b", "?"))).toEqual({ event_id: "2026-11-20-2-0", stored: true });
    expect(await collect(events.export())).toHaveLength(2);
    expect(logger.lines).toEqual([]);
  });

  it("does not take another's batch for its own, though both have one seed", async () => {
    const storage = await openStorage("memory:");
    const writers = [openEvents(storage, { seed: "same" }).events, openEvents(storage, { seed: "same" }).events];
    const recorded = await Promise.all(writers.map((events, n) => events.record(question(`user ${n}`, "?"))));
    expect(new Set(recorded.map(({ event_id }) => event_id)).size).toBe(2);
    expect(await collect(writers[0]!.export())).toHaveLength(2);
  });

  it("bounds what waits, by number and by size", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const storage = watchedStorage(await openStorage("memory:"), async ({ verb }): Promise<Outcome> => {
      if (verb === "create") await released;
      return "pass";
    });
    const few = openEvents(storage, { limits: { events: 3, bytes: 1e6 } });
    const small = openEvents(storage, { seed: "two", limits: { events: 1000, bytes: 2000 } });
    const byNumber = Array.from({ length: 10 }, (_, n) => few.events.record(question(`user ${n}`, "?")));
    const bySize = Array.from({ length: 4 }, (_, n) => small.events.record(question(`user ${n}`, "x".repeat(800))));
    release();
    // One is on its way, the limit waits, the rest is refused.
    expect((await Promise.all(byNumber)).map(({ stored }) => stored)).toEqual([...Array<boolean>(4).fill(true), ...Array<boolean>(6).fill(false)]); // prettier-ignore
    expect((await Promise.all(bySize)).map(({ stored }) => stored)).toEqual([true, true, true, false]);
    expect(few.logger.lines.map(({ fields }) => fields)).toEqual([
      { reason: "too many events are waiting to be written" },
      { lost: 6 },
    ]);
    expect((await few.events.record(question("later", "?"))).stored).toBe(true);
  });

  it("keeps a batch below its size, so that a reader can hold some at once", async () => {
    const storage = await openStorage("memory:");
    const { events } = openEvents(storage);
    const text = "x".repeat(15_000);
    await Promise.all(Array.from({ length: 100 }, (_, n) => events.record(question(`user ${n}`, text))));
    for (const { events: held } of await openDay(storage, TODAY).read(1, 100)) {
      expect(JSON.stringify(held).length).toBeLessThan(270_000);
    }
  });

  it("loses and doubles nothing under any interleaving of writers, failures and lost replies", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.infiniteStream(fc.constantFrom<Outcome>("pass", "pass", "pass", "fail", "lose")),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 25 }),
        async (scheduler, outcomes, plan) => {
          const plain = await openStorage("memory:");
          const storage = watchedStorage(plain, async () => {
            await scheduler.schedule(Promise.resolve());
            return next(outcomes);
          });
          const writers = ["one", "two", "three"].map((seed) => openEvents(storage, { seed }).events);
          const recorded = await scheduler.waitFor(
            Promise.all(
              plan.map(async (writer, n) => {
                if (n % 4 === 0) await scheduler.schedule(Promise.resolve());
                return writers[writer]!.record(question(`user ${n}`, "?"));
              }),
            ),
          );
          const { events } = openEvents(plain);
          const lines = (await collect(events.export())).map((line) => JSON.parse(line) as { user_id: string });
          const users = lines.map(({ user_id }) => user_id);
          expect(new Set(users).size).toBe(users.length);
          for (const [n, { event_id, stored }] of recorded.entries()) {
            if (stored) expect(await eventAt(plain, event_id)).toMatchObject({ user_id: `user ${n}` });
            else expect(await eventAt(plain, event_id)).toBeUndefined();
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("sees no hole where others append between the reads of one page", async () => {
    const plain = await openStorage("memory:");
    const writer = openEvents(plain, { seed: "two" }).events;
    for (let n = 0; n < 5; n++) await writer.record(question(`user ${n}`, "?"));
    const storage: Storage = {
      ...plain,
      async getMany(keys) {
        const values: (string | undefined)[] = [];
        for (const [n, key] of keys.entries()) {
          values.push(await plain.get(key));
          if (n < 10) await writer.record(question("meanwhile", "?"));
        }
        return values;
      },
    };
    const lines: string[] = [];
    for await (const line of openEvents(storage).events.export()) {
      lines.push(line);
      if (lines.length === 20) break;
    }
    expect(lines).toHaveLength(20);
  });

  it("dates events by its clock alone", async () => {
    const storage = await openStorage("memory:");
    const { events, clock } = openEvents(storage);
    clock.set(NOON + 1234);
    const { event_id } = await events.record(question("a", "?"));
    expect(await eventAt(storage, event_id)).toMatchObject({ created_at: "2026-11-20T12:00:01.234Z" });
  });
});
