import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { verifyLedger } from "../support/verify-ledger.ts";
import { createMessages } from "../../src/assistant/sessions/messages.ts";
import { describeApi, type Api } from "./describe-api.ts";

const GROUNDED = "提现手续费是多少？";

describeApi("chat", (open) => {
  let api: Api;
  beforeEach(async () => {
    api = await open();
  });
  afterEach(() => api.close());

  const chat = (token: string, json: object, headers: Record<string, string> = {}) =>
    api.ask("/api/v1/ai/chat/send", { token, json, headers });
  const points = async (token: string) => (await api.ask("/api/v1/ai/points", { token })).body.data;
  const ledger = async (token: string) => (await api.ask("/api/v1/ai/points/ledger", { token })).body.data;

  it("answers from the help center with its sources, and makes one entry under the request id", async () => {
    const { body } = await chat("alice-token", { question: GROUNDED }, { "x-request-id": "chat-1" });
    expect(body.data).toMatchObject({
      route: "help",
      points_cost: 0,
      credits_remaining: 0,
      model_name: "local-extractive",
    });
    expect(body.data.source_items[0]).toMatchObject({ kind: "help", lang: "zh" });
    expect(body.data.answer).toContain(body.data.source_items[0]?.snippet);
    expect(body.data.session_id).toBe(body.data.message_id);
    expect(await ledger("alice-token")).toMatchObject({
      total: 1,
      items: [{ id: 1, delta: 0, type: "chat_cost", ref_id: "chat-1" }],
    });
    expect(await points("alice-token")).toMatchObject({ free_daily_used: 1, remaining_free_quota: 4 });
  });

  it("answers in the language of the question", async () => {
    const english = (await chat("alice-token", { question: "What is the withdrawal fee?" })).body.data;
    expect(english.source_items.length).toBeGreaterThan(0);
    for (const { lang } of english.source_items) expect(lang).toBe("en");
    expect(english.answer).not.toMatch(/\p{Script=Han}/u);
  });

  it("spends points when no free use is left, and says what is left", async () => {
    await api.service.adjust({ user: "bob", delta: 2, reason: "test", actor: "test", request_id: "r" });
    const first = (await chat("bob-token", { question: GROUNDED })).body.data;
    expect(first).toMatchObject({ points_cost: 1, credits_remaining: 1 });
    expect((await chat("bob-token", { question: GROUNDED })).body.data).toMatchObject({
      points_cost: 1,
      credits_remaining: 0,
    });
    const refused = await chat("bob-token", { question: GROUNDED });
    expect([refused.status, refused.body.code]).toEqual([402, 1005]);
    expect(await ledger("bob-token")).toMatchObject({ total: 3 });
  });

  it("answers account questions from the user's own figures, free and without a free use", async () => {
    const { body } = await chat("carol-token", { question: "How many points do I have?" });
    expect(body.data).toMatchObject({
      route: "account",
      sub_intent: "balance",
      points_cost: 0,
      credits_remaining: 1000,
    });
    expect(body.data.answer).toContain("1000 points");
    expect(body.data.source_items[0]).toMatchObject({ kind: "account" });
    expect((await chat("bob-token", { question: "我还有多少积分？" })).body.data.answer).toContain("0 积分");
  });

  it("charges nothing for small talk, nor for an answer that found no grounds, and says so honestly", async () => {
    for (const question of ["你好", "谢谢", "What is the boiling point of tungsten hexafluoride in kelvin?"]) {
      const { body } = await chat("bob-token", { question });
      if (body.code === 1005) continue;
      expect(body.data.points_cost).toBe(0);
      expect(body.data.answer).not.toMatch(/fallback|threshold|score|undefined|null/i);
    }
    const full = await open({ fixture: "demo" });
    const question = "食堂周五供应什么菜？";
    const { body } = await full.ask("/api/v1/ai/chat/send", { token: "alice-token", json: { question } });
    expect(body.data.points_cost).toBe(0);
    expect(body.data.answer).toMatch(/^我没有找到确定的答案。/);
    const { data } = (await full.ask("/api/v1/ai/points", { token: "alice-token" })).body;
    expect(data.free_daily_used).toBe(0);
    await full.close();
  });

  it("lets exactly 8 of 200 parallel chats through for 5 free uses and 3 points", async () => {
    await api.service.adjust({ user: "alice", delta: 3, reason: "test", actor: "test", request_id: "r" });
    const answers = await Promise.all(Array.from({ length: 200 }, () => chat("alice-token", { question: GROUNDED })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(answers.filter(({ body }) => body.code === 1005)).toHaveLength(192);
    expect(await points("alice-token")).toMatchObject({ balance: 0, total_spent: 3, remaining_free_quota: 0 });
    expect(await verifyLedger(api.service.storage, "alice")).toMatchObject({ entries: 9, balance: 0 });
  });

  it("computes 20 questions a minute for who cannot pay, and asks to send the others later", async () => {
    const key = { "idempotency-key": "k" };
    let asked = 0;
    const ask = (token: string, headers = {}) =>
      chat(token, { question: `How many points do I have?${" ?".repeat(asked++)}` }, headers);
    const first = await chat("bob-token", { question: "How many points do I have" }, key);
    for (let n = 1; n < 20; n++) expect((await ask("bob-token")).status).toBe(200);
    for (let n = 0; n < 2; n++) {
      const { status, body, headers } = await ask("bob-token");
      expect([status, body.code]).toEqual([429, 429]);
      expect(headers.get("retry-after")).toMatch(/^(?:[1-9]|[1-5]\d|60)$/);
    }
    expect((await chat("bob-token", { question: "How many points do I have" }, key)).body.data).toEqual(
      first.body.data,
    );
    expect((await chat("bob-token", { question: "How many points do I have" })).status).toBe(200); // Computed already.
    for (let n = 0; n < 25; n++) expect((await ask("alice-token")).status).toBe(200);
  });

  it("gives a repeated Idempotency-Key the first answer and charges once", async () => {
    const key = { "idempotency-key": "k-1" };
    const first = await chat("alice-token", { question: GROUNDED }, key);
    const again = await chat("alice-token", { question: GROUNDED }, key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body.data).toEqual(first.body.data);
    const both = await Promise.all(
      [1, 2, 3].map(() => chat("alice-token", { question: GROUNDED }, { "idempotency-key": "k-2" })),
    );
    expect(new Set(both.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect((await chat("alice-token", { question: "另一个问题" }, key)).body.code).toBe(422);
    expect(await ledger("alice-token")).toMatchObject({ total: 2 });
  });

  it("keeps the turns of a session in order, and never shows another user's", async () => {
    const first = (await chat("carol-token", { question: "What is the withdrawal fee?" })).body.data;
    const { session_id } = first;
    expect((await chat("carol-token", { question: "And the minimum?", session_id })).body.data.session_id).toBe(
      session_id,
    );
    await api.service.settled();
    const kept = createMessages({ storage: api.service.storage, clock: api.clock, ids: api.service.ids });
    expect((await kept.history("carol", session_id, 10)).map(({ question }) => question)).toEqual([
      "What is the withdrawal fee?",
      "And the minimum?",
    ]);
    expect(await kept.history("alice", session_id, 10)).toEqual([]);
    expect((await chat("alice-token", { question: GROUNDED, session_id: 42 })).body.data.session_id).toBe(42);
  });

  it("refuses a malformed question with the bound, and writes nothing", async () => {
    const cases: [unknown, string][] = [
      ["", "must not be empty"],
      [" \n\t　", "must not be empty"],
      ["字".repeat(2001), "must have at most 2000 characters"],
      [`${"😀".repeat(2000)}a`, "must have at most 2000 characters"],
      [5, "must be a string, not a number"],
      [undefined, "is required"],
      [null, "must be a string, not null"],
    ];
    for (const [question, message] of cases) {
      const { status, body } = await chat("alice-token", { question });
      expect(status).toBe(422);
      expect(body.errors).toEqual([{ in: "body", path: "question", message }]);
    }
    expect((await chat("alice-token", { question: `  ${"😀".repeat(1999)}a  ` })).status).toBe(200);
    expect(await ledger("alice-token")).toMatchObject({ total: 1 });
  });

  it("answers a question without a letter or a digit for nothing, with what can be asked", async () => {
    for (const question of ["😀🎉", "???!!!", "。"]) {
      const { status, body } = await chat("bob-token", { question });
      expect([status, body.data.route, body.data.sub_intent]).toEqual([200, "small_talk", "capability"]);
      expect(body.data).toMatchObject({ points_cost: 0, credits_remaining: 0 });
      await chat("alice-token", { question });
    }
    expect((await api.ask("/api/v1/ai/me", { token: "alice-token" })).body.data.free_daily_used).toBe(0);
  });

  it("counts a question as hot once enough different users asked it", async () => {
    // Each window is ranked once a second.
    let days = 0;
    const hot = async (): Promise<string[]> =>
      (await api.ask(`/api/v1/ai/hot-topics?limit=50&days=${++days}`)).body.data.user_hot_questions.map(
        ({ question }) => question,
      );
    const question = "子账户最多可以开几个？";
    for (const token of ["alice-token", "carol-token", "alice-token"]) await chat(token, { question });
    await api.service.events.flush();
    expect(await hot()).not.toContain(question);
    const forged = { event_type: "question_asked", event_payload: { question, lang: "zh" } };
    expect((await api.ask("/api/v1/ai/events", { token: "bob-token", json: forged })).body.data.event_type).toBe(
      "question_asked",
    );
    expect(await hot()).not.toContain(question);
    await chat("demo-token", { question });
    const unanswered = "如何申请企业账户的做市商返佣？";
    for (const token of ["alice-token", "carol-token", "demo-token"]) await chat(token, { question: unanswered });
    await api.service.events.flush();
    const shown = await hot();
    expect(shown).toContain(question);
    expect(shown).not.toContain(unanswered);
  });
});

describeApi("chat with a configured model", (open) => {
  let model: Server;
  let reply: { status: number; body: string };
  let api: Api;

  beforeEach(async () => {
    model = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
      });
    });
    await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
    const { port } = model.address() as AddressInfo;
    api = await open({
      flags: { "model.base_url": `http://127.0.0.1:${port}/v1`, "model.model": "test-model", "model.max_retries": 0 },
    });
  });
  afterEach(async () => {
    await api.close();
    model.closeAllConnections();
    await new Promise((resolve) => model.close(resolve));
  });

  const ask = () => api.ask("/api/v1/ai/chat/send", { token: "alice-token", json: { question: GROUNDED } });

  it("gives the model's answer under its name, with the sources it cites", async () => {
    const content = "提现手续费见费率表 [1]。";
    reply = {
      status: 200,
      body: JSON.stringify({
        id: "1",
        object: "chat.completion",
        created: 1,
        model: "test-model",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    };
    const { body } = await ask();
    expect(body.data.model_name).toBe("test-model");
    expect(body.data.answer).toContain("提现手续费见费率表");
    expect(body.data.source_items).toHaveLength(1);
  });

  it("answers 1007 and charges nothing when the model fails", async () => {
    reply = { status: 500, body: "{}" };
    const answer = await ask();
    expect([answer.status, answer.body.code]).toEqual([502, 1007]);
    const { body } = await api.ask("/api/v1/ai/points", { token: "alice-token" });
    expect(body.data.free_daily_used).toBe(0);
    expect((await api.ask("/api/v1/ai/points/ledger", { token: "alice-token" })).body.data.total).toBe(0);
  });
});
