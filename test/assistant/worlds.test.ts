import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { memoized } from "../../src/runtime/cache/memoized.ts";
import { askAll, figuresOf, NOW } from "../eval/world-figures.ts";
import { readWorld, WORLDS } from "../eval/worlds.ts";

/** A world with its index, made once. */
const open = memoized((name: (typeof WORLDS)[number]) => {
  const world = readWorld(name);
  return { world, index: new AnswerIndex(world.passages) };
}, WORLDS.length);

describe("answers over a company's content keep their quality", () => {
  // A little below the figures of `npm run eval -- assistant-worlds`.
  it.each([
    ["demo", { told: 0.915, wrong: 0.04, found: 0.95, free: 0.96, unsure: 1200 }],
    ["bank", { told: 0.87, wrong: 0.09, found: 0.97, free: 1, unsure: 1200 }],
    ["wallet", { told: 0.94, wrong: 0.03, found: 0.96, free: 1, unsure: 1200 }],
    ["broker", { told: 0.885, wrong: 0.04, found: 0.96, free: 1, unsure: 1200 }],
  ] as const)("%s", (name, floor) => {
    const { world, index } = open(name);
    const figures = figuresOf(askAll(world, world.tuning, index));
    expect(figures["titles cited"]).toBe(1);
    expect(figures["told"]).toBeGreaterThanOrEqual(floor.told);
    expect(figures["wrong of charged"]).toBeLessThanOrEqual(floor.wrong);
    expect(1 - figures["not found"]!).toBeGreaterThanOrEqual(floor.found);
    expect(figures["not charged"]).toBeGreaterThanOrEqual(floor.free);
    expect(figures["unsure characters"]).toBeLessThanOrEqual(floor.unsure);
  });

  it.each(["现在市场情绪怎么样", "What is the market sentiment now?"])(
    "demo: %s is left to the service, though an article may tell where the mood comes from",
    (question) => {
      const given = { history: [], research: false, refused: [], hasModel: false, now: NOW };
      const { answer, routing } = prepareQuestion({ ...given, question }, open("demo").index);
      expect(routing.route).toBe("market");
      expect(answer).toBeUndefined();
    },
  );

  it.each(["积分能买什么", "我可以用积分买什么"])("demo: %s is no wish for advice on what to buy", (question) => {
    const given = { history: [], research: false, refused: [], hasModel: false, now: NOW };
    const { answer, routing } = prepareQuestion({ ...given, question }, open("demo").index);
    expect([routing.route, answer?.sources[0]?.id]).toEqual(["help", "help-ai-points"]);
  });

  it.each(WORLDS)("%s: each title, asked as a question, is answered by its article", (name) => {
    const { world, index } = open(name);
    const { passages } = world;
    const given = { history: [], research: false, refused: [], hasModel: false, now: NOW };
    const missed = passages.filter(({ id, title }) => {
      const { answer } = prepareQuestion({ ...given, question: title }, index);
      return answer?.outcome !== "answered" || answer.sources.every((source) => source.id !== id);
    });
    expect(missed.map(({ title }) => title)).toEqual([]);
  });
});

/** The rows of a file of questions over the worlds: the world, what is wanted, the ids of articles, and the question. */
function questionsIn(file: string) {
  const rows = readFileSync(join(import.meta.dirname, "data", file), "utf8").split("\n");
  return rows.flatMap((row) => {
    const [world, kind = "", ids = "", question = ""] = row.split("\t");
    const name = WORLDS.find((one) => one === world);
    return name === undefined ? [] : [{ name, kind, ids: ids.split(" ").filter((id) => id !== "-"), question }];
  });
}

function answerTo({ name, question }: { name: (typeof WORLDS)[number]; question: string }) {
  const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
  const { answer, by } = prepareQuestion(given, open(name).index);
  return { by, outcome: answer?.outcome, sources: answer?.sources.map(({ id }) => id) ?? [] };
}

describe("a question whether something works now, for own figures or for a rule", () => {
  it.each(questionsIn("state-questions.tsv"))("is $kind by $ids: $question", ({ kind, ids, ...asked }) => {
    const { outcome = "", sources, by } = answerTo(asked);
    expect([sources[0]].slice(0, ids.length)).toEqual(ids);
    expect(outcome).toMatch({ led: /answered|unsure/, free: /unsure|offered|declined/ }[kind] ?? kind);
    if (kind === "free" || kind === "led") expect(by).not.toBe("latest");
  });
});

describe("a question about several things", () => {
  const rows = questionsIn("compound-questions.tsv");

  it("is answered of each, where titles name them", () => {
    const parted = rows.filter(({ kind }) => kind === "split");
    const missed = parted.filter(({ ids, ...asked }) => {
      const { outcome = "", sources } = answerTo(asked);
      return !/answered|unsure/.test(outcome) || sources.length > 3 || !ids.every((id) => sources.includes(id));
    });
    expect(missed.map(({ question }) => question)).toEqual([]);
  });

  it.each(rows.filter(({ kind }) => /one|sure/.test(kind)))("stays one that an article answers: $question", (asked) => {
    const { outcome, sources } = answerTo(asked);
    expect([sources[0]].slice(0, asked.ids.length)).toEqual(asked.ids);
    if (asked.kind === "sure") expect(outcome).toBe("answered");
  });
});
