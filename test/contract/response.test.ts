import { describe, expect, it } from "vitest";
import { ENDPOINTS, type Endpoint, type OperationId } from "../../src/contract/endpoints.ts";
import { DOCUMENTATION } from "../support/documentation.ts";
import { validateResponse, type CheckedResponse } from "../../src/contract/validation/validate-response.ts";

const endpoints = Object.entries(ENDPOINTS) as [OperationId, Endpoint][];

/** The answer that the contract gives as an example. */
function exampleOf(id: OperationId): CheckedResponse {
  const { method, path, stability, max_age_s }: Endpoint = ENDPOINTS[id];
  const marks = {
    ...(stability === "experimental" && { "x-stability": "experimental" }),
    ...(max_age_s !== undefined && { etag: 'W/"x"', "cache-control": `max-age=${max_age_s}` }),
  };
  return {
    method,
    path,
    sent: {},
    status: 200,
    headers: new Headers({ "content-type": "application/json; charset=utf-8", "x-request-id": "r1", ...marks }),
    body: { success: true, code: 0, message: "ok", data: DOCUMENTATION[id].data, request_id: "r1" },
  };
}

const me = exampleOf("getMe");
const refusal = (code: number, more: object = {}): object => ({
  success: false,
  code,
  message: "no",
  request_id: "r1",
  ...more,
});

const FAULT = { in: "query", path: "page", message: "must be at least 1" };
const UNKNOWN_ERRORS = "errors is not a field of the contract";

/** What is reported of an answer that is as the example, but for some changes. */
function toldOf(changes: Partial<CheckedResponse>, example: CheckedResponse = me): string[] {
  return validateResponse({ ...example, ...changes }).map(({ path, message }) => `${path} ${message}`);
}

function withHeaders(changes: Record<string, string | null>, example: CheckedResponse = me): { headers: Headers } {
  const headers = new Headers(example.headers as Headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return { headers };
}

function withData(changes: object): { body: object } {
  return { body: { ...(me.body as object), data: { ...DOCUMENTATION.getMe.data, ...changes } } };
}

describe("checking an answer against the contract", () => {
  it.each(endpoints)("finds nothing in the example of %s", (id) => {
    expect(toldOf({}, exampleOf(id))).toEqual([]);
  });

  it.each<[string, Partial<CheckedResponse>, string[]]>([
    ["a field that is missing", withData({ user_id: undefined }), ["data.user_id is required"]],
    [
      "a field of another type",
      withData({ balance_points: "5" }),
      ['data.balance_points must be an integer of at least 0, not "5"'],
    ],
    ["a field that is not in the contract", withData({ email: "x" }), ["data.email is not a field of the contract"]],
    [
      "a field beside the envelope's",
      { body: { ...(me.body as object), trace: 1 } },
      ["trace is not a field of the contract"],
    ],
    [
      "a timestamp without an offset",
      withData({ next_reset_at: "2026-11-20T00:00:00" }),
      ["data.next_reset_at must be an ISO 8601 instant with an offset, such as 2026-11-20T00:00:00Z"],
    ],
    ["a body that is no JSON", { body: undefined }, ["body is not a JSON object"]],
    [
      "another content type",
      withHeaders({ "content-type": "text/html" }),
      ["headers.content-type is text/html, not application/json"],
    ],
    ["no request id", withHeaders({ "x-request-id": null }), ["headers.x-request-id is missing"]],
    ["another request id", withHeaders({ "x-request-id": "r2" }), ["headers.x-request-id is r2, but request_id is r1"]],
    [
      "a request id that is not echoed",
      { sent: { "x-request-id": "mine" } },
      ["headers.x-request-id is r1, but mine was sent"],
    ],
    [
      "a mark of an experiment on what is stable",
      withHeaders({ "x-stability": "experimental" }),
      ["headers.x-stability is experimental, not absent"],
    ],
    [
      "a replay mark of its own kind",
      withHeaders({ "idempotency-replayed": "yes" }),
      ["headers.idempotency-replayed is yes, not absent"],
    ],
    [
      "a code that the operation does not have",
      { status: 402, body: refusal(1005) },
      ["code is 1005, not one of the operation's: 400, 401, 404, 405, 408, 417, 429, 431, 500, 503"],
    ],
    [
      "a status that does not go with the code",
      { status: 400, body: refusal(401) },
      ["status is 400, but code 401 goes with 401"],
    ],
    ["a failure with data", { status: 404, body: refusal(404, { data: {} }) }, ["data is not a field of the contract"]],
    ["a 401 without a challenge", { status: 401, body: refusal(401) }, ["headers.www-authenticate is missing"]],
    ["field errors of another code", { status: 404, body: refusal(404, { errors: [FAULT] }) }, [UNKNOWN_ERRORS]],
    ["a 500 without a detail", { status: 500, body: refusal(500) }, ["detail is required"]],
    [
      "a 503 that does not say when to try again",
      { status: 503, body: refusal(503) },
      ["headers.retry-after is missing"],
    ],
    ["a 405 that does not say what is allowed", { status: 405, body: refusal(405) }, ["headers.allow is missing"]],
    [
      "a success of no endpoint",
      { path: "/api/v1/ai/nothing" },
      ["status is 200, but the contract has no such endpoint"],
    ],
  ])("finds %s", (_what, changes, told) => {
    expect(toldOf(changes)).toEqual(told);
  });

  it("wants faults in a 422 and the mark of the experimental endpoint on its failures too", () => {
    const ledger = exampleOf("getLedger");
    expect(toldOf({ status: 422, body: refusal(422) }, ledger)).toEqual(["errors is required"]);
    const errors = [{ in: "query", path: "page", message: "must be at least 1" }];
    expect(toldOf({ status: 422, body: refusal(422, { errors }) }, ledger)).toEqual([]);
    const reward = exampleOf("postTradeReward");
    const failed = { status: 500, body: refusal(500, { detail: "x" }) };
    expect(toldOf(failed, reward)).toEqual([]);
    expect(toldOf({ ...failed, ...withHeaders({ "x-stability": null }, reward) }, reward)).toEqual([
      "headers.x-stability is missing, not experimental",
    ]);
  });

  it("wants the headers of the document, and no body of a 304", () => {
    const questions = exampleOf("getRecommendedQuestions");
    const unchanged = {
      status: 304,
      body: undefined,
      headers: new Headers({ etag: 'W/"x"', "cache-control": "max-age=60" }),
    };
    expect(toldOf(unchanged, questions)).toEqual([]);
    expect(toldOf({ ...unchanged, headers: new Headers({ "x-request-id": "r1" }) }, questions)).toEqual([
      "headers.x-request-id is r1, not absent",
      "headers.etag is missing",
    ]);
    expect(toldOf({ ...unchanged, body: questions.body }, questions)).toEqual(["body is not empty"]);
    expect(toldOf(unchanged)).toEqual([
      "status is 304, which the operation does not have",
      "headers.cache-control is max-age=60, not no-store",
    ]);
    const exchange = exampleOf("exchangePoints");
    expect(toldOf(withHeaders({ "idempotency-replayed": "yes" }, exchange), exchange)).toEqual([
      "headers.idempotency-replayed is yes, not true",
    ]);
    expect(toldOf(withHeaders({ "cache-control": "max-age=1", etag: null }, questions), questions)).toEqual([
      "headers.etag is missing",
      "headers.cache-control is max-age=1, not max-age=60",
    ]);
  });

  it("takes a 404 of a path that there is not, a HEAD without a body, and any page outside of the API", () => {
    expect(toldOf({ path: "/api/v1/ai/nothing", status: 404, body: refusal(404) })).toEqual([]);
    expect(toldOf({ method: "HEAD", body: undefined })).toEqual([]);
    expect(toldOf({ path: "/readyz", body: "ready", ...withHeaders({ "x-request-id": null }) })).toEqual([]);
  });
});
