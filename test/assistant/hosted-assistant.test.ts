import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHostedAssistant, type HostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import type { AssistantJobs } from "../../src/assistant/jobs/assistant-jobs.ts";
import type { JobRunner } from "../../src/compute/job-runner.ts";
import { WorkerRunner, workerFile } from "../../src/compute/worker-runner.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { countTurns } from "../support/count-turns.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const logger = silentLogger;
const QUESTION = "What is the USDT withdrawal fee?";

function asked(question: string) {
  return { question, history: [], research: false, refused: [], now: NOW };
}

async function sourceOf(assistant: HostedAssistant, question = QUESTION): Promise<string | undefined> {
  const { answer } = await assistant.prepare(asked(question));
  return answer?.sources[0]?.id;
}

/** The same runner, and how often evidence was looked up with it. */
function countLookups(runner: JobRunner<AssistantJobs>) {
  let looked = 0;
  const watched: JobRunner<AssistantJobs> = {
    ...runner,
    run(name, input, options) {
      if (name === "prepare") looked += 1;
      return runner.run(name, input, options);
    },
  };
  return { watched, looked: () => looked };
}

describe("the assistant in a worker thread", () => {
  let runner: JobRunner<AssistantJobs>;
  let assistant: HostedAssistant;

  // Each loads what it answers from: longer than the tests take.
  beforeAll(() => {
    runner = new WorkerRunner<AssistantJobs>({
      name: "assistant",
      file: workerFile("assistant-worker"),
      deadline_ms: 5000,
      start_ms: 20_000,
      memory_mb: 64,
      logger,
    });
    assistant = createHostedAssistant({ runner, logger });
  });
  beforeEach(() => assistant.learn(EXCHANGE));
  afterAll(() => assistant.close());

  it("answers as in this process, and again when its worker was replaced", async () => {
    const here = createHostedAssistant({ runner: assistantInProcess(), logger });
    await here.learn(EXCHANGE);
    expect(await assistant.prepare(asked(QUESTION))).toEqual(await here.prepare(asked(QUESTION)));
    const text = "The fee is 1 USDT. ".repeat(50_000);
    const asks = { question: QUESTION, lang: "en", wide: false, instructions: "" } as const;
    const endless = { ...asks, reply: "It is 1 USDT [1].", excerpts: [passage({ text })] };
    const others = [sourceOf(assistant), sourceOf(assistant)];
    await expect(runner.run("check", endless, { deadline_ms: 20 })).rejects.toMatchObject({ failure: "timeout" });
    expect(await Promise.all([...others, sourceOf(assistant)])).toEqual(Array(3).fill("withdraw-fee"));
    await assistant.learn([passage({ id: "new", text: "The USDT withdrawal fee is 7 USDT." })]);
    expect(await sourceOf(assistant)).toBe("new");
  });

  it("refuses a question with 1007 that takes too long or too much memory", async () => {
    const words = Array.from({ length: 300_000 }, (_, at) => at.toString(36)).join(" ");
    const message = "The answer could not be computed in time.";
    await expect(assistant.prepare(asked(words))).rejects.toMatchObject({ code: 1007, message });
    expect(await sourceOf(assistant)).toBe("withdraw-fee");
  });

  it("leaves out a passage that cannot be indexed, and keeps the others", async () => {
    const text = Array.from({ length: 300_000 }, (_, at) => at.toString(36)).join(" ");
    await assistant.learn([...EXCHANGE, passage({ id: "endless", text }), passage({ id: "new", text: "Zebra fees." })]);
    expect(await sourceOf(assistant)).toBe("withdraw-fee");
    expect(await sourceOf(assistant, "zebra fees")).toBe("new");
  });
});

/** Records the files that the assistant reads in a process of its own: while it warms up, and for its first questions. */
const RECORD_READS = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const [module, changes, ...questions] = process.argv.slice(1).map((each) => JSON.parse(each));
  const { createAssistantJobs } = await import(module);
  const { readFileSync } = fs;
  const read = [];
  fs.readFileSync = (file, ...options) => (read.push(String(file).split("/").at(-1)), readFileSync(file, ...options));
  syncBuiltinESMExports();
  const jobs = createAssistantJobs();
  jobs.warm();
  const warming = read.splice(0);
  jobs.begin({ index: 1, lexicon: [] });
  jobs.change(changes);
  const [first] = questions.map((question) => jobs.prepare(question));
  console.log(JSON.stringify({ warming, outcome: first.answer.outcome, answering: read }));
`;

it("loads all that the first question needs while it warms up", async () => {
  const module = new URL("../../dist/assistant/jobs/assistant-jobs.js", import.meta.url).href;
  const questions = [QUESTION, "提现手续费是多少？", "有什么最新公告？"].map((question) => ({
    ...{ index: 1, hasModel: false },
    ...asked(question),
  }));
  const given = [module, { index: 1, removed: [], added: EXCHANGE }, ...questions].map((each) => JSON.stringify(each));
  const args = ["--input-type=module", "--eval", RECORD_READS, ...given];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const files = ["thesaurus.txt", "answer-network", "term-vectors", "vector-kernel.wasm"];
  const warming: unknown = expect.arrayContaining(files);
  expect(JSON.parse(stdout)).toEqual({ warming, outcome: "answered", answering: [] });
});

it("sends only what changed", async () => {
  const runner = assistantInProcess();
  const changes: { removed: readonly string[]; added: readonly { id: string }[] }[] = [];
  const watched: JobRunner<AssistantJobs> = {
    ...runner,
    run(name, input, options) {
      if (name === "change") changes.push(input as never);
      return runner.run(name, input, options);
    },
  };
  const assistant = createHostedAssistant({ runner: watched, logger });
  await assistant.learn(EXCHANGE);
  changes.length = 0;
  const [first, second, ...others] = EXCHANGE;
  await assistant.learn([{ ...second!, text: "Other words." }, ...others.map((same) => ({ ...same }))]);
  expect(changes.flatMap(({ removed }) => removed)).toEqual([`${first!.kind} ${first!.lang} ${first!.id}`]);
  expect(changes.flatMap(({ added }) => added.map(({ id }) => id))).toEqual([second!.id]);
});

it("looks up evidence once for all who ask together, and again when the first of them has hung up", async () => {
  const { watched, looked } = countLookups(assistantInProcess());
  const assistant = createHostedAssistant({ runner: watched, logger });
  await assistant.learn(EXCHANGE);
  const gone = new AbortController();
  const first = assistant.prepare(asked(QUESTION), { signal: gone.signal });
  const others = [sourceOf(assistant), sourceOf(assistant), sourceOf(assistant)];
  gone.abort();
  await expect(first).rejects.toThrow("aborted");
  expect(await Promise.all(others)).toEqual(Array(3).fill("withdraw-fee"));
  expect(looked()).toBe(2);
});

it("looks up a question's evidence once a minute, until the content changes", async () => {
  const { watched, looked } = countLookups(assistantInProcess());
  const assistant = createHostedAssistant({ runner: watched, logger });
  await assistant.learn(EXCHANGE);
  const ask = async (change: object = {}): Promise<number> => {
    await assistant.prepare({ ...asked(QUESTION), ...change });
    return looked();
  };
  expect([await ask(), await ask(), await ask({ now: NOW + 59_999 })]).toEqual([1, 1, 1]);
  expect([await ask({ now: NOW + 60_000 }), await ask({ now: NOW })]).toEqual([2, 3]);
  // What else an answer depends on.
  expect([await ask({ research: true }), await ask({ refused: ["other"] })]).toEqual([4, 5]);
  const history = [{ question: QUESTION, answer: "1 USDT" }];
  expect([await ask({ history }), await ask({ history })]).toEqual([6, 7]);
  await assistant.learn([passage({ id: "new", text: "The USDT withdrawal fee is 7 USDT." })]);
  expect(await sourceOf(assistant)).toBe("new");
});

it("lets others run while it looks for what changed among many passages", async () => {
  const assistant = createHostedAssistant({ runner: assistantInProcess(), logger });
  const many = Array.from({ length: 4000 }, (_, n) => passage({ id: `help-${n}`, title: "Fees", text: "Free." }));
  await assistant.learn(many);
  const turns = countTurns();
  await assistant.learn(many.map((each) => ({ ...each })));
  expect(turns.end()).toBeGreaterThanOrEqual(20);
});
