import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { exportedEvent } from "../../src/events/event.ts";
import { readLine } from "../../src/events/replay/replay-lines.ts";
import { findLossyValues } from "../../src/runtime/json/lossy-json.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { collect, contents, eventAt, next, openEvents, question, STORAGES } from "./open-events.ts";
import { watchedStorage, type Outcome } from "../support/watched-storage.ts";
import { CODE_POINT } from "../support/code-points.ts";

const demo = join(import.meta.dirname, "../../fixtures/demo/events.ndjson");

async function demoLines(): Promise<string[]> {
  return (await readFile(demo, "utf8")).split("\n");
}

const view = { created_at: "2026-11-20T08:00:00Z", user_id: "a", event_type: "page_view" };

function line(fields: object): string {
  return JSON.stringify({ ...view, ...fields });
}

describe.each(STORAGES)("replay on $name", ({ open }) => {
  async function withStorage(test: (connect: () => Promise<Storage>) => Promise<void>): Promise<void> {
    const fixture = await open();
    await test(fixture.connect);
    await fixture.clean();
  }

  it("stores a file once, however often it is replayed", () =>
    withStorage(async (connect) => {
      const { events } = openEvents(await connect());
      const lines = await demoLines();
      const total = lines.filter((text) => text !== "").length;
      expect(await events.replay(lines)).toEqual({
        read: total,
        stored: total,
        skipped: 0,
        rejected_total: 0,
        rejected: [],
      });
      const { events: again } = openEvents(await connect(), { seed: "two" });
      expect(await again.replay(lines)).toMatchObject({ read: total, stored: 0, skipped: total });
      expect(await collect(again.export())).toHaveLength(total);
    }));

  it("stores a file once when several replay it at once while others record", () =>
    withStorage(async (connect) => {
      const lines = await demoLines();
      const total = lines.filter((text) => text !== "").length;
      const many = await Promise.all(
        ["one", "two", "three"].map(
          async (seed) => openEvents(await connect(), { seed, now: Date.parse("2026-11-19T10:00:00Z") }).events,
        ),
      );
      const recording = Array.from({ length: 30 }, (_, n) => many[n % 3]!.record(question(`live ${n}`, "?")));
      const reports = await Promise.all(many.map((events) => events.replay(lines)));
      await Promise.all(recording);
      expect(reports.reduce((sum, { stored }) => sum + stored, 0)).toBe(total);
      for (const { stored, skipped } of reports) expect(stored + skipped).toBe(total);
      expect(await collect(many[0]!.export())).toHaveLength(total + 30);
    }));

  it("exports what another storage replays and exports the same", () =>
    withStorage(async (connect) => {
      const first = openEvents(await connect()).events;
      await first.replay(await demoLines());
      await Promise.all(["a", "b", "c"].map((user) => first.record(question(user, "Same?"))));
      await first.record(question("a", "Same?"));
      const lines = await collect(first.export());
      const second = openEvents(await openStorage("memory:")).events;
      await second.replay(lines);
      expect(await collect(second.export())).toEqual(lines);
      // There and back: every event is known under the id it left with.
      expect(await first.replay(second.export())).toMatchObject({ stored: 0, skipped: lines.length });
      expect(await second.replay(lines)).toMatchObject({ stored: 0, skipped: lines.length });
    }));
});

describe("replay", () => {
  it("reports which lines are not events, and stores the others", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const lines = [
      `\uFEFF${line({ event_id: "ok 1" })}`,
      "",
      '{"created_at": ',
      "[]",
      line({ event_type: "x" }),
      line({ created_at: "yesterday" }),
      line({ created_at: "2026-02-30T00:00:00Z" }),
      line({ created_at: "0000-01-01T00:00:00+14:00" }),
      line({ user_id: "" }),
      line({ event_id: "" }),
      line({ color: "red" }),
      line({ feedback_type: "great" }),
      JSON.stringify({ event_type: "page_view", session_id: 1.5, feedback_type: "great" }),
      line({ event_payload: { x: "y".repeat(20_000) } }),
      `{"x":"${"y".repeat(200_000)}"}`,
      `${line({ event_id: 42, created_at: "2026-11-20T02:00:00+08:00" })}\r`,
      "   ",
    ];
    const report = await events.replay(lines);
    expect(report).toMatchObject({ read: 15, stored: 2, skipped: 0, rejected_total: 13 });
    expect(report.rejected.map(({ line: number, reason }) => `${number} ${reason}`)).toMatchInlineSnapshot(`
      [
        "3 not JSON: Unexpected end of JSON input",
        "4 line: must be an object, not an array",
        "5 event_type: must have at least 2 characters",
        "6 created_at: must be an ISO 8601 instant with an offset, such as 2026-11-20T00:00:00Z",
        "7 created_at: must be an ISO 8601 instant with an offset, such as 2026-11-20T00:00:00Z",
        "8 created_at: must be in the years 0000 to 9999",
        "9 user_id: must not be empty",
        "10 event_id: must be an integer or a string of 1 to 128 characters",
        "11 color: is not a known key. Known keys: event_id, created_at, user_id, event_type, session_id, message_id, route, sub_intent, feedback_type, event_payload",
        "12 feedback_type: must be one of helpful, inaccurate, not "great"",
        "13 created_at: is required; user_id: is required; session_id: must be an integer of at least 1, not 1.5; feedback_type: must be one of helpful, inaccurate, not "great"",
        "14 event_payload: must be at most 16384 bytes as JSON",
        "15 longer than 131072 characters",
      ]
    `);
    expect(await collect(events.export())).toEqual([
      '{"event_id":"42","created_at":"2026-11-19T18:00:00.000Z","user_id":"a","event_type":"page_view"}',
      '{"event_id":"ok 1","created_at":"2026-11-20T08:00:00.000Z","user_id":"a","event_type":"page_view"}',
    ]);
  });

  it("lists the first 100 rejected lines and counts them all", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const report = await events.replay(Array(250).fill("{}"));
    expect(report.rejected_total).toBe(250);
    expect(report.rejected).toHaveLength(100);
    expect(report.rejected.at(-1)).toMatchObject({ line: 100 });
  });

  it("knows an event by its content and id, not by how the line is written", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const lines = [
      line({ event_id: "one", event_payload: { a: 1, b: { c: 2, d: [1, 2] } } }),
      line({
        event_id: "one",
        created_at: "2026-11-20T16:00:00.000+08:00",
        event_payload: { b: { d: [1, 2], c: 2 }, a: 1.0 },
      }),
      line({ event_id: "two", event_payload: { a: 1, b: { c: 2, d: [1, 2] } } }),
      line({ event_id: "one", event_payload: { a: 1, b: { c: 2, d: [2, 1] } } }),
      line({ event_payload: { a: 1, b: { c: 2, d: [1, 2] } } }),
      line({ event_payload: { a: 1, b: { d: [1, 2], c: 2 } } }),
      line({ event_payload: { zero: -0, "1e400": 0 } }),
      line({ event_payload: { zero: 0, "1e400": 0 } }),
    ];
    // Lines without an id are told apart by their occurrence.
    expect(await events.replay(lines)).toMatchObject({ stored: 7, skipped: 1 });
    expect(await events.replay(lines)).toMatchObject({ stored: 0, skipped: 8 });
  });

  it("stores three equal lines as three events, however often and by however many they are replayed", async () => {
    const storage = await openStorage("memory:");
    const { events } = openEvents(storage);
    const lines = [line({}), line({ user_id: "b" }), line({}), line({})];
    expect(await events.replay(lines, { dryRun: true })).toMatchObject({ stored: 4, skipped: 0 });
    const reports = await Promise.all(
      ["one", "two"].map((seed) => openEvents(storage, { seed }).events.replay(lines, { chunk: 2 })),
    );
    expect(reports.reduce((sum, { stored }) => sum + stored, 0)).toBe(4);
    expect(await events.replay([...lines, line({})])).toMatchObject({ stored: 1, skipped: 4 });
    expect(await collect(events.export())).toHaveLength(5);
    const exported = await collect(events.export());
    expect(await events.replay(exported)).toMatchObject({ stored: 0, skipped: 5 });
    const many = Array(700).fill(line({ user_id: "many" })) as string[];
    expect(await events.replay(many)).toMatchObject({ stored: 700, skipped: 0 });
    expect(await openEvents(storage).events.replay(many)).toMatchObject({ stored: 0, skipped: 700 });
  });

  it("keeps ids of exports unique in a storage that is not empty", async () => {
    const open = async (user: string): Promise<ReturnType<typeof openEvents>["events"]> => {
      const { events } = openEvents(await openStorage("memory:"));
      for (const n of [1, 2, 3]) await events.record(question(user, `Question ${n}?`));
      return events;
    };
    const [one, two, three] = await Promise.all([open("one"), open("two"), open("three")]);
    const all = await collect(one.export());
    await two.replay(all);
    await three.replay(two.export());
    await three.replay(all);
    const lines = await collect(three.export());
    const ids = lines.map((text) => (JSON.parse(text) as { event_id: string }).event_id);
    expect(new Set(ids).size).toBe(9);
    expect(ids.filter((id) => /^2026-11-20-[123]-0-[0-9a-f]{8}$/.test(id))).toHaveLength(6);
    // There and back: every event is known under any of its ids.
    expect(await one.replay(lines)).toMatchObject({ stored: 6, skipped: 3 });
    for (const events of [two, three]) expect(await events.replay(all)).toMatchObject({ stored: 0, skipped: 3 });
    expect(await three.replay(one.export())).toMatchObject({ stored: 0, skipped: 9 });
  });

  it("refuses a payload that would not be kept as it was sent", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const payloads = [
      '{"a":1e400}',
      '{"a":[{"b":9007199254740993}]}',
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      '{"\\udc00":1}',
      '{"a":{"__proto__":1}}',
      '{"__proto__":1}',
      '{"a":0.1000000000000000055511151231257827}',
    ];
    const lines = payloads.map((text) =>
      line({ event_payload: {} }).replace('"event_payload":{}', `"event_payload":${text}`),
    );
    const { rejected, stored } = await events.replay([...lines, line({ event_payload: { a: -9007199254740991 } })]);
    expect(stored).toBe(1);
    const reasons = rejected.map(({ reason }) => reason);
    const number = "must be a number from -(2^53 - 1) to 2^53 - 1: another would not be kept exactly";
    expect(reasons.slice(0, 3)).toEqual([
      `event_payload.a: ${number}`,
      `event_payload.a.0.b: ${number}`,
      "event_payload.a: must be well-formed Unicode without NUL",
    ]);
    expect(reasons.slice(5)).toEqual([
      "event_payload.a.__proto__: must have another name: __proto__ is not kept",
      "event_payload.__proto__: must have another name: __proto__ is not kept",
      "event_payload.a: must be a number that a double keeps exactly; send others as strings",
    ]);
  });

  it("accepts and stores of any line what the schema of an exported event does", () => {
    const texts = fc.oneof(
      fc.constantFrom("page_view", "ab", " ab", "ab ", "a  b", "a", "", "  ", "长", "\0a", "\ud800", "😀".repeat(64)),
      ...[63, 64, 65, 128, 129].map((length) => fc.constant("x".repeat(length))),
      fc.string({ unit: CODE_POINT, maxLength: 4 }),
    );
    const numbers = fc.constantFrom<unknown>(1, 0, -0, 1.5, -1, 2 ** 53 - 1, 2 ** 53, "1", null, true);
    const at = "2026-11-20T08:00:00.000Z";
    const ends = fc.constantFrom("08:00:00.000Z", "08:00:00Z", "08:00:00.000+08:00", "24:00:00.000Z", "23:59:60.000Z");
    const dates = fc.constantFrom("2026-11-20", "2024-02-29", "2026-02-29", "2026-11-31", "0000-01-01", "2026-1-1");
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: [nested(depth - 1)] });
    const long = fc.constantFrom(4000, 5000, 6000, 17_000).map((length) => ({ text: "长".repeat(length) }));
    const deep = fc.constantFrom(1, 7, 8, 9).map((depth) => ({ a: nested(depth) as object }));
    const payloads = fc.oneof(
      fc.dictionary(texts, fc.oneof(texts, numbers, fc.jsonValue())),
      fc.dictionary(fc.constantFrom("a", "\0", "\udc00"), fc.constantFrom("长", "\0a", "\ud800"), {
        minKeys: 1,
        maxKeys: 1,
      }),
      fc.oneof(long, deep, fc.jsonValue()),
    );
    const fields = {
      event_id: fc.oneof(texts, numbers),
      created_at: fc.oneof(
        fc.tuple(dates, ends).map((parts) => parts.join("T")),
        fc.constantFrom<unknown>(at, [at], 1),
      ),
      user_id: texts,
      event_type: texts,
      ...{ session_id: numbers, message_id: numbers, route: texts, sub_intent: texts, event_payload: payloads },
      feedback_type: fc.constantFrom("helpful", "inaccurate", "other", null),
      other: fc.constant(1),
    };
    // One or two fields are unusual: of a line of many such fields nothing is accepted.
    const usual = { created_at: at, user_id: "a", event_type: "page_view", event_payload: { b: [1, "x"], a: null } };
    const unusual = fc
      .subarray(Object.keys(fields) as (keyof typeof fields)[], { minLength: 1, maxLength: 2 })
      .chain((names) =>
        fc.record(
          Object.fromEntries(
            names.map((name) => [
              name,
              fc.oneof({ weight: 9, arbitrary: fields[name] as fc.Arbitrary<unknown> }, fc.constant(undefined)),
            ]),
          ),
        ),
      );
    fc.assert(
      fc.property(unusual, fc.shuffledSubarray(Object.keys(usual)), (changes, order) => {
        const text = JSON.stringify({ ...Object.fromEntries(order.map((name) => [name, 1])), ...usual, ...changes });
        const { success, data } = exportedEvent.safeParse(JSON.parse(text));
        const read = readLine(text, 1);
        const { event_id, ...event } = data ?? {};
        const isKept = success && findLossyValues(text).length === 0;
        expect(typeof read === "string" ? "rejected" : read.json).toBe(
          isKept ? JSON.stringify({ ...event, source_id: event_id }) : "rejected",
        );
      }),
      { numRuns: 600 },
    );
  });

  it("knows recorded events by their addresses, but not another event that has such an id", async () => {
    const storage = await openStorage("memory:");
    const { events } = openEvents(storage);
    const { event_id } = await events.record({ user_id: "a", event_type: "page_view" });
    await events.record({ user_id: "a", event_type: "page_view" });
    const exported = await collect(events.export());
    expect(exported).toHaveLength(2);
    expect(await events.replay(exported)).toMatchObject({ stored: 0, skipped: 2 });
    const other = line({ event_id, user_id: "b" });
    expect(await events.replay([other])).toMatchObject({ stored: 1 });
    expect(await events.replay([other])).toMatchObject({ stored: 0, skipped: 1 });
    expect(await eventAt(storage, event_id)).toMatchObject({ user_id: "a" });
  });

  it("writes nothing in a dry run, and reports what a real one then does", async () => {
    const plain = await openStorage("memory:");
    const storage = watchedStorage(plain, () => "pass");
    const { events } = openEvents(storage);
    const lines = [line({ event_id: "1" }), line({ event_id: "2" }), line({ event_id: "1" }), "{}"];
    await events.replay([line({ event_id: "2" })]);
    const before = storage.calls.length;
    const dry = await events.replay(lines, { dryRun: true });
    const written = storage.calls.slice(before).filter(({ verb }) => ["create", "put", "remove"].includes(verb));
    expect(written).toEqual([]);
    expect(dry).toMatchObject({ read: 4, stored: 1, skipped: 2, rejected_total: 1 });
    expect(await events.replay(lines)).toEqual(dry);
  });

  it("reports progress, and gathers lines to few appends, whatever the order of their days", async () => {
    const storage = watchedStorage(await openStorage("memory:"), () => "pass");
    const { events } = openEvents(storage);
    const lines = Array.from({ length: 5000 }, (_, n) =>
      line({ event_id: n, created_at: `2026-11-${10 + (n % 9)}T00:00:00Z` }),
    );
    const seen: number[] = [];
    const report = await events.replay([...lines, ...lines.slice(0, 10)], {
      onChunk: ({ stored }) => seen.push(stored),
    });
    expect(report).toMatchObject({ read: 5010, stored: 5000, skipped: 10 });
    expect(seen).toEqual([2048, 4096, 5000]);
    expect(storage.calls.filter(({ verb }) => verb === "create")).toHaveLength(27);
  });

  it("takes a range of instants, both ends included", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const days = ["2026-11-18", "2026-11-19", "2026-11-20"];
    await events.replay(days.map((day) => line({ event_id: day, created_at: `${day}T23:59:59.999Z` })));
    const ids = async (range: object): Promise<unknown[]> =>
      (await collect(events.export(range))).map((text) => (JSON.parse(text) as { event_id: string }).event_id);
    expect(await ids({})).toEqual(days);
    const at = Date.parse("2026-11-19T23:59:59.999Z");
    expect(await ids({ from: at })).toEqual(days.slice(1));
    expect(await ids({ from: at + 1 })).toEqual(days.slice(2));
    expect(await ids({ to: at })).toEqual(days.slice(0, 2));
    expect(await ids({ to: at - 1 })).toEqual(days.slice(0, 1));
    expect(await ids({ from: at, to: at })).toEqual(["2026-11-19"]);
  });

  it("stores each event once when it crashes between any two calls of the storage and is run again", async () => {
    const lines = fc
      .array(fc.record({ id: fc.integer({ min: 0, max: 30 }), day: fc.integer({ min: 0, max: 2 }) }), {
        minLength: 1,
        maxLength: 40,
      })
      .map((all) =>
        all.map(({ id, day }) => line({ event_id: `${day} ${id}`, created_at: `2026-11-1${day}T00:00:00Z` })),
      );
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.boolean()), { maxLength: 4 }),
        async (all, crashes) => {
          const plain = await openStorage("memory:");
          for (const [round, [last, replyLost]] of crashes.entries()) {
            // From one call on nothing comes back; whether that call did its work is open.
            const storage = watchedStorage(plain, ({ number }) =>
              number < last ? "pass" : number === last && replyLost ? "lose" : "fail",
            );
            const half = all.slice(0, Math.ceil(all.length / (round + 1)));
            await openEvents(storage, { seed: `round ${round}` })
              .events.replay(half)
              .catch(() => undefined);
          }
          const { events } = openEvents(plain);
          await events.replay(all);
          expect(await contents(events)).toEqual(await contents(await replayed(all)));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("stores each event once under any interleaving of replays and records, with replies lost", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.infiniteStream(fc.constantFrom<Outcome>("pass", "pass", "pass", "lose")),
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 20 }),
        async (scheduler, outcomes, ids) => {
          const plain = await openStorage("memory:");
          const storage = watchedStorage(plain, async ({ verb }) => {
            await scheduler.schedule(Promise.resolve());
            return verb === "create" ? next(outcomes) : "pass";
          });
          const all = ids.map((id) => line({ event_id: id, created_at: `2026-11-20T0${id % 3}:00:00Z` }));
          const live = openEvents(storage, { seed: "live" }).events;
          const runs = ["one", "two", "three"].map(async (seed) => {
            // A reply lost twice in a row ends a run, as a crash would: the next one goes on from there.
            for (;;) {
              try {
                await openEvents(storage, { seed }).events.replay(all);
                return;
              } catch {
                await live.record(question("live", "?"));
              }
            }
          });
          await scheduler.waitFor(Promise.all([...runs, live.record(question("live", "?"))]));
          const { events } = openEvents(plain);
          const found = (await contents(events)).filter((text) => !text.includes("live"));
          expect(found).toEqual(await contents(await replayed(all)));
          expect(
            new Set((await collect(events.export())).map((text) => (JSON.parse(text) as { event_id: string }).event_id))
              .size,
          ).toBe((await collect(events.export())).length);
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** What a replay without any disturbance stores. */
async function replayed(lines: readonly string[]): Promise<ReturnType<typeof openEvents>["events"]> {
  const { events } = openEvents(await openStorage("memory:"));
  await events.replay(lines);
  return events;
}

describe("stats", () => {
  it("counts by type, by day, users and feedback", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    await events.replay([
      line({ event_id: 1 }),
      line({ event_id: 2, created_at: "2026-11-19T00:00:00Z", user_id: "b" }),
      line({ event_id: 3, event_type: "answer_feedback", feedback_type: "helpful" }),
      line({ event_id: 4, event_type: "__proto__", feedback_type: "inaccurate" }),
    ]);
    expect(await events.stats()).toEqual({
      events: 4,
      users: 2,
      by_type: [
        { event_type: "page_view", count: 2 },
        { event_type: "__proto__", count: 1 },
        { event_type: "answer_feedback", count: 1 },
      ],
      by_day: [
        { day: "2026-11-19", count: 1 },
        { day: "2026-11-20", count: 3 },
      ],
      feedback: { helpful: 1, inaccurate: 1 },
    });
    expect(await events.stats({ to: Date.parse("2026-11-19T23:00Z") })).toMatchObject({ events: 1, users: 1 });
    expect(await events.stats({ from: Date.parse("2027-01-01") })).toMatchObject({ events: 0, by_day: [] });
  });
});
