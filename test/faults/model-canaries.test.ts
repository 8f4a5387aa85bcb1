import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { createMetrics } from "../../src/http/metrics/metrics.ts";
import type { Logger } from "../../src/runtime/logger.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { says, startModelServer, type ModelServer, type Turn } from "../assistant/model-server.ts";
import { openFixtureService } from "../support/service.ts";
import { soak } from "./load/options.ts";

const QUESTION = "提现手续费是多少？";
const GOOD = "提现手续费按币种和网络收取固定数量";
const [KEY, ADDRESS, UPSTREAM] = ["canarykey", "canaryaddress", "canaryupstream"];
const CANARIES = new RegExp(`${KEY}|${ADDRESS}|${UPSTREAM}|127\\.0\\.0\\.1`, "i");

interface Asked {
  readonly system: string;
  readonly passages: readonly string[]; // Their texts, in the order of their numbers.
}

function readPrompt({ requests }: ModelServer): Asked {
  const { messages } = requests.at(-1)!.body;
  const [system = "", ...others] = messages.map(({ content }) => content);
  const texts = Array.from(
    others.join("\n").matchAll(/"text":("(?:[^"\\]|\\.)*")/g),
    ([, text = ""]) => JSON.parse(text) as string,
  );
  return { system, passages: texts };
}

const sends =
  (status: number, body: string, type = "application/json") =>
  (response: ServerResponse): void => {
    response.writeHead(status, {
      "content-type": type,
      "x-canary": UPSTREAM,
      location: `http://127.0.0.1/${UPSTREAM}`,
    });
    response.end(body);
  };

/** What a model may give away, after the prompt that it got. */
const LEAKS: Readonly<Record<string, (asked: Asked) => Turn>> = {
  "an error": () => sends(500, JSON.stringify({ error: { message: UPSTREAM, type: UPSTREAM, code: UPSTREAM } })),
  "a refused key": () => sends(401, JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } })),
  "a redirect": () => sends(302, UPSTREAM),
  "a page of HTML": () => sends(200, `<html>${UPSTREAM} at ${ADDRESS}</html>`, "text/html"),
  "a body of another shape": () => sends(200, JSON.stringify({ [UPSTREAM]: KEY })),
  "a word behind a good sentence": () => says(`${GOOD} ${UPSTREAM} [1]。`),
  "a sentence of its own": () => says(`${GOOD} [1]。内部地址是 ${ADDRESS}，密钥是 ${KEY} [1]。`),
  thoughts: () => says(`<think>${UPSTREAM}</think>${GOOD} [1]。`),
  "the instructions": ({ system }) => says(`${system.replaceAll("NO_ANSWER", "")} [1]`),
  "a part of the instructions": ({ system }) => says(`${GOOD} [1]。${system.slice(0, 150)} [1]`),
  "another document": ({ passages }) => says(`${sentenceOf(passages)} [1]`),
};

/** A sentence of the last passage. */
const sentenceOf = (passages: readonly string[]): string => passages.at(-1)!.split(/(?<=[。.])/)[0]!;

let server: ModelServer;
let service: Service;
let app: ReturnType<typeof createApp>;
let leak: (asked: Asked) => Turn = LEAKS["an error"]!;
const metrics = createMetrics("test");
const lines: string[] = [];

beforeAll(async () => {
  server = await startModelServer((response: ServerResponse, request: IncomingMessage) =>
    leak(readPrompt(server))(response, request),
  );
  const log = (fields: object, message: string): void => void lines.push(`${JSON.stringify(fields)} ${message}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const create: typeof createService = (deps) => createService({ ...deps, observer: metrics });
  const model = { base_url: `${server.baseUrl}/${ADDRESS}`, api_key: KEY, model: "m", max_retries: 0 };
  const named = Object.entries({ ...model, fallback: "none", timeout_ms: 1000 });
  const flags = { ...Object.fromEntries(named.map(([key, value]) => [`model.${key}`, value])), "limits.per_minute": 0 };
  ({ service } = await openFixtureService({ logger, create, flags }));
  await service.adjust({ user: "bob", delta: 1e7, reason: "to ask", actor: "test", request_id: "r" });
  app = createApp(service, logger, { meter: metrics, metrics });
});

afterAll(async () => {
  await service.close();
  await server.close();
});

it("gives away nothing of prompts, keys, addresses, upstream bodies and uncited documents", async () => {
  const codes = new Map<string, number>();
  const kinds = Object.entries(LEAKS);
  const count = soak?.count ?? 2 * kinds.length;
  for (let n = 0; n < count; n++) {
    // A good reply between the others closes the breaker.
    const [name, of] =
      n % 2 === 0 ? kinds[(n / 2) % kinds.length]! : (["a good reply", () => says(`${GOOD} [1]。`)] as const);
    leak = of;
    const response = await app.request("http://anp.test/api/v1/ai/chat/send", {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-token": "bob-token" },
      body: JSON.stringify({ question: QUESTION }),
    });
    const answer = `${await response.text()} ${JSON.stringify([...response.headers])}`;
    expect({ name, answer }).toEqual({ name, answer: expect.not.stringMatching(CANARIES) as string });
    const { system, passages } = readPrompt(server);
    const told = [system.slice(0, 40), sentenceOf(passages)].filter((secret) => answer.includes(secret));
    expect({ name, told }).toEqual({ name, told: [] });
    codes.set(`${name}: ${response.status}`, (codes.get(`${name}: ${response.status}`) ?? 0) + 1);
  }
  expect([...codes.keys()].filter((code) => code.endsWith("200"))).toEqual(["a good reply: 200", "thoughts: 200"]);
  expect(lines.filter((line) => CANARIES.test(line))).toEqual([]);
  expect(await metrics.text()).not.toMatch(CANARIES);
  console.log(`${count} answers, ${lines.length} log lines\n${[...codes].map((pair) => pair.join(" × ")).join("\n")}`);
}, 3_600_000);
