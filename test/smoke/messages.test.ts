import { afterAll, beforeAll, expect, it } from "vitest";
import { toHuman } from "../../src/smoke/report/human-report.ts";
import { daemonOf, faultsOf, outcomes, run, type OwnDaemon } from "./smoke-files.ts";

let daemon: OwnDaemon;
beforeAll(async () => {
  daemon = await daemonOf(
    "config: { limits: { rates: { account: { requests: 1000 } } } }\nsteps: [{ request: GET /x }]\n",
  );
});
afterAll(() => daemon.stop());

const STEP = "steps:\n  - request: GET /api/v1/ai/me\n";

it.each([
  [
    "an option after a comma",
    `faults: [model=error,times=2]\n${STEP}`,
    'faults[1]: quote a fault with options: ["model=error,times=2"].',
  ],
  [
    "an unquoted expression in a map",
    `${STEP}    expect: { data: { user_id: { $match: /^n[0-9]+$/ } } }\n  - request: GET /x\n`,
    "Quote a text that contains [, ], { or }.",
  ],
  ["an unquoted colon", "steps:\n  - name: limit: too many\n    request: GET /x\n", 'Quote a text that contains ": ".'],
  [
    "a key of another tool",
    `${STEP}    captures: { x: y }\n`,
    "3:5: steps[0].captures is not a known key: give the step an id; later steps use ${id.data.balance}.",
  ],
  [
    "a key that looks like another",
    `${STEP}    if: x\n`,
    "steps[0].if is not a known key: there are no conditions; skip: WHY or tags leave a step out.",
  ],
  [
    "a key of another tool in the file",
    `variables: { a: 1 }\n${STEP}`,
    "1:1: variables is not a known key: write vars: { user: alice }.",
  ],
  [
    "a key that nobody has",
    `${STEP}    zzzzzzz: 1\n`,
    "steps[0].zzzzzzz is not a known key. Known keys: id, name, token, query,",
  ],
  [
    "a duration that no timer can wait for",
    `${STEP}    timeout: 3000000s\n`,
    "steps[0].timeout must be a duration such as 500ms or 2s, below 100000s",
  ],
  [
    "a short form",
    `${STEP}    retry: 5\n`,
    "steps[0].retry must be an object, not a number. Write retry: { times: 5, every: 500ms }.",
  ],
  [
    "faults as a map",
    `faults: { model: error }\n${STEP}`,
    'faults must be an array, not an object. Write faults: [model=timeout, "storage=read-error,times=3"].',
  ],
  [
    "a step without a request",
    "steps: [{ name: x }]\n",
    "steps[0].request is required. Write request: GET /api/v1/ai/me.",
  ],
  [
    "a matcher of another tool",
    `${STEP}    expect: { data: { balance_points: { $ge: 1 } } }\n`,
    "$ge is not a matcher. Did you mean $gte? Known matchers: ",
  ],
  [
    "a class of statuses",
    `${STEP}    expect: { status: 2xx }\n`,
    '3:23: status must be an integer, not "2xx". Write { $gte: 200, $lte: 299 }.',
  ],
  [
    "a comparison as text",
    `${STEP}    expect: { data: { balance_points: ">= 0" } }\n`,
    'data.balance_points must be an integer of at least 0, not ">= 0". Write { $gte: 0 }.',
  ],
  [
    "a value that the field never has",
    "steps: [{ request: GET /api/v1/news/hot, expect: { data: { news: [{ symbols: [1] }] } } }]\n",
    "data.news.0.symbols.0 must be a string, not a number.",
  ],
  [
    "a status that the operation does not have",
    `${STEP}    expect: { status: 418 }\n`,
    "3:23: GET /api/v1/ai/me has no status 418. It has 200, 400, 401, 404, 405, 408, 417, 429, 431, 500, 503.",
  ],
  [
    "a code that the operation does not have",
    `${STEP}    expect: { code: 1005 }\n`,
    "GET /api/v1/ai/me has no code 1005. It has 0, 400, 401,",
  ],
  [
    "a parameter that there is not",
    "steps: [{ request: GET /api/v1/news/hot, query: { limt: 1 } }]\n",
    "1:51: limt is not a parameter of GET /api/v1/news/hot. Did you mean limit? To send it all the same, write it in the path.",
  ],
  [
    "a parameter of an operation without any",
    `${STEP}    query: { limit: 1 }\n`,
    "limit is not a parameter of GET /api/v1/ai/me. It has none. To send",
  ],
  [
    "a misspelt field of a body",
    "steps: [{ request: POST /api/v1/ai/points/exchange, body: { token_amont: 1 } }]\n",
    "1:61: token_amont is not a field of the body. Did you mean token_amount? To send it all the same, use raw.",
  ],
  [
    "a variable without its head",
    `vars: { user: alice }\n${STEP}    token: "\${user}-token"\n`,
    "${user} refers to no step: no earlier step has the id user. Did you mean ${vars.user}?",
  ],
  [
    "a reference in braces",
    `vars: { user: alice }\n${STEP}    token: "{{ user }}-token"\n`,
    "4:12: {{ user }} is not a reference: write ${vars.user}.",
  ],
  [
    "a reference in braces to nothing",
    `${STEP}    token: "{{token}}"\n`,
    "{{token}} is not a reference: write ${env.token}.",
  ],
  [
    "a file that is a list",
    "- request: GET /x\n",
    "1:1: the file must be an object, not an array. Write steps: [{ request:",
  ],
  ["an address", "steps: [{ request: GET http://localhost/x }]\n", "GET /api/v1/ai/me; --url has the address."],
  [
    "a path as a key",
    `${STEP}    expect: { data.balance: 0 }\n`,
    "expect.data.balance is not a known key: write data: { balance: 0 }.",
  ],
  [
    "several statuses",
    `${STEP}    expect: { status: [200, 201] }\n`,
    "status must be an integer, not an array. Write { $in: [A, B] }.",
  ],
  [
    "a count of elements",
    "steps: [{ request: GET /api/v1/news/hot, expect: { data: { news: { count: 3 } } } }]\n",
    "data.news must be an array, not an object. Write { $length: 3 }, { $each: … } or { $contains: … }.",
  ],
  [
    "a reference in braces in a header",
    `${STEP}    headers: { Authorization: "Bearer {{token}}" }\n`,
    "{{token}} is not a reference: write ${env.token}.",
  ],
  ["a variable of a shell", `${STEP}    token: $USER\n`, "3:12: $USER is not a reference: write ${env.USER}."],
  [
    "a value that a row does not have",
    `${STEP}    rows: [{ n: 1 }]\n    name: "\${row.left}"\n`,
    "${row.left} cannot be resolved: row 1 has no left. Known keys: n.",
  ],
])("says what to write instead of %s", (_what, text, message) => {
  const [first, ...others] = faultsOf(text);
  expect([first, others]).toEqual([expect.stringContaining(message) as string, []]);
});

it.each([
  ["braces in a text", "body: { event_type: 'a {{template}} of $5 and $USER' }"],
  ["braces in raw", "raw: '{{token}}'"],
  ["a parameter in the path", "skip: later"],
  ["a misspelt field that is to be refused", "body: { event_typ: x }, expect: { code: 422 }"],
  [
    "a comparison as text where the field is a text",
    "body: { event_type: ab }, expect: { data: { event_type: '>= 0' } }",
  ],
  ["a value that is not to be", "body: { event_type: ab }, expect: { data: { stored: { $not: 5 } } }"],
])("accepts %s", (_what, keys) => {
  expect(faultsOf(`steps:\n  - { request: POST /api/v1/ai/events?limt=1, ${keys} }\n`)).toEqual([]);
});

it("compares headers that are numbers or booleans as such, and names the rate that a request counts for", async () => {
  const header = (expected: string): string =>
    `  - { request: GET /openapi.json, token: alice-token, expect: { headers: { Content-Length: ${expected} } } }\n`;
  const text = `steps:\n${header("{ $gt: 10, $lt: 9000000 }")}${header("{ $type: integer }")}${header("{ $lt: 10 }")}${header('"5"')}
  - { request: GET /api/v1/ai/points, token: alice-token, headers: { Idempotency-Key: a }, expect: { headers: { RateLimit: { $exists: true } } } }
  - { request: GET /api/v1/ai/points, token: alice-token, expect: { code: 429 } }
`;
  expect(outcomes(await run(daemon, text))).toEqual([
    "passed",
    "passed",
    expect.stringMatching(/^failed: headers\.Content-Length expected less than 10, got \d+$/),
    expect.stringMatching(/^failed: headers\.Content-Length expected "5", got "\d+"$/),
    "failed: headers.RateLimit expected anything, got nothing. Its rate is limits.rates.account",
    "failed: status expected 429, got 200. Its rate is limits.rates.account: code expected 429, got 0",
  ]);
});

it("tests a 304 by the ETag of an earlier answer", async () => {
  const text = `
steps:
  - { id: first, request: GET /api/v1/ai/recommended-questions }
  - request: GET /api/v1/ai/recommended-questions
    headers: { If-None-Match: "\${first.headers.ETag}" }
    expect: { status: 304, text: "", headers: { ETag: "\${first.headers.ETag}", Content-Type: { $exists: false } } }
`;
  expect(outcomes(await run(daemon, text))).toEqual(["passed", "passed"]);
});

it("shows a long answer where it differs, ten problems at most, and everything in --json", async () => {
  const text =
    "steps: [{ request: GET /api/v1/news/hot?limit=30&hours=720, expect: { data: { total: { $lt: 0 }, news: { $each: { source: x } } } } }]\n";
  const result = await run(daemon, text);
  const [step] = result.steps;
  expect(JSON.parse(step!.answer!.slice(4))).toMatchObject({ success: true });
  const shown = toHuman(result, (_style, words) => words);
  expect(shown).toContain(`      and ${step!.problems.length - 10} more\n`);
  expect(/answer: (.*)/.exec(shown)![1]).toMatch(/^….*"total":/);
});

it("counts answers by code where the keys are codes", async () => {
  const file = await daemonOf("users: { alice: { free_daily_quota: 0 } }\nsteps: [{ request: GET /x }]\n");
  const chat =
    "steps: [{ request: POST /api/v1/ai/chat/send, token: alice-token, body: { question: What are the maker and taker fees? }, at_once: 3, expect: { counts: { 0: 2 } } }]\n";
  expect(outcomes(await run(file, chat))).toEqual([
    "failed: counts.0 expected 2, got 0: counts.1005 expected no such answer, got 3",
  ]);
  await file.stop();
});

it("injects faults once the setup is over", async () => {
  const text = `
faults: ["trade-reward=error,times=1"]
defaults: { token: alice-token }
setup: [{ request: POST /api/v1/ai/points/trade-reward, body: { trade_type: spot, volume_usd: 100, ref_id: a } }]
steps:
  - { request: POST /api/v1/ai/points/trade-reward, body: { trade_type: spot, volume_usd: 100, ref_id: b }, expect: { code: 500 } }
  - { request: POST /api/v1/ai/points/trade-reward, body: { trade_type: spot, volume_usd: 100, ref_id: b } }
`;
  const failing = await daemonOf(text);
  expect(outcomes(await run(failing, text))).toEqual(["passed", "passed", "passed"]);
  await failing.stop();
});

it("writes control characters of the file and of answers for people as escapes, on one line each", async () => {
  const text = String.raw`
name: "file\u001b[2J\nforged"
steps:
  - { name: "a\u001b[2J\u0007b\n  ✓ forged", request: GET /api/v1/ai/me, token: alice-token }
  - { name: "c\u202ed\r", request: GET /api/v1/ai/me, skip: "later\n\u009b2J" }
  - { name: "e", request: GET /api/v1/ai/me, expect: { text: "\u001b[2J" } }
`;
  const shown = toHuman(await run(daemon, text), (_style, painted) => painted);
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  const [title, first, second] = shown.split("\n");
  expect(title).toBe(String.raw`test.yaml  file\u001b[2J\u000aforged`);
  expect(first).toMatch(/^ {2}✓ a\\u001b\[2J\\u0007b\\u000a {2}✓ forged {2}\d+ ms$/);
  expect(second).toBe(String.raw`  - c\u202ed\u000d  skipped: later\u000a\u009b2J`);
});
