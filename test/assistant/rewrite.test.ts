import { afterEach, describe, expect, it } from "vitest";
import { createHostedAssistant } from "../../src/assistant/hosted-assistant.ts";
import { OFFER } from "../../src/assistant/answering/replies.ts";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { createModelGateway } from "../../src/assistant/model/provider-failover.ts";
import type { Tokens } from "../../src/assistant/model/token-budgets.ts";
import { modelConfig } from "../../src/config/model-config.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { EXCHANGE, NOW } from "./exchange.ts";
import { cuts, fails, garbles, hangs, says, startModelServer, type ModelServer, type Turn } from "./model-server.ts";

const FEES = [{ question: "What is the USDT withdrawal fee?", answer: "It is 1 USDT on TRC-20." }];
const OFFERED = { question: "limits", answer: `${OFFER.en}\n1. How to deposit crypto` };
const NO_ANSWER = says("NO_ANSWER");

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface Options {
  readonly history?: typeof FEES;
  readonly rewrite?: object;
  readonly refused?: readonly ["other"];
}

/** What is prepared for a question and answered, and the requests that the model got. */
async function ask(
  question: string,
  turns: readonly [Turn, ...Turn[]],
  { history = FEES, rewrite, refused }: Options = {},
) {
  await server?.close();
  server = await startModelServer(...turns);
  const config = { base_url: server.baseUrl, model: "m", max_retries: 2, rewrite };
  const model = createModelGateway(modelConfig.parse(config));
  const assistant = createHostedAssistant({ runner: assistantInProcess(), model, logger: silentLogger });
  await assistant.learn(EXCHANGE);
  const asked = { question, history, research: false, refused: refused ?? [], now: NOW };
  const spent: Tokens[] = [];
  const use = { meter: () => Promise.resolve((tokens: Tokens) => Promise.resolve(void spent.push(tokens))) };
  const prepared = await assistant.prepare(asked, use);
  const { answer, routing, standalone } = prepared;
  const rewrites = server.requests.length;
  const completed = answer && (await assistant.complete(prepared, asked, use));
  return { answer, routing, standalone, completed, rewrites, spent, bodies: server.requests.map(({ body }) => body) };
}

const rewritten = (question: string, route = "help") => says(JSON.stringify({ question, route }), "stop", [50, 9]);
/** A busy machine takes long to load the model libraries. */
const UNHURRIED = { timeout_ms: 60_000 };
const ON = { rewrite: UNHURRIED };

describe("a question that a model rewrites", () => {
  it("is searched and answered as it stands alone, with one call that counts", async () => {
    const told = says("Levels 0 to 3 exist [1].");
    const turns = [rewritten("What levels of identity verification are there?"), told] as const;
    const found = await ask("and what about verification?", turns, ON);
    expect(found).toMatchObject({
      standalone: "What levels of identity verification are there?",
      answer: { outcome: "answered", sources: [{ id: "kyc" }] },
      rewrites: 1,
      spent: [
        { prompt: 50, reply: 9 },
        { prompt: 1, reply: 1 },
      ],
    });
    const [asking, answering] = found.bodies as [Record<string, unknown>, (typeof found.bodies)[0]];
    expect(asking["response_format"]).toMatchObject({ type: "json_schema", json_schema: { strict: true } });
    expect(answering.messages.at(-1)!.content).toContain(
      '{"question":"What levels of identity verification are there?"}',
    );
    expect(answering).not.toHaveProperty("response_format");
  });

  it.each([
    ["json_object", { type: "json_object" }],
    ["none", undefined],
  ])("is asked for in the form that the dialect allows: %s", async (format, expected) => {
    const turns = [rewritten("What is the withdrawal fee?"), NO_ANSWER] as const;
    const { bodies, standalone } = await ask("and the fee?", turns, { rewrite: { ...UNHURRIED, format } });
    expect((bodies[0] as unknown as Record<string, unknown>)["response_format"]).toEqual(expected);
    expect(standalone).toBe("What is the withdrawal fee?");
  });

  it("has the route that the model chooses where the router is not sure", async () => {
    const question = "tell me something nice about yourself and the sea";
    const turns = [rewritten(question, "small_talk"), NO_ANSWER] as const;
    const without = await ask(question, [NO_ANSWER], { history: [] });
    expect(without.answer?.outcome).not.toBe("answered");
    const { answer, routing } = await ask(question, turns, { ...ON, history: [] });
    expect([answer?.outcome, routing.route]).toEqual(["answered", "small_talk"]);
  });

  it.each([
    ["fails", fails(500)],
    ["is refused", fails(400)],
    ["is cut", cuts],
    ["is not JSON", garbles],
    ["hangs", hangs],
    ["has no JSON in it", says("What is the fee?")],
    ["has more in it", says('{"question":"What is the fee?","route":"help","more":1}')],
    ["has an unknown route", says('{"question":"What is the fee?","route":"admin"}')],
    ["is empty", says('{"question":" ","route":"help"}')],
    ["is too long", rewritten("fee ".repeat(200))],
    ["names another number", rewritten("What is the fee of 77 USDT?")],
    ["is in another language", rewritten("提现手续费是多少？")],
    ["asks for research", rewritten("Research in depth what the withdrawal fee is")],
  ])("is as without where the reply %s", async (_, turn) => {
    const [without, found] = [
      await ask("and on ERC-20?", [NO_ANSWER]),
      await ask("and on ERC-20?", [turn, NO_ANSWER], { rewrite: turn === hangs ? { timeout_ms: 60 } : UNHURRIED }),
    ];
    expect(without).toMatchObject({ rewrites: 0 });
    expect(found.standalone).toBeUndefined();
    // The time may be over before the request is sent.
    if (turn !== hangs) expect(found.rewrites).toBe(1);
    expect([found.answer, found.routing, found.completed]).toEqual([
      without.answer,
      without.routing,
      without.completed,
    ]);
  });

  it.each<[string, string, Options]>([
    ["it is sure", "What is the USDT withdrawal fee?", { ...ON, history: [] }],
    ["it chooses a title", "the first one", { ...ON, history: [OFFERED] }],
    ["it wants advice", "should I buy BTC now?", { ...ON, history: [] }],
    ["it is not paid for", "and on ERC-20?", { ...ON, refused: ["other"] }],
    ["nothing is configured", "and on ERC-20?", {}],
  ])("costs no call where %s", async (_, question, options) => {
    expect((await ask(question, [NO_ANSWER], options)).rewrites).toBe(0);
  });
});
