import { expect, it } from "vitest";
import { faultsOf } from "./smoke-files.ts";

const IS_NOT = "is not a field of the answer.";

it.each<[string, string, string, ...string[]]>([
  ["a field", "GET /api/v1/ai/points", "data: { balanse: 1 }", `4:17: data.balanse ${IS_NOT} Did you mean balance?`],
  [
    "one inside of $not",
    "GET /api/v1/ai/points",
    "data: { $not: { balanse: 1 } }",
    `4:25: data.balanse ${IS_NOT} Did you mean balance?`,
  ],
  [
    "one that is to exist",
    "GET /api/v1/ai/points",
    "data: { balanse: { $exists: true } }",
    `4:17: data.balanse ${IS_NOT} Did you mean balance?`,
  ],
  [
    "one of a list's elements",
    "GET /api/v1/news/topics",
    "data: { topics: [{ titel: x }] }",
    `4:28: data.topics.0.titel ${IS_NOT} Did you mean title?`,
  ],
  [
    "those inside of matchers of a list",
    "GET /api/v1/ai/points/ledger",
    "data: { items: { $all: [{ $each: { dleta: 1 } }, { $contains: { typ: x } }], $sorted: { by: creatd_at } } }",
    `4:44: data.items.0.dleta ${IS_NOT} Did you mean delta?`,
    `4:73: data.items.0.typ ${IS_NOT} Did you mean type?`,
    `4:101: data.items.0.creatd_at ${IS_NOT} Did you mean created_at?`,
  ],
  [
    "those of the whole body",
    "GET /api/v1/ai/recommended-questions",
    "body: { data: { user: x }, sucess: true }",
    `4:25: body.data.user ${IS_NOT} Known keys: scene, lang, questions.`,
    `4:36: body.sucess ${IS_NOT} Did you mean success?`,
  ],
  [
    "those of a failure",
    "GET /api/v1/ai/me",
    "code: 401, body: { mesage: x, errors: [{ feild: x }] }",
    `4:28: body.mesage ${IS_NOT} Did you mean message?`,
    `4:50: body.errors.0.feild ${IS_NOT} Known keys: in, path, message.`,
  ],
])("finds %s that the contract does not have", (_what, request, expected, ...found) => {
  expect(faultsOf(`steps:\n  - request: ${request}\n    expect:\n      { ${expected} }\n`)).toEqual(found);
});

it("finds references to fields that the contract does not have", () => {
  const step = (reference: string): string =>
    `steps:\n  - { id: before, request: GET /api/v1/ai/points }\n  - request: GET /api/v1/ai/me?x=1\n    expect: { data: { balance_points: { $sum: ["-\${before.${reference}}", 1] } } }\n`;
  expect(faultsOf(step("data.balanse"))).toEqual([
    "4:48: ${before.data.balanse} cannot be resolved: data.balanse is not a field of the answer. Did you mean balance?",
  ]);
  expect(faultsOf(step("dta.balance"))).toEqual([
    "4:48: ${before.dta.balance} cannot be resolved: dta is not a field of the answer. Did you mean data?",
  ]);
  expect(faultsOf(step("body.data.user"))).toHaveLength(1);
  for (const legal of [
    "data.balance",
    "body.data.balance",
    "body.errors[0].path",
    "errors[0].message",
    "status",
    "code",
  ]) {
    expect(faultsOf(step(legal))).toEqual([]);
  }
  for (const legal of ["headers.x-anything", "text", "request_id", "data", "detail", "all[0].data.balance"]) {
    expect(faultsOf(step(legal))).toEqual([]);
  }
});

it.each([
  [
    "a field that must not exist",
    "GET /api/v1/ai/me",
    "data: { secret: { $exists: false }, other: { $not: { $exists: true } } }",
  ],
  ["a page", "GET /openapi.json", "body: { whatever: 1, paths: { $exists: true } }"],
  ["an unknown path", "GET /api/v1/ai/nothing", "status: 404, body: { anything: 1 }"],
  ["a path with a reference", "GET /api/v1/ai/${run.id}", "data: { anything: 1 }"],
  ["a free-form map", "GET /api/v1/ai/hot-topics", "data: { refresh_meta: { coverage: { news: { xx: 1 } } } }"],
  ["features of a plan", "GET /api/v1/ai/subscription", "data: { features: { telepathy: false } }"],
  ["the length of a list", "GET /api/v1/news/topics", "data: { topics: { $length: 3 }, total: { $in: [1, 2] } }"],
  ["a whole list or nothing", "GET /api/v1/news/hot", "data: { news: { $in: [[], { $each: { lang: en } }] } }"],
  ["an exact object", "GET /api/v1/ai/subscription", "data: { features: { $exact: { memory: false } } }"],
  ["text", "GET /metrics", "text: { $contains: anp }"],
])("accepts %s", (_what, request, expected) => {
  expect(faultsOf(`steps:\n  - request: ${request}\n    expect: { ${expected} }\n`)).toEqual([]);
});

it("accepts any payload in a request", () => {
  const text =
    "steps:\n  - request: POST /api/v1/ai/events\n    body: { event_type: ab, event_payload: { balanse: 1 }, x: 1 }\n";
  expect(faultsOf(text)).toEqual([]);
});
