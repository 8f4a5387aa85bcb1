import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ENDPOINTS, type Endpoint, type OperationId } from "../../src/contract/endpoints.ts";
import { DOCUMENTATION } from "../support/documentation.ts";
import { eventAt } from "../events/open-events.ts";
import { describeApi, type Api } from "./describe-api.ts";

const endpoints = (Object.keys(ENDPOINTS) as OperationId[]).map((id) => ({
  id,
  ...(ENDPOINTS[id] as Endpoint),
  example: DOCUMENTATION[id],
}));

const INEXACT = "must be a number that a double keeps exactly; send others as strings";

describeApi("protocol", (open) => {
  let api: Api;
  beforeEach(async () => {
    api = await open({ refresh: false });
  });
  afterEach(() => api.close());

  it.each(endpoints)("answers the contract's example request of $id", async ({ method, path, example }) => {
    await api.close();
    api = await open({});
    const query = new URLSearchParams(
      Object.entries(example.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const answer = await api.ask(`${path}?${query.toString()}`, {
      method,
      token: "demo-token",
      ...(example.body === undefined ? {} : { json: example.body }),
    });
    expect(answer.body).toMatchObject({ success: true, code: 0, message: "ok" });
  });

  it("refuses a missing, unknown, overlong and expired token with 401, before it looks at the body", async () => {
    const { secret } = await api.service.tokens.issue("alice", { expires_at: api.clock.now() + 1000 });
    expect((await api.ask("/api/v1/ai/me", { token: secret })).status).toBe(200);
    api.clock.advance(1000);
    const bad = [undefined, "", "nobody", "x".repeat(10_000), secret, "alice-token, alice-token", "a.b.c"];
    for (const { method, path } of endpoints.filter(({ auth }) => auth === "required")) {
      for (const token of bad) {
        const answer = await api.ask(path, {
          method,
          ...(token === undefined ? {} : { token }),
          ...(method === "POST" ? { raw: "{" } : {}),
        });
        expect([path, token?.slice(0, 20), answer.status, answer.body.code]).toEqual([
          path,
          token?.slice(0, 20),
          401,
          401,
        ]);
        expect(answer.body).not.toHaveProperty("data");
      }
    }
  });

  it("takes a bad token on an optional endpoint for an anonymous caller, and none on a public one", async () => {
    for (const { path } of endpoints.filter(({ auth }) => auth !== "required")) {
      expect((await api.ask(path)).status).toBe(200);
      expect((await api.ask(path, { token: "nobody" })).status).toBe(200);
    }
  });

  it("refuses a revoked token at once", async () => {
    const { secret, record } = await api.service.tokens.issue("alice");
    expect((await api.ask("/api/v1/ai/me", { token: secret })).status).toBe(200);
    await api.service.tokens.revoke(record.id);
    expect((await api.ask("/api/v1/ai/me", { token: secret })).status).toBe(401);
  });

  it("answers an unknown path with 404 and another method with 405 and Allow, with any token", async () => {
    for (const path of [
      "/api/v1/ai/mee",
      "/api/v1",
      "/api/v2/ai/me",
      "//api/v1/ai/me",
      "/%00",
      "/api/v1/ai/me/",
      "/docs/",
    ]) {
      const answer = await api.ask(path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 404]);
    }
    for (const { method, path } of endpoints) {
      for (const other of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].filter((name) => name !== method)) {
        const answer = await api.ask(path, { method: other });
        const allowed = method === "GET" ? "GET, HEAD" : method;
        expect([path, other, answer.status, answer.headers.get("allow")]).toEqual([path, other, 405, allowed]);
      }
    }
  });

  it("refuses another content type with 415, what is too large with 413, what is no JSON with 422", async () => {
    for (const { path } of endpoints.filter(({ body }) => body !== undefined)) {
      const send = async (raw: string | Uint8Array<ArrayBuffer>, type: string): Promise<number> =>
        (await api.ask(path, { token: "alice-token", raw, headers: { "content-type": type } })).body.code;
      expect(await send("{}", "text/plain")).toBe(415);
      expect(await send("{}", "")).toBe(415);
      expect(await send("a=b", "application/x-www-form-urlencoded")).toBe(415);
      expect(await send(JSON.stringify({ question: "x".repeat(2_000_000) }), "application/json")).toBe(413);
      for (const cut of ['{"question":"wha', '{"token_amount":', "", "{}{}", "\ufeff{", "nul"]) {
        expect(await send(cut, "application/json")).toBe(422);
      }
      expect(await send(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "application/json")).toBe(422);
    }
    const charset = { "content-type": "Application/JSON; charset=utf-8" };
    const raw = '{"token_amount":1}';
    expect((await api.ask("/api/v1/ai/points/exchange", { token: "alice-token", raw, headers: charset })).status).toBe(
      200,
    );
    expect((await api.ask("/api/v1/ai/points/ledger", { token: "alice-token" })).body.data.total).toBe(1);
  });

  it("refuses a coded body and another charset with 415, whatever the bytes are", async () => {
    const raw = '{"token_amount":1}';
    const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      api.ask("/api/v1/ai/points/exchange", { token: "alice-token", raw: body, headers });
    for (const coding of ["gzip", "br", "identity, gzip", "GZIP", "nonsense"]) {
      for (const body of [raw, new Uint8Array(gzipSync(raw))]) {
        const { body: refusal, headers } = await send(body, { "content-encoding": coding });
        expect([coding, refusal.code, headers.get("accept-encoding")]).toEqual([coding, 415, "identity"]);
      }
    }
    for (const charset of ["utf-16", "ISO-8859-1", '"utf-16le"', "gbk", "utf-8x"]) {
      const { body, headers } = await send(raw, { "content-type": `application/json; a=b; Charset=${charset}` });
      expect([charset, body.code, headers.get("accept-encoding")]).toEqual([charset, 415, null]);
    }
    for (const headers of [
      { "content-encoding": "Identity" },
      { "content-type": 'application/json; charset="UTF-8"' },
      { "content-type": "application/json;charset=utf8" },
      { "content-type": "application/json; profile=x" },
    ] as Record<string, string>[]) {
      expect([headers, (await send(raw, headers)).status]).toEqual([headers, 200]);
    }
  });

  it("lists every fault of query, header and body, and names the bound", async () => {
    const cases: [string, string[]][] = [
      [
        "/api/v1/ai/points/ledger?page=0&page_size=101",
        ["page: must be an integer of at least 1, not 0", "page_size: must be an integer from 1 to 100, not 101"],
      ],
      ["/api/v1/ai/points/ledger?page=abc", ['page: must be an integer of at least 1, not "abc"']],
      ["/api/v1/ai/points/ledger?page=1.5", ["page: must be an integer of at least 1, not 1.5"]],
      ["/api/v1/ai/points/ledger?page=", ['page: must be an integer of at least 1, not ""']],
      ["/api/v1/ai/points/ledger?page=1&page=2", ["page: must be given once"]],
      [
        "/api/v1/news/hot?q=%zz&symbol=%E0%A4&other=%zz&category=100%25+%E2%82%BF",
        ["q: must be percent-encoded UTF-8", "symbol: must be percent-encoded UTF-8"],
      ],
      ["/api/v1/news/hot?%71=%ff", ["q: must be percent-encoded UTF-8"]],
      ["/api/v1/ai/points/ledger?page=9007199254740992", ["page: must be at most 9007199254740991"]],
      ...["%2B5", "+5", "1e1", "%205", "5.0", "05", "5%20", "0x5", "٥", "5_0"].map((text): [string, string[]] => [
        `/api/v1/ai/points/ledger?page_size=${text}`,
        [`page_size: must be an integer from 1 to 100, not "${decodeURIComponent(text.replace("+", " "))}"`],
      ]),
      ["/api/v1/ai/recommended-questions?limit=21", ["limit: must be an integer from 1 to 20, not 21"]],
      ...[
        ["ai/recommended-questions?limit", 20],
        ["ai/hot-topics?limit", 50],
        ["ai/hot-topics?days", 30],
        ["news/hot?limit", 100],
        ["news/hot?hours", 720],
        ["news/topics?limit", 50],
        ["ai/points/ledger?page_size", 100],
      ].map(([field, most]): [string, string[]] => [
        `/api/v1/${field}=100000000000000000000`,
        [`${String(field).split("?")[1]}: must be an integer from 1 to ${most}, not 100000000000000000000`],
      ]),
      [
        "/api/v1/ai/recommended-questions?limit=0&lang=",
        ["lang: must not be empty", "limit: must be an integer from 1 to 20, not 0"],
      ],
      [`/api/v1/ai/recommended-questions?scene=${"x".repeat(33)}`, ["scene: must have at most 32 characters"]],
      [
        "/api/v1/ai/hot-topics?days=31&limit=51",
        ["days: must be an integer from 1 to 30, not 31", "limit: must be an integer from 1 to 50, not 51"],
      ],
      [
        "/api/v1/ai/hot-topics?days=0&limit=0",
        ["days: must be an integer from 1 to 30, not 0", "limit: must be an integer from 1 to 50, not 0"],
      ],
      [
        "/api/v1/news/hot?limit=101&hours=721",
        ["limit: must be an integer from 1 to 100, not 101", "hours: must be an integer from 1 to 720, not 721"],
      ],
      ["/api/v1/news/hot?limit=abc", ['limit: must be an integer from 1 to 100, not "abc"']],
      [
        "/api/v1/news/hot?q=%00&symbol=ABCDEFGHIJKLMNOPQ",
        ["q: must be well-formed Unicode without NUL", "symbol: must have at most 16 characters"],
      ],
      ["/api/v1/news/topics?limit=51", ["limit: must be an integer from 1 to 50, not 51"]],
    ];
    for (const [path, faults] of cases) {
      const answer = await api.ask(path, { token: "alice-token" });
      expect(answer.status).toBe(422);
      const told = answer.body.errors.map((fault) => {
        expect(fault.in).toBe("query");
        return `${fault.path}: ${fault.message}`;
      });
      expect(told.sort()).toEqual([...faults].sort());
    }
    const both = await api.ask("/api/v1/news/hot?limit=1&limit=2&hours=721");
    expect(both.body.errors.map(({ path }) => path)).toEqual(["limit", "hours"]);
    const mixed = await api.ask("/api/v1/ai/points/exchange", {
      token: "alice-token",
      json: { token_amount: 0 },
      headers: { "idempotency-key": "a b" },
    });
    expect(mixed.body.errors.map((fault) => [fault.in, fault.path])).toEqual([
      ["header", "Idempotency-Key"],
      ["body", "token_amount"],
    ]);
    const refresh = await api.ask("/api/v1/news/refresh?mode=half", { method: "POST", token: "alice-token" });
    expect(refresh.body.errors).toEqual([
      { in: "query", path: "mode", message: 'must be one of view, full, not "half"' },
    ]);
  });

  it("echoes a well-formed request id and makes one otherwise", async () => {
    const id = async (given: string): Promise<string> =>
      (await api.ask("/api/v1/ai/me", { token: "alice-token", headers: { "x-request-id": given } })).body.request_id;
    expect(await id("abc-DEF_123")).toBe("abc-DEF_123");
    for (const given of ["", "a b", "x".repeat(129), 'a"b', "ä"]) {
      const made = await id(given);
      expect(made).not.toBe(given);
      expect(made).toMatch(/^[\w-]{1,128}$/);
    }
  });

  it("reports what is wrong with a bad event, and stores a good one under an id that addresses it", async () => {
    const send = (json: unknown) => api.ask("/api/v1/ai/events", { token: "alice-token", json });
    const before = (await api.service.events.stats()).events;
    let deep: object = {};
    for (let level = 1; level < 50; level++) deep = { deeper: deep };
    const cases: [unknown, string][] = [
      [{ event_type: "a" }, "event_type: must have at least 2 characters"],
      [{ event_type: " a " }, "event_type: must have at least 2 characters"],
      [{ event_type: 5 }, "event_type: must be a string, not a number"],
      [{}, "event_type: is required"],
      [{ event_type: "ok", feedback_type: "bad" }, 'feedback_type: must be one of helpful, inaccurate, not "bad"'],
      [{ event_type: "ok", event_payload: deep }, "event_payload: must be nested at most 16 levels deep"],
      [
        { event_type: "ok", event_payload: { x: "y".repeat(17_000) } },
        "event_payload: must be at most 16384 bytes as JSON",
      ],
      [
        { event_type: "ok", event_payload: Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`k${at}`, 1])) },
        "event_payload: must be at most 16384 bytes as JSON",
      ],
      [{ event_type: "ok", event_payload: "y".repeat(17_000) }, "event_payload: must be an object, not a string"],
      [{ event_type: "ok", event_payload: [] }, "event_payload: must be an object, not an array"],
      [{ event_type: "ok", session_id: 0 }, "session_id: must be an integer of at least 1, not 0"],
    ];
    const payloads: [string, string][] = [
      ['{"a":[0.1000000000000000055511151231257827]}', `.a.0: ${INEXACT}`],
      ['{"a":1e-400}', `.a: ${INEXACT}`],
      ['{"a":{"b":0.12345678901234567890}}', `.a.b: ${INEXACT}`],
      ['{"__proto__":{"a":1}}', ".__proto__: must have another name: __proto__ is not kept"],
      ['{"a":{"\\u005f_proto__":1}}', ".a.__proto__: must have another name: __proto__ is not kept"],
    ];
    const raw = (payload: string): string =>
      `{"event_type":"ok","event_payload":${payload},"x":0.10000000000000000001}`;
    for (const [json, words] of [...cases, ...payloads]) {
      const asking = typeof json === "string" ? { raw: raw(json) } : { json };
      const { status, body } = await api.ask("/api/v1/ai/events", { token: "alice-token", ...asking });
      expect(status).toBe(422);
      const prefix = typeof json === "string" ? "event_payload" : "";
      expect(body.errors.map(({ path, message }) => `${path}: ${message}`)).toEqual([prefix + words]);
    }
    expect((await api.service.events.stats()).events).toBe(before);
    const kept =
      '{"a":[1.0,1e2,0.1,0.30000000000000004,5e-324,9007199254740991],"b":"\\u0041:1e5","c":[{"a":1},{"a":1}]}';
    const sent = await api.ask("/api/v1/ai/events", { token: "alice-token", raw: raw(kept) });
    expect((await eventAt(api.service.storage, sent.body.data.event_id))?.event_payload).toEqual(JSON.parse(kept));
    const { body } = await send({
      event_type: "answer_feedback",
      message_id: 7,
      feedback_type: "helpful",
      event_payload: { a: [1] },
    });
    expect(body.data).toMatchObject({ event_type: "answer_feedback", accepted: true, stored: true });
    expect(body.data.event_id).toMatch(/^2026-11-20-\d+-0$/);
    expect(await eventAt(api.service.storage, body.data.event_id)).toMatchObject({ user_id: "alice", message_id: 7 });
  });

  it("answers health, readiness and the OpenAPI document", async () => {
    expect(await api.ask("/healthz")).toMatchObject({ status: 200, text: "ok\n" });
    expect(await api.ask("/readyz")).toMatchObject({ status: 200, text: "ready\n" });
    const document = JSON.parse((await api.ask("/openapi.json")).text) as { openapi: string; paths: object };
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toEqual(Object.values(ENDPOINTS).map(({ path }) => path));
  });

  it("builds the OpenAPI document once", async () => {
    const first = await api.ask("/openapi.json");
    const stringify = vi.spyOn(JSON, "stringify");
    const again = await api.ask("/openapi.json");
    const longest = Math.max(0, ...stringify.mock.results.map(({ value }) => String(value).length));
    stringify.mockRestore();
    expect(again.text).toBe(first.text);
    expect(longest).toBeLessThan(first.text.length / 2);
  });
});
