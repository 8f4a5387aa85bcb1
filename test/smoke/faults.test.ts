import { afterEach, describe, expect, it } from "vitest";
import { validateResponse } from "../../src/contract/validation/validate-response.ts";
import { assistantInProcess } from "../../src/assistant/jobs/assistant-runner.ts";
import { timeoutError } from "../../src/compute/job-runner.ts";
import { checkFaults, FAULT_LIST, faultText, readFault } from "../../src/faults/fault-catalogue.ts";
import { Faults } from "../../src/faults/inject-faults.ts";
import { createApp } from "../../src/http/app.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { Service } from "../../src/service/service.ts";
import { openFixtureService } from "../support/service.ts";

/** As much of an envelope as is looked at here. */
interface Body {
  readonly code: number;
  readonly data: {
    readonly free_daily_used: number;
    readonly answer: string;
    readonly model_name: string;
    readonly total: number;
    readonly topics: unknown[];
    readonly refresh_meta: object;
  };
}

/** Sends a GET, or a POST of what is given, in alice's name. */
type Ask = (path: string, json?: object) => Promise<{ status: number; body: Body }>;

let service: Service | undefined;
afterEach(() => service?.close());

/** An API whose faults strike; every answer is checked against the contract. */
async function failing(
  typed: readonly string[],
  { armed = true, early = false, flags = {}, fixture = "small" } = {},
): Promise<Ask> {
  const faults = new Faults(typed.map(readFault), early);
  ({ service } = await openFixtureService({ fixture, create: (deps) => faults.open(deps), flags }));
  const app = createApp(service, silentLogger);
  if (armed) await faults.arm(service);
  return async (path, json) => {
    const method = json === undefined ? "GET" : "POST";
    const headers = { "x-user-token": "alice-token", "content-type": "application/json" };
    const body = json === undefined ? null : JSON.stringify(json);
    const response = await app.request(`http://anp.test${path}`, { method, headers, body });
    const text = await response.text();
    const parsed: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
    const { status } = response;
    const answer = { method, path, sent: {}, status, headers: response.headers, body: parsed };
    expect(validateResponse(answer)).toEqual([]);
    return { status, body: parsed as Body };
  };
}

const CHAT = "/api/v1/ai/chat/send";
const QUESTION = { question: "提现手续费是多少？" };
const REWARD = "/api/v1/ai/points/trade-reward";
const TRADE = { trade_type: "spot", volume_usd: 1000, ref_id: "t1" };
const SOON = { "model.base_url": "http://model.invalid/v1", "model.model": "m", "model.max_retries": 1 };

describe("a service with faults", () => {
  it.for([
    ["timeout", { ...SOON, "model.timeout_ms": 30 }],
    ["error", {}],
    ["refused", {}],
    ["empty", {}],
  ] as const)("answers 1007 and charges nothing: model=%s", async ([kind, flags]) => {
    const ask = await failing([`model=${kind}`], { flags });
    const { status, body } = await ask(CHAT, QUESTION);
    expect([status, body.code]).toEqual([502, 1007]);
    expect((await ask("/api/v1/ai/me")).body.data.free_daily_used).toBe(0);
  });

  it("serves the front page and refuses the rest where nothing can be read", async () => {
    const ask = await failing(["storage=read-error"], { fixture: "demo" });
    expect((await ask("/readyz")).status).toBe(503);
    expect((await ask("/api/v1/ai/me")).body.code).toBe(503);
    expect((await ask("/api/v1/news/hot")).body.data.total).toBeGreaterThan(0);
    expect((await ask("/api/v1/ai/hot-topics")).body.data.topics.length).toBeGreaterThan(0);
  });

  it("reads and charges nothing where nothing can be written", async () => {
    const ask = await failing(["storage=write-error"]);
    expect((await ask("/api/v1/ai/points/exchange", { token_amount: 1 })).status).toBe(503);
    expect((await ask(CHAT, QUESTION)).status).toBe(503);
    expect((await ask(REWARD, TRADE)).status).toBe(500);
    expect((await ask("/api/v1/ai/points/ledger")).body.data.total).toBe(0);
    const event = await ask("/api/v1/ai/events", { event_type: "click" });
    expect(event.body.data).toMatchObject({ accepted: true, stored: false });
  });

  it("answers 503 where what is read is damaged", async () => {
    const ask = await failing(["storage=damage"]);
    expect((await ask("/api/v1/ai/me")).status).toBe(503);
    // The questions of the log are left out: there is an end of what is damaged.
    expect((await ask("/api/v1/ai/hot-topics")).status).toBe(200);
  });

  it("does not store events while their log cannot be written, and charges as ever", async () => {
    const ask = await failing(["events=write-error"]);
    const event = await ask("/api/v1/ai/events", { event_type: "click" });
    expect(event.body.data).toMatchObject({ accepted: true, stored: false });
    expect((await ask(CHAT, QUESTION)).status).toBe(200);
  });

  it("shows the bundled snapshot when hot topics fail inside", async () => {
    const ask = await failing(["hot-topics=error"], { fixture: "demo" });
    const { status, body } = await ask("/api/v1/ai/hot-topics");
    expect(status).toBe(200);
    expect(body.data.refresh_meta).toMatchObject({ source: "fallback", stale: true });
    expect((await ask("/api/v1/news/topics")).body.data.total).toBeGreaterThan(0);
  });

  it("strikes as often as configured, and holds answers back", async () => {
    const ask = await failing(["trade-reward=error,times=2", "answers=slow,ms=60,times=1"]);
    const started = performance.now();
    const codes = [(await ask(REWARD, TRADE)).body.code];
    expect(performance.now() - started).toBeGreaterThanOrEqual(59);
    for (let at = 0; at < 2; at++) codes.push((await ask(REWARD, TRADE)).body.code);
    expect(codes).toEqual([500, 500, 0]);
  });

  it("recovers: a model that failed as often as configured answers from the first passage, and is charged", async () => {
    const ask = await failing(["model=error,times=2"], { fixture: "demo" });
    for (let at = 0; at < 2; at++) expect((await ask(CHAT, QUESTION)).body.code).toBe(1007);
    expect((await ask("/api/v1/ai/me")).body.data.free_daily_used).toBe(0);
    const { data } = (await ask(CHAT, QUESTION)).body;
    expect([data.model_name, data.answer]).toEqual([
      "failing-model",
      "提现手续费按币种和网络收取固定数量，与提现金额无关。 [1]",
    ]);
    expect((await ask("/api/v1/ai/me")).body.data.free_daily_used).toBe(1);
  });

  it.each(["What are the maker and taker fees?", "What are AI points?", "挂单和吃单的手续费是多少？"])(
    "recovers with an answer that passes the checks of a model's reply: %s",
    async (question) => {
      const ask = await failing(["model=error,times=1"], { fixture: "demo" });
      expect((await ask(CHAT, { question })).body.code).toBe(1007);
      const { data, code } = (await ask(CHAT, { question })).body;
      expect([code, data.model_name]).toEqual([0, "failing-model"]);
      expect(data.answer).toMatch(/ \[1\]$/);
      expect((await ask("/api/v1/ai/me")).body.data.free_daily_used).toBe(1);
    },
  );

  it("is armed where it could not warm up", async () => {
    const faults = new Faults([readFault("trade-reward=error")]);
    const runner = assistantInProcess();
    const assistant: typeof runner = {
      ...runner,
      run: (name, ...of) => (name === "warm" ? Promise.reject(timeoutError(2000)) : runner.run(name, ...of)),
    };
    ({ service } = await openFixtureService({ create: (deps) => faults.open({ ...deps, runners: { assistant } }) }));
    await faults.arm(service);
    const call = { request_id: "r", user: "alice" };
    await expect(service.run("postTradeReward", call, { body: TRADE })).rejects.toThrow("injected fault");
  });

  it("strikes only once it is armed", async () => {
    const ask = await failing(["trade-reward=error", "storage=down"], { armed: false });
    expect((await ask(REWARD, TRADE)).status).toBe(200);
  });

  it("strikes early requests of a daemon, but not what it does to start", async () => {
    const ask = await failing(["storage=down"], { armed: false, early: true });
    expect((await ask(REWARD, TRADE)).status).toBe(500);
    expect(await service!.storage.has(["users", "alice", "profile"])).toBe(true);
  });
});

describe("a fault's text", () => {
  it.each(FAULT_LIST.map(({ text }) => text))("is read and printed alike: %s", (text) => {
    expect(faultText(readFault(text))).toBe(text);
    expect(faultText(readFault(`${text},times=3`))).toBe(`${text},times=3`);
  });

  it.each([
    ["modle=timeout", "Did you mean model?"],
    ["model=timout", "Did you mean timeout?"],
    ["model", "must be model="],
    ["answers=slow,ms=0", "must give ms as an integer from 1"],
    ["model=error,ms=5", "has an unknown setting"],
    ["toString=error", "must be NAME=KIND"],
    ["model=toString", "must be model="],
  ])("is refused with a hint: %s", (text, hint) => {
    expect(() => readFault(text)).toThrow(hint);
  });

  it("is not accepted twice for one name", () => {
    expect(() => checkFaults([readFault("model=error"), readFault("model=empty")])).toThrow("names model twice");
  });
});
