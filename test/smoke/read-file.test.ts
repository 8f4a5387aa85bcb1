import { expect, it } from "vitest";
import { planDaemon } from "../../src/smoke/run/own-daemon.ts";
import { faultsOf, smokeFileOf } from "./smoke-files.ts";

const STEP = "steps:\n  - request: GET /api/v1/ai/me\n";

it.each([
  ["an empty file", "", ["1:1: the file is empty; it needs `steps`."]],
  [
    "no steps",
    "name: x\n",
    ["1:1: steps is required. Write steps: [{ request: GET /api/v1/ai/me, token: alice-token }]."],
  ],
  ["steps that are none", "steps: []\n", ["1:8: steps must not be empty."]],
  ["a key of the file that there is not", `nam: x\n${STEP}`, ["1:1: nam is not a known key. Did you mean name?"]],
  [
    "a key of a step that there is not",
    "steps:\n  - request: GET /api/v1/ai/me\n    expects: { status: 200 }\n",
    ["3:5: steps[0].expects is not a known key. Did you mean expect?"],
  ],
  [
    "a key of an expectation that there is not",
    "steps:\n  - request: GET /api/v1/ai/me\n    expect: { stauts: 200 }\n",
    ["3:15: steps[0].expect.stauts is not a known key. Did you mean status?"],
  ],
  [
    "values of the wrong kind, all of them",
    "seed: 7\nsteps:\n  - request: me\n    retry: { times: 0 }\n    timeout: 5\n",
    [
      '1:7: seed must be a string, not a number. Write seed: "7".',
      "3:14: steps[0].request must be METHOD /path, such as GET /api/v1/ai/me; --url has the address.",
      "4:21: steps[0].retry.times must be an integer from 1 to 1000, not 0.",
      "5:14: steps[0].timeout must be a string, not a number. Write timeout: 5s.",
    ],
  ],
  [
    "a clock that does not stand at an instant",
    `now: today\n${STEP}`,
    ["1:6: now must be an ISO 8601 instant with an offset, such as 2026-11-20T00:00:00Z."],
  ],
  ["a key that is given twice", `name: a\nname: b\n${STEP}`, ["2:1: Map keys must be unique."]],
  [
    "a reference in a flow map without its quotes",
    "steps:\n  - id: a\n    request: GET /api/v1/ai/me\n  - request: GET /api/v1/ai/points\n    query: { page: ${a.data.x} }\n",
    [expect.stringContaining('Quote references inside of { } and [ ]: "${step.path}".') as string],
  ],
  [
    "an endpoint that there is not",
    "steps:\n  - request: GET /api/v1/ai/point\n",
    [
      "2:14: the API has no /api/v1/ai/point. Did you mean /api/v1/ai/points? To test that it is refused, expect status 404.",
    ],
  ],
  [
    "a method that the endpoint does not take",
    "steps:\n  - request: POST /api/v1/ai/points\n",
    ["2:14: /api/v1/ai/points takes GET, not POST. To test that it is refused, expect status 405."],
  ],
  [
    "a matcher that there is not",
    "steps:\n  - request: GET /api/v1/ai/me\n    expect:\n      data: { balance_points: { $gr: 0 } }\n",
    [expect.stringMatching(/^4:33: \$gr is not a matcher\. Did you mean \$gt\? Known matchers: \$exists, /) as string],
  ],
  [
    "a matcher beside a field",
    "steps:\n  - request: GET /api/v1/ai/me\n    expect: { data: { $exists: true, user_id: a } }\n",
    ["3:38: user_id is next to a matcher: an object has fields or matchers, not both."],
  ],
  [
    "an argument that a matcher cannot take",
    "steps:\n  - request: GET /api/v1/ai/me\n    expect: { data: { user_id: { $type: text }, next_reset_at: { $match: '(' } } }\n",
    [
      '3:41: $type must be one of integer, number, string, boolean, array, object, null, timestamp, not "text", such as { $type: integer }.',
      '3:74: $match must be a regular expression, such as { $match: "^[a-z]+$" }.',
    ],
  ],
  [
    "a reference to no step",
    "steps:\n  - id: before\n    request: GET /api/v1/ai/me\n  - request: GET /api/v1/ai/points\n    expect:\n      data: { balance: '${befor.data.balance_points}' }\n",
    ["6:24: ${befor.data.balance_points} refers to no step: no earlier step has the id befor. Did you mean before?"],
  ],
  [
    "a reference to a later step",
    "steps:\n  - request: GET /api/v1/ai/me\n    expect: { data: { user_id: '${later.data.user_id}' } }\n  - id: later\n    request: GET /api/v1/ai/me\n",
    ["3:32: ${later.data.user_id} refers to a later step: later has not run by then."],
  ],
  [
    "an environment value that is not set",
    "steps:\n  - request: GET /api/v1/ai/me\n    token: ${env.USER_TOKN}\n",
    ["3:12: ${env.USER_TOKN} is not set. Did you mean USER_TOKEN?"],
  ],
  [
    "a value of the run that there is not",
    "steps:\n  - request: GET /api/v1/ai/me\n    token: ${run.tokn}\n",
    ["3:12: ${run.tokn} is not a value of the run. Known values: ${run.id}, ${run.token}, ${run.tokens.USER}."],
  ],
  [
    "a reference that cannot be read",
    "steps:\n  - request: GET /api/v1/ai/me\n    token: ${a b}\n",
    [
      "3:12: ${a b} cannot be read: write ${step.path}, ${env.NAME}, ${env.NAME:-default} or ${env.NAME:int} (number, boolean, json).",
    ],
  ],
  [
    "an id twice, and one that means something else",
    "steps:\n  - { id: a, request: GET /api/v1/ai/me }\n  - { id: a, request: GET /api/v1/ai/me }\n  - { id: env, request: GET /api/v1/ai/me }\n",
    ["3:11: another step has the id a.", "4:11: env cannot be the id of a step: ${env.…} has another meaning."],
  ],
  [
    "two bodies, and one where there is none",
    "steps:\n  - request: POST /api/v1/ai/events\n    body: {}\n    raw: x\n  - request: GET /api/v1/ai/me\n    body: {}\n",
    ["4:5: body and raw exclude each other.", "5:14: a GET or HEAD request has no body."],
  ],
  [
    "a body that makes no text",
    "steps:\n  - request: POST /api/v1/ai/events\n    body: { event_type: { $repeat: [x, -1] } }\n",
    ["3:27: $repeat is not supported in a body; only { $repeat: [text, times] } is, up to 1000000 characters."],
  ],
  [
    "faults that there are not",
    `faults: [model=slow, answer=slow]\n${STEP}`,
    [
      expect.stringMatching(/^1:10: faults\[0\] must be model=.*timeout or error/) as string,
      expect.stringMatching(/^1:22: faults\[1\] must be NAME=KIND .* Did you mean answers\?$/) as string,
    ],
  ],
  ["a fault twice", `faults: [model=error, model=empty]\n${STEP}`, ["1:9: faults names model twice."]],
  [
    "configuration that there is not",
    `config: { exchange: { rat: 5 }, storage: "fs:x", exchang: {} }\n${STEP}`,
    [
      "1:23: config.exchange.rat is not a known key. Did you mean rate?",
      "1:33: config.storage cannot be set by a smoke file: its daemon keeps everything in memory.",
      "1:50: config.exchang is not a known key. Did you mean exchange?",
    ],
  ],
])("refuses %s, with its place", (_what, text, faults) => {
  expect(faultsOf(text, { USER_TOKEN: "x" })).toEqual(faults);
});

it.each([
  ["a path that is expected to be refused", "steps:\n  - request: GET /api/v1/ai/point\n    expect: { status: 404 }\n"],
  ["a method that is expected to be refused", "steps:\n  - request: PUT /api/v1/ai/me\n    expect: { code: 405 }\n"],
  [
    "a reference as a matcher's argument",
    "steps:\n  - { id: a, request: GET /api/v1/ai/me }\n  - request: GET /api/v1/ai/me\n    expect: { data: { balance_points: { $gte: '${a.data.balance_points}' } } }\n",
  ],
  [
    "an environment value with a default",
    "steps:\n  - request: GET /api/v1/ai/me\n    token: ${env.NOT_SET:-alice-token}\n",
  ],
  ["an escaped brace", "steps:\n  - request: POST /api/v1/ai/events\n    body: { event_type: 'x$${nothing}' }\n"],
  [
    "a later step in the cleanup",
    "steps:\n  - { id: a, request: GET /api/v1/ai/me }\ncleanup:\n  - request: GET /api/v1/ai/me\n    token: ${a.data.user_id}\n",
  ],
])("takes %s", (_what, text) => {
  expect(faultsOf(text)).toEqual([]);
});

it("names a missing fixture and an unknown configuration value by their place", async () => {
  expect(await planDaemon(smokeFileOf(`fixtures: nowhere\n${STEP}`))).toMatch(
    /^test\.yaml:1:1: fixtures: .*nowhere is not a fixture: ENOENT/,
  );
  expect(await planDaemon(smokeFileOf(`users: { dave: { points: 1 } }\n${STEP}`))).toBe(
    "test.yaml:1:10: dave is not a user of the fixture: those are demo, alice, bob, carol.",
  );
  expect(await planDaemon(smokeFileOf(`config: { quota: { free_daily: 0 } }\n${STEP}`))).toBe(
    "test.yaml:1:20: config.quota.free_daily has no effect: each user of a fixture has a quota of their own. Write users: { alice: { free_daily_quota: 0 } }.",
  );
  expect(await planDaemon(smokeFileOf(`name: x\nconfig: { exchange: { rate: 0 } }\n${STEP}`))).toBe(
    "test.yaml:2:23: config exchange.rate: must be an integer from 1 to 1000000000, not 0",
  );
});
