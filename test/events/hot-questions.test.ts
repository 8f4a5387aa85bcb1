import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { StoredEvent } from "../../src/events/event.ts";
import {
  DAY_LIMITS,
  emptyQuestionDay,
  foldQuestion,
  subtractDay,
  type QuestionTotals,
  rankQuestions,
} from "../../src/events/projections/hot-questions.ts";
import { isPublic, normalizeQuestion, presentQuestion } from "../../src/events/projections/question-text.ts";
import { toIso } from "../../src/runtime/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { HOUR, next, NOON, openEvents, question } from "./open-events.ts";
import { countTurns } from "../support/count-turns.ts";
import { watchedStorage } from "../support/watched-storage.ts";

const options = { days: 1, limit: 10, min_users: 3 };

function asked(at: number, user_id: string, text: unknown, lang: unknown = "en"): StoredEvent {
  return { created_at: toIso(at), user_id, event_type: "question_asked", event_payload: { question: text, lang } };
}

/** Each event as a line of its own: what a replay reads. */
function lines(events: readonly StoredEvent[]): string[] {
  return events.map((event, n) => JSON.stringify({ event_id: `line-${n}`, ...event }));
}

describe("hot questions", () => {
  it("shows a question only when enough different users asked it", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    for (let n = 0; n < 9; n++) await events.record(question(n % 2 ? "alice" : "bob", "Only two ask this?"));
    for (const user of ["alice", "bob", "carol"]) await events.record(question(user, "Three ask this?"));
    for (const user of ["alice", "bob", "carol"]) await events.record(question(user, "Write to bob@example.com?"));
    expect(await events.hotQuestions(options)).toEqual([{ question: "Three ask this?", count: 3, lang: "en" }]);
    await events.record(question("dave", "only two ask this"));
    expect(await events.hotQuestions(options)).toEqual([
      { question: "Only two ask this?", count: 10, lang: "en" },
      { question: "Three ask this?", count: 3, lang: "en" },
    ]);
    expect(await events.hotQuestions({ ...options, limit: 1 })).toHaveLength(1);
    expect(await events.hotQuestions({ ...options, min_users: 4 })).toEqual([]);
  });

  it("counts users across days, and asks within the last days × 24 hours to the millisecond", async () => {
    const { events, clock } = openEvents(await openStorage("memory:"));
    const edge = NOON - 24 * HOUR;
    const times = [edge - 1, edge, NOON - 13 * HOUR, NOON, NOON + 1];
    await events.replay(lines(times.map((at, n) => asked(at, `user ${n}`, "When?"))));
    expect(await events.hotQuestions(options)).toEqual([{ question: "When?", count: 3, lang: "en" }]);
    expect(await events.hotQuestions({ ...options, now: NOON - 1 })).toEqual([
      { question: "When?", count: 3, lang: "en" },
    ]);
    expect(await events.hotQuestions({ ...options, days: 2 })).toMatchObject([{ count: 4 }]);
    clock.advance(1);
    expect(await events.hotQuestions(options)).toMatchObject([{ count: 3 }]);
    clock.advance(11 * HOUR - 1);
    expect(await events.hotQuestions(options)).toMatchObject([{ count: 3 }]);
    clock.advance(1);
    expect(await events.hotQuestions(options)).toEqual([]);
  });

  it("sorts by count, then by the last time asked, then by the text", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const all: StoredEvent[] = [];
    const ask = (text: string, at: number, users: number): void => {
      for (let n = 0; n < users; n++) all.push(asked(at, `user ${n}`, text));
    };
    ask("old", NOON - 3000, 3);
    ask("young", NOON - 1000, 3);
    ask("b", NOON - 2000, 3);
    ask("a", NOON - 2000, 3);
    ask("many", NOON - 9000, 4);
    await events.replay(lines(all));
    const found = await events.hotQuestions(options);
    expect(found.map((hot) => hot.question)).toEqual(["many", "young", "a", "b", "old"]);
  });

  it("shows the spelling that is used most, the first one among equals, and its language", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const spellings = [
      "usdt提现手续费是多少",
      "USDT 提现手续费是多少？",
      "ＵＳＤＴ提现手续费是多少??",
      "USDT  提现手续费是多少？",
    ];
    for (const [n, text] of spellings.entries())
      await events.record(question(`user ${n}`, text, n === 0 ? "en" : "zh"));
    expect(await events.hotQuestions(options)).toEqual([{ question: "USDT 提现手续费是多少？", count: 4, lang: "zh" }]);
    await events.record(question("user 0", "usdt提现手续费是多少"));
    expect(await events.hotQuestions(options)).toMatchObject([{ question: "usdt提现手续费是多少", count: 5 }]);
  });

  it("takes questions as one that differ in width, case, white space or punctuation only", () => {
    const same = [
      ["What is the USDT withdrawal fee?", " what  is the usdt withdrawal fee ", "WHAT IS THE USDT WITHDRAWAL FEE ??"],
      ["什么是 AI 积分？", "什么是ai积分", "什么是ＡＩ积分?", "什么是 AI\u3000积分。"],
      ["My deposit has not arrived. What should I do?", "my deposit has not arrived, what should I do"],
      ["What's BTC/USDT?", "whats btc usdt", "What’s BTC-USDT"],
    ];
    for (const spellings of same) expect(new Set(spellings.map(normalizeQuestion)).size, spellings[0]).toBe(1);
    const different = [
      "is 1.5 BTC enough",
      "is 15 BTC enough",
      "is 1 5 BTC enough",
      "is 5 BTC enough",
      "is 5% BTC enough",
    ];
    expect(new Set(different.map(normalizeQuestion)).size).toBe(different.length);
    expect(normalizeQuestion("in form")).not.toBe(normalizeQuestion("inform"));
    for (const nothing of ["?!", " ", "……", "\u200b", ""]) expect(normalizeQuestion(nothing)).toBe("");
    expect(presentQuestion(" a\u0000\n\u200bb \ud800")).toBe("a b \ufffd");
  });

  it("passes over payloads that hold no question", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    const odd = [undefined, null, 7, { text: "x" }, ["x"], "", "???", "x".repeat(DAY_LIMITS.length + 1)];
    const all = odd.flatMap((text) => ["a", "b", "c"].map((user) => asked(NOON, user, text)));
    const other = ["a", "b", "c"].map((user) => ({ ...asked(NOON, user, "typed"), event_type: "page_view" }));
    const report = await events.replay(lines([...all, ...other, asked(NOON, "a", "🎉".repeat(DAY_LIMITS.length), 7)]));
    expect(report.rejected).toEqual([]);
    const found = await events.hotQuestions({ ...options, min_users: 1 });
    expect(found).toEqual([{ question: "🎉".repeat(DAY_LIMITS.length), count: 1, lang: "" }]);
  });

  it("sees what it and other writers and replays append, also to a day it has read", async () => {
    const storage = await openStorage("memory:");
    const { events } = openEvents(storage);
    const other = openEvents(storage, { seed: "two" }).events;
    await events.record(question("a", "Who?"));
    await other.replay(lines([asked(NOON - 20 * HOUR, "b", "Who?")]));
    expect(await events.hotQuestions(options)).toEqual([]);
    await other.record(question("c", "Who?"));
    expect(await events.hotQuestions(options)).toMatchObject([{ count: 3 }]);
    await other.replay(lines([asked(NOON - 21 * HOUR, "d", "Who?")]));
    expect(await events.hotQuestions(options)).toMatchObject([{ count: 4 }]);
    await events.record(question("e", "Who?"));
    expect(await events.hotQuestions(options)).toMatchObject([{ count: 5 }]);
    await events.replay(lines([asked(NOON - 20 * HOUR, "f", "Who?")]));
    expect(await events.hotQuestions(options)).toMatchObject([{ count: 6 }]);
  });

  it("reads a day once: later looks cost one read a day", async () => {
    const plain = await openStorage("memory:");
    const { events: writer } = openEvents(plain);
    for (let n = 0; n < 100; n++) await writer.record(question(`user ${n}`, "Who?"));
    const storage = watchedStorage(plain, () => "pass");
    const { events } = openEvents(storage, { seed: "two" });
    await events.hotQuestions({ ...options, days: 30 });
    const first = storage.calls.length;
    await events.hotQuestions({ ...options, days: 30 });
    expect(storage.calls.slice(first).map(({ verb }) => verb)).toEqual(Array(31).fill("has"));
  });

  it("lets others run between two batches of a day that it reads", async () => {
    const storage = await openStorage("memory:");
    const { events: writer } = openEvents(storage);
    for (let n = 0; n < 40; n++) await writer.record(question(`user ${n}`, "Who?"));
    const turns = countTurns();
    await openEvents(storage, { seed: "two" }).events.hotQuestions(options);
    expect(turns.end()).toBeGreaterThanOrEqual(40);
  });

  it("ranks for callers who ask at once in turns of the event loop", async () => {
    const { events } = openEvents(await openStorage("memory:"));
    await events.hotQuestions(options);
    const turns = countTurns();
    const ended = await Promise.all(
      [1, 1, 1].map(async (days) => {
        await events.hotQuestions({ ...options, days });
        return turns.count();
      }),
    );
    turns.end();
    expect(new Set(ended).size).toBe(3);
  });

  it("counts each event once however many ask at once, and after a failed read", async () => {
    const plain = await openStorage("memory:");
    const { events: writer } = openEvents(plain);
    let failing = true;
    const storage = watchedStorage(plain, ({ number }) => (failing && number % 7 === 6 ? "fail" : "pass"));
    const { events } = openEvents(storage, { seed: "two" });
    const failures: unknown[] = [];
    for (let n = 0; n < 24; n++) {
      await writer.record(question(`user ${n}`, "Who?"));
      if (n === 16) failing = false;
      const looks = Array.from({ length: 5 }, () => events.hotQuestions(options));
      for (const look of await Promise.allSettled(looks)) {
        if (look.status === "rejected") failures.push(look.reason);
        else if (n >= 2) expect(look.value).toMatchObject([{ count: n + 1 }]);
      }
    }
    expect(failures.length).toBeGreaterThan(0);
  });

  it.each([
    "Write to me at bob@example.com",
    "is claim-bonus.example/win real?",
    "https://evil.example 提现",
    "see evil。com or evil.com",
    "call +86 138 0013 8000 please",
    "我的订单 88342219 在哪",
    "why is 0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe empty",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq 到账了吗",
    "where is TX-A1B2C3D4E5",
    "user id 1000234 is blocked",
    "maker fees at evil。com",
    "What are the fees, you idiot?",
    "手续费多少？你们是骗子",
  ])("shows nothing that names somebody, leads somewhere or insults: %s", (text) => {
    expect(isPublic(text)).toBe(false);
  });

  it.each([
    "How do I withdraw 1,000 USDT?",
    "BTC/USDT 手续费是 0.1% 吗？",
    "TRC20 提现要多久",
    "What is 2FA and KYC level 2?",
    "Is BTC above $105,000 in 2026?",
    "authentication vs. responsibility?",
    "How do I report a scammer in Scunthorpe?",
    "今日你们的手续费是多少。BTC 呢",
    "遇到骗子怎么办",
  ])("shows ordinary questions: %s", (text) => {
    expect(isPublic(text)).toBe(true);
  });

  it("forgets the counts of days that are not kept", () => {
    const [first, second] = [emptyQuestionDay(), emptyQuestionDay()];
    const totals: QuestionTotals = new Map();
    for (const user of ["a", "b", "c"]) foldQuestion(first, totals, asked(NOON, user, "Who?"));
    foldQuestion(second, totals, asked(NOON, "d", "Who?"));
    subtractDay(totals, first);
    expect([...totals]).toEqual([["who", [second.questions.get("who")]]]);
    subtractDay(totals, second);
    expect(totals.size).toBe(0);
  });

  it("keeps a day's memory bounded", () => {
    const day = emptyQuestionDay();
    const totals: QuestionTotals = new Map();
    for (let n = 0; n < DAY_LIMITS.variants + 10; n++)
      foldQuestion(day, totals, asked(NOON, `user ${n}`, `Who${"?".repeat(n)}`));
    for (let n = 0; n < DAY_LIMITS.questions + 10; n++)
      foldQuestion(day, totals, asked(NOON, "a", `question number ${n}`));
    day.asked = DAY_LIMITS.asked - 100; // As if it had been asked so often.
    for (let n = 0; n < 200; n++) foldQuestion(day, totals, asked(NOON, `user ${n % 50}`, "Who?"));
    expect(day.questions.size).toBe(DAY_LIMITS.questions);
    expect(day.asked).toBe(DAY_LIMITS.asked);
    expect(day.questions.get("who")?.times.length).toBe(DAY_LIMITS.variants + 10 + 100);
    expect(day.questions.get("who")?.texts.length).toBe(DAY_LIMITS.variants);
    const window = { from: NOON, to: NOON };
    expect(rankQuestions(totals, window, { limit: 2, min_users: 3 })).toHaveLength(1);
  });

  it("depends on the events alone, not on how they were batched or when it looked", async () => {
    const event = fc
      .record({
        hoursAgo: fc.integer({ min: -1, max: 60 }),
        user: fc.constantFrom("a", "b", "c", "d"),
        text: fc.constantFrom("Who?", "who", "WHO !", "What?", "what", "谁？", "谁"),
        lang: fc.constantFrom("en", "zh"),
      })
      .map(({ hoursAgo, user, text, lang }) => asked(NOON - hoursAgo * HOUR, user, text, lang));
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 60 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 20 })),
        fc.infiniteStream(fc.boolean()),
        async (all, sizes, looks) => {
          const { events } = openEvents(await openStorage("memory:"));
          const query = { days: 2, limit: 10, min_users: 2 };
          const whole = lines(all);
          for (let start = 0; start < whole.length;) {
            const size = next(sizes);
            await events.replay(whole.slice(start, start + size));
            start += size;
            if (next(looks)) await events.hotQuestions(query);
          }
          expect(await events.hotQuestions(query)).toEqual(expected(all, query));
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** The rule computed the slow way, over the events in the order of the log. */
function expected(all: readonly StoredEvent[], query: { days: number; limit: number; min_users: number }): unknown[] {
  const inLog = all
    .filter(({ created_at }) => {
      const at = Date.parse(created_at);
      return at >= NOON - query.days * 24 * HOUR && at <= NOON;
    })
    .map((event, n) => ({ event, n, day: event.created_at.slice(0, 10) }))
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.n - b.n))
    .map(({ event }) => event);
  const textOf = (event: StoredEvent): string => presentQuestion(event.event_payload!["question"] as string);
  const langOf = (event: StoredEvent): string => event.event_payload!["lang"] as string;
  const top = (values: readonly string[]): string => {
    const times = (value: string): number => values.filter((other) => other === value).length;
    return values.reduce((best, value) => (times(value) > times(best) ? value : best));
  };
  const keys = new Set(inLog.map((event) => normalizeQuestion(textOf(event))));
  return [...keys]
    .map((key) => inLog.filter((event) => normalizeQuestion(textOf(event)) === key))
    .filter((group) => new Set(group.map(({ user_id }) => user_id)).size >= query.min_users)
    .map((group) => ({
      question: top(group.map(textOf)),
      count: group.length,
      lang: top(group.map(langOf)),
      last: group
        .map(({ created_at }) => created_at)
        .sort()
        .at(-1)!,
    }))
    .sort(
      (a, b) => b.count - a.count || (a.last < b.last ? 1 : a.last > b.last ? -1 : a.question < b.question ? -1 : 1),
    )
    .slice(0, query.limit)
    .map(({ question, count, lang }) => ({ question, count, lang }));
}
