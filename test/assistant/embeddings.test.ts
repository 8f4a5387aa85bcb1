import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddings } from "../../src/assistant/embeddings/embeddings.ts";
import { createHostedAssistant, type HostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { assistantInProcess, assistantInWorker } from "../../src/assistant/jobs/assistant-runner.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import { embeddingsConfig } from "../../src/config/model-config.ts";
import { collect } from "../../src/runtime/batches.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { silentLogger, type Logger } from "../../src/runtime/logger.ts";
import type { Random } from "../../src/runtime/random.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis } from "../support/redis-server.ts";
import { embeddingsOf, replies, startEmbeddingsServer, type EmbeddingsServer } from "./embeddings-server.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const LOST = passage({ id: "lost", title: "Lost money", text: "Report lost money to the desk within a day." });
const FERRY = passage({ id: "ferry", title: "Ferry to the island", text: "The ferry leaves at noon." });
const ARTICLES = Array.from({ length: 20 }, (_, n) =>
  passage({ id: `a${n}`, title: `Topic${n} alpha${n}`, text: `Words about beta${n} and gamma${n}.` }),
);
const CONTENT: readonly Passage[] = [LOST, FERRY, ...ARTICLES];
/** None of its words stands in the content. */
const PARAPHRASE = "mislaid dough?";
const HOUR = 3_600_000;

function asked(question: string) {
  return { question, history: [], research: false, refused: [], now: NOW };
}

let server: EmbeddingsServer;
let clock: ReturnType<typeof fixedClock>;
const opened: { close(): unknown }[] = [];
beforeEach(async () => {
  server = await startEmbeddingsServer();
  clock = fixedClock(NOW);
  opened.push(server);
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

interface Opened {
  readonly storage: Storage;
  readonly config?: object;
  readonly logger?: Logger;
  readonly start?: number;
  readonly runner?: ReturnType<typeof assistantInProcess>;
}

/** @param start where it begins among the articles, 0 to 255 */
function open({ storage, config, logger = silentLogger, start = 0, runner = assistantInProcess() }: Opened) {
  const settings = embeddingsConfig.parse({ base_url: server.baseUrl, model: "m", batch_size: 4, ...config });
  const random: Random = { bytes: (size) => Buffer.alloc(size, start) };
  const assistant = createHostedAssistant({
    runner,
    logger,
    embeddings: (on) => createEmbeddings(settings, { ...on, storage, clock, random, logger }),
  });
  opened.push(assistant);
  return assistant;
}

async function opening(options: Partial<Opened> = {}): Promise<HostedAssistant> {
  const assistant = open({ storage: await openStorage("memory:"), ...options });
  await assistant.learn(CONTENT);
  return assistant;
}

/** Steps until nothing waits, and no longer than so many. */
async function finish({ embeddings }: HostedAssistant, most = 50): Promise<void> {
  for (let n = 0; n < most; n++) {
    await embeddings!.step();
    if (n > 0 && embeddings!.state().waiting === 0) return;
  }
}

async function sourcesOf(assistant: HostedAssistant, question: string) {
  const { answer } = await assistant.prepare(asked(question));
  return { outcome: answer!.outcome, ids: answer!.sources.map(({ id }) => id) };
}

const textsSent = (): string[] => server.calls.flat();

describe("the vectors of articles", () => {
  it("find an article that has no word in common with the question", async () => {
    const assistant = await opening();
    expect(await sourcesOf(assistant, PARAPHRASE)).toEqual({ outcome: "declined", ids: [] });
    await finish(assistant);
    expect(assistant.embeddings!.state()).toEqual({ waiting: 0, all: CONTENT.length, isOpen: false });
    const { outcome, ids } = await sourcesOf(assistant, `${PARAPHRASE}!`);
    expect(outcome).not.toBe("declined");
    expect(ids[0]).toBe("lost");
  });

  it("are made in a worker, and given to the next one when it ends", async () => {
    const runner = assistantInWorker({ logger: silentLogger });
    const assistant = await opening({ runner });
    await finish(assistant);
    const sent = textsSent().length;
    const endless = { question: "q", lang: "en", wide: false, instructions: "", excerpts: [LOST] } as const;
    const reply = "The fee is 1 USDT. ".repeat(500_000);
    await expect(runner.run("check", { ...endless, reply }, { deadline_ms: 1 })).rejects.toThrow("took longer");
    await finish(assistant);
    expect((await sourcesOf(assistant, PARAPHRASE)).ids[0]).toBe("lost");
    expect(textsSent()).toHaveLength(sent + 1);
  });

  it.each([
    ["memory", () => Promise.resolve({ url: "memory:", end: () => Promise.resolve() })],
    ["files", () => temporaryFolder().then(({ path, remove }) => ({ url: `fs:${path}/data`, end: remove }))],
    ...(noRedis === undefined
      ? [["Redis", () => startRedis().then((redis) => ({ url: redis.url(), end: () => redis.stop() }))] as const]
      : []),
  ] as const)("are made once, also when it is interrupted, and stored on %s", async (_name, make) => {
    const { url, end } = await make();
    opened.push({ close: end });
    const storage = await openStorage(url);
    opened.push(storage);
    const first = await opening({ storage });
    for (let n = 0; n < 3; n++) await first.embeddings!.step();
    await first.close();
    expect(textsSent().length).toBe(12);
    const second = await opening({ storage });
    await finish(second);
    expect(textsSent().length).toBe(CONTENT.length);
    expect(new Set(textsSent()).size).toBe(CONTENT.length);
    const third = await opening({ storage });
    await finish(third);
    expect(textsSent().length).toBe(CONTENT.length);
    expect((await sourcesOf(third, PARAPHRASE)).ids[0]).toBe("lost");
  });

  it("are shared by two processes at once, of which each makes about half", async () => {
    const storage = await openStorage("memory:");
    const both = [await opening({ storage }), await opening({ storage, start: 128 })];
    for (let n = 0; n < 8; n++) await Promise.all(both.map(({ embeddings }) => embeddings!.step()));
    expect(both.map(({ embeddings }) => embeddings!.state().waiting)).toEqual([0, 0]);
    expect(textsSent().length).toBe(CONTENT.length);
  });

  it("cost one text when an article changes, none when it moves, and go when nothing needs them", async () => {
    const storage = await openStorage("memory:");
    const stored = () => collect(storage.keys(["vectors"])).then(({ length }) => length);
    const assistant = await opening({ storage });
    await finish(assistant);
    const changed = { ...LOST, text: "Report lost money to the desk within a week." };
    await assistant.learn([{ ...FERRY, id: "moved" }, ...ARTICLES, changed]);
    await finish(assistant);
    expect(textsSent().slice(CONTENT.length)).toEqual([`${changed.title}\n${changed.text}`]);
    for (const left of [CONTENT.length + 1, CONTENT.length]) {
      clock.advance(12 * HOUR);
      await assistant.embeddings!.step();
      expect(await stored()).toBe(left);
    }
    // Of another model none is used, and those of this one go in their turn.
    const other = open({ storage, config: { model: "other" } });
    await other.learn(CONTENT);
    await finish(other);
    expect(await stored()).toBe(2 * CONTENT.length);
    for (let n = 0; n < 2; n++) {
      await other.embeddings!.step();
      clock.advance(12 * HOUR);
    }
    expect(await stored()).toBe(CONTENT.length);
  });

  it("are several of a long article, of which a change costs those it changes", async () => {
    const assistant = await opening({ config: { passage_size: 100 } });
    const filler = "Plain words fill this line. ".repeat(8).slice(0, 200);
    const long = (end: string) => passage({ id: "long", title: "Guide", text: `${filler}${end}` });
    await assistant.learn([...ARTICLES, long("Lost money is found.")]);
    await finish(assistant);
    expect(textsSent()).toHaveLength(ARTICLES.length + 3);
    expect((await sourcesOf(assistant, PARAPHRASE)).ids[0]).toBe("long");
    await assistant.learn([...ARTICLES, long("Lost money is kept.")]);
    await finish(assistant);
    expect(textsSent().slice(ARTICLES.length + 3)).toEqual([PARAPHRASE, "Guide\nLost money is kept."]);
  });

  it("are made again where the stored ones are damaged", async () => {
    const storage = await openStorage("memory:");
    await finish(await opening({ storage }));
    for await (const key of storage.keys(["vectors"])) await storage.put(key, "");
    const again = await opening({ storage });
    await finish(again);
    expect((await sourcesOf(again, PARAPHRASE)).ids[0]).toBe("lost");
  });

  it("leave out a text that the endpoint refuses, and no other", async () => {
    const assistant = await opening();
    server.turn = (response, input) => {
      const isRefused = input.some((text) => text.includes("alpha7"));
      replies(isRefused ? "no" : embeddingsOf(input), isRefused ? 400 : 200)(response, input);
    };
    await finish(assistant);
    expect(assistant.embeddings!.state()).toEqual({ waiting: 0, all: CONTENT.length, isOpen: false });
    expect((await sourcesOf(assistant, PARAPHRASE)).ids[0]).toBe("lost");
  });
});

/** What an endpoint may do instead, each a fault. */
const FAULTS: Readonly<Record<string, NonNullable<EmbeddingsServer["turn"]>>> = {
  "another count": (response) => replies(embeddingsOf(["a", "b"]))(response, []),
  "another order": (response, input) => {
    const { data, ...rest } = embeddingsOf([...input, ...input]);
    replies({ ...rest, data: data.slice(1, 1 + input.length) })(response, input);
  },
  "another dimension": (response, input) => {
    const data = input.map((_, index) => ({ index, embedding: index === 0 ? [1, 2, 3] : [1, 2] }));
    replies({ data })(response, input);
  },
  "no numbers": (response, input) => {
    replies({ data: input.map((_, index) => ({ index, embedding: Array(256).fill("1") })) })(response, input);
  },
  NaN: (response, input) => {
    replies(JSON.stringify(embeddingsOf(input)).replace("0.001", "NaN"))(response, input);
  },
  infinity: (response, input) => {
    replies(JSON.stringify(embeddingsOf(input)).replaceAll("0.001", "1e999"))(response, input);
  },
  "nothing but zeros": (response, input) => {
    replies({ data: input.map((_, index) => ({ index, embedding: Array(256).fill(0) })) })(response, input);
  },
  "no JSON": replies("<html>canary-upstream</html>"),
  null: replies("null"),
  "an error": replies({ error: { message: "canary-upstream" } }, 500),
  "a refused key": replies({ error: { message: "canary-upstream" } }, 401),
  "a redirect": replies("", 307, { location: "http://127.0.0.1:1/canary-upstream" }),
  "an endless body": (response) => {
    const chunk = Buffer.alloc(1 << 20, " ");
    const more = (): void => void response.write(chunk, (error) => !error && more());
    more();
  },
  "a hanging endpoint": () => undefined,
  "a cut connection": (response) => response.destroy(),
};

describe("an embeddings endpoint that fails", () => {
  it.each(Object.entries(FAULTS))("costs nothing but the ranking: %s", async (_name, turn) => {
    const lines: string[] = [];
    const write = (fields: object, message: string): void => void lines.push(JSON.stringify({ ...fields, message }));
    const logger: Logger = { debug: write, info: write, warn: write, error: write };
    const config = {
      dimensions: 256,
      api_key: "canary-key",
      question_ms: 100,
      timeout_ms: 400,
      passage_prefix: "canary-text ",
    };
    const without = createHostedAssistant({ runner: assistantInProcess(), logger: silentLogger });
    const assistant = open({ storage: await openStorage("memory:"), config, logger });
    opened.push(without);
    await assistant.learn(EXCHANGE);
    await finish(assistant);
    await Promise.all([without, assistant].map((one) => one.learn([...EXCHANGE, LOST])));
    server.turn = turn;
    expect(await assistant.embeddings!.step()).toBeGreaterThanOrEqual(900);
    for (const question of ["提现手续费是多少", "What is the USDT withdrawal fee?", "How do I sell my cat?"]) {
      expect(await assistant.prepare(asked(question))).toEqual(await without.prepare(asked(question)));
    }
    expect(assistant.embeddings!.state()).toMatchObject({ waiting: 1, isOpen: true });
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain("canary");
    expect(server.headers[0]!.authorization).toBe("Bearer canary-key");
    const calls = server.calls.length;
    await assistant.prepare(asked("Another question?"));
    expect(server.calls).toHaveLength(calls);
  });

  it.each([
    ["seconds", () => "120"],
    ["a date", () => new Date(Date.now() + 120_000).toUTCString()],
  ])("is left alone for as long as it asks, in %s", async (_, wanted) => {
    const assistant = await opening();
    server.turn = replies("", 429, { "retry-after": wanted() });
    const wait = await assistant.embeddings!.step();
    expect(wait).toBeGreaterThan(110_000);
    expect(await assistant.embeddings!.question(PARAPHRASE)).toBeUndefined();
    expect(server.calls).toHaveLength(1);
  });

  it("gets one text a call after a refusal, also when a call fails meanwhile", async () => {
    const assistant = await opening();
    for (const status of [400, 500, 200]) {
      server.turn = status === 200 ? undefined : replies("", status);
      await assistant.embeddings!.step();
    }
    expect(server.calls.map(({ length }) => length)).toEqual([4, 1, 1]);
  });

  it("is used again once it answers", async () => {
    const assistant = await opening();
    server.turn = FAULTS["an error"];
    await assistant.embeddings!.step();
    server.turn = undefined;
    await finish(assistant);
    expect((await sourcesOf(assistant, PARAPHRASE)).ids[0]).toBe("lost");
  });
});

it("asks once for the vector of a question that several ask at once, and not before any article has one", async () => {
  const assistant = await opening();
  await sourcesOf(assistant, "Is there a ferry?");
  expect(textsSent()).toEqual([]);
  await finish(assistant);
  await Promise.all([1, 2, 3].map(() => sourcesOf(assistant, "Where is the ferry?")));
  expect(textsSent().slice(CONTENT.length)).toEqual(["Where is the ferry?"]);
});

it("asks as the dialect of the endpoint wants it", async () => {
  const headers = { "x-team": "help" };
  const dialect = { headers, key_header: "api-key", api_key: "secret", query: { "api-version": "1" } };
  await finish(await opening());
  expect(new Set(server.paths)).toEqual(new Set(["/v1/embeddings"]));
  await finish(await opening({ config: { ...dialect, passage_prefix: "passage: ", body: { input_type: "passage" } } }));
  expect(server.paths.at(-1)).toBe("/v1/embeddings?api-version=1");
  expect(server.headers.at(-1)).toMatchObject({ ...headers, "api-key": "secret" });
  expect(server.calls.at(-1)![0]).toMatch(/^passage: /);
});
