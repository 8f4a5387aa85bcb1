import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { openStorage } from "../../src/storage/open-storage.ts";
import { collect, eventAt, HOUR, next, openEvents, question, STORAGES, TODAY } from "./open-events.ts";
import { until } from "../support/until.ts";
import { watchedStorage, type Outcome } from "../support/watched-storage.ts";

interface Exported {
  readonly event_id: string;
  readonly user_id: string;
}

async function exported(events: ReturnType<typeof openEvents>["events"]): Promise<Exported[]> {
  return (await collect(events.export())).map((line) => JSON.parse(line) as Exported);
}

describe.each(STORAGES)("an event under an idempotency key on $name", ({ open }) => {
  it("is stored once by all who send it, and answered with one id", async () => {
    const fixture = await open();
    const [one, two] = await Promise.all(
      ["one", "two"].map(async (seed) => openEvents(await fixture.connect(), { seed }).events),
    );
    const event = question("alice", "Fees?");
    const first = await one!.record(event, "k-1");
    expect(first).toEqual({ event_id: "2026-11-20-1-0", stored: true });
    expect(await one!.record(event, "k-1")).toEqual({ ...first, replayed: true });
    expect(await two!.record(event, "k-1")).toEqual({ ...first, replayed: true });
    expect(await two!.record(event, "k-2")).toEqual({ event_id: "2026-11-20-2-0", stored: true });
    expect(await two!.record(question("bob", "Fees?"), "k-1")).toEqual({ event_id: "2026-11-20-3-0", stored: true });
    expect((await exported(one!)).map(({ user_id }) => user_id)).toEqual(["alice", "alice", "bob"]);
    await fixture.clean();
  });
});

describe("an event under an idempotency key", () => {
  it("is refused when the key was used for another event", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    await events.record(question("alice", "Fees?"), "k");
    await expect(events.record(question("alice", "Quota?"), "k")).rejects.toMatchObject({
      code: 422,
      fieldErrors: [{ in: "header", path: "Idempotency-Key", message: "was used for another request before" }],
    });
    expect(await exported(events)).toHaveLength(1);
  });

  it("keeps the day it was first sent on", async () => {
    const storage = await openStorage("memory:");
    let down = false;
    const failing = watchedStorage(storage, ({ verb, key }) =>
      down && verb === "create" && key.startsWith("events/") ? "fail" : "pass",
    );
    const { events, clock } = openEvents(failing);
    down = true;
    expect(await events.record(question("alice", "Fees?"), "k")).toMatchObject({ stored: false });
    down = false;
    clock.advance(24 * HOUR);
    const recorded = await events.record(question("alice", "Fees?"), "k");
    expect(recorded).toEqual({ event_id: `${TODAY}-1-0`, stored: true });
    expect(await eventAt(storage, recorded.event_id)).toMatchObject({ created_at: "2026-11-20T12:00:00.000Z" });
  });

  it("fails alone when a batch that may hold it is damaged", async () => {
    const storage = await openStorage("memory:");
    const lose = { on: false };
    const watched = watchedStorage(storage, ({ verb, key }) =>
      lose.on && (verb === "put" || (verb === "create" && key.startsWith("events/"))) ? "lose" : "pass",
    );
    const { events } = openEvents(watched);
    lose.on = true;
    expect(await events.record(question("alice", "Fees?"), "k")).toMatchObject({ stored: false });
    lose.on = false;
    await storage.put(["events", TODAY, "0", "1"], "{");
    const [again, other] = await Promise.all([
      events.record(question("alice", "Fees?"), "k"),
      events.record(question("bob", "Fees?")),
    ]);
    expect(again).toMatchObject({ stored: false });
    expect(other).toEqual({ event_id: "2026-11-20-2-0", stored: true });
  });

  it("is found by a slow process when a faster one has stored it meanwhile", async () => {
    const plain = await openStorage("memory:");
    let storedByOther = (): void => undefined;
    const other = new Promise<void>((resolve) => (storedByOther = resolve));
    const slow = watchedStorage(plain, async ({ verb, key }): Promise<Outcome> => {
      if (verb === "create" && key.startsWith("events/")) await other;
      return "pass";
    });
    const first = openEvents(slow).events.record(question("alice", "Fees?"), "k");
    const { events } = openEvents(plain, { seed: "two" });
    await until(
      "the slow one has claimed the key",
      async () => (await plain.get(["users", "alice", "event-keys", "k"])) !== undefined,
    );
    const second = await events.record(question("alice", "Fees?"), "k");
    storedByOther();
    expect(await first).toEqual({ ...second, replayed: true });
    expect(await exported(events)).toHaveLength(1);
  });

  it("costs a repeat one read, of what is made sure of", async () => {
    const storage = watchedStorage(await openStorage("memory:"), () => "pass");
    const { events } = openEvents(storage);
    await events.record(question("alice", "Fees?"), "k");
    const before = storage.calls.length;
    await events.record(question("alice", "Fees?"), "k");
    expect(storage.calls.slice(before).map(({ verb }) => verb)).toEqual(["get", "confirm"]);
  });

  it("is stored once under any interleaving of processes, repeats, failures and lost replies", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.infiniteStream(fc.constantFrom<Outcome>("pass", "pass", "pass", "pass", "fail", "lose")),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 3 })), {
          minLength: 1,
          maxLength: 20,
        }),
        async (scheduler, outcomes, plan) => {
          const plain = await openStorage("memory:");
          const storage = watchedStorage(plain, async () => {
            await scheduler.schedule(Promise.resolve());
            return next(outcomes);
          });
          const processes = ["one", "two", "three"].map((seed) => openEvents(storage, { seed }).events);
          const told = new Map<number, Set<string>>();
          await scheduler.waitFor(
            Promise.all(
              plan.map(async ([number, key], n) => {
                if (n % 3 === 0) await scheduler.schedule(Promise.resolve());
                const { event_id, stored } = await processes[number]!.record(question(`user ${key}`, "?"), "key");
                if (n % 4 === 0) await processes[number]!.record(question("other", "?"));
                if (stored) told.set(key, (told.get(key) ?? new Set()).add(event_id));
              }),
            ),
          );
          const { events } = openEvents(plain, { seed: "later" });
          for (const key of new Set(plan.map(([, one]) => one))) {
            const { event_id, stored } = await events.record(question(`user ${key}`, "?"), "key");
            expect(stored).toBe(true);
            expect(await eventAt(plain, event_id)).toMatchObject({ user_id: `user ${key}` });
            // Every answer has this id.
            for (const earlier of told.get(key) ?? []) expect(earlier).toBe(event_id);
          }
          const users = (await exported(events)).map(({ user_id }) => user_id).filter((user) => user !== "other");
          expect(users.sort()).toEqual([...new Set(plan.map(([, key]) => `user ${key}`))].sort());
        },
      ),
      { numRuns: 150 },
    );
  });
});
