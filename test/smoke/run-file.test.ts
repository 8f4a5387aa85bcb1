import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { daemonOf, run, outcomes, type OwnDaemon } from "./smoke-files.ts";

let daemon: OwnDaemon;
beforeAll(async () => {
  daemon = await daemonOf("steps:\n  - request: GET /api/v1/ai/me\n");
});
afterAll(() => daemon.stop());

it("reports what was expected and what came, path by path, with a curl line that hides the token", async () => {
  const { steps } = await run(
    daemon,
    `
defaults: { token: alice-token }
steps:
  - name: wrong in many ways
    request: POST /api/v1/ai/points/exchange
    headers: { X-Note: it's }
    body: { token_amount: 1.5 }
    expect:
      headers: { X-Nothing: there }
      data:
        points_earned: 16
        exchange_rate: 11
        balance_after: { $gt: 1000000000 }
        token_amount: { $gte: 2, $lt: 5 }
`,
  );
  expect(steps).toMatchObject([{ outcome: "failed", line: 4, title: "wrong in many ways", tries: 1 }]);
  const [step] = steps;
  expect(step!.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "data.points_earned: expected 16, got 15",
    "data.exchange_rate: expected 11, got 10",
    "data.balance_after: expected greater than 1000000000, got 15",
    "data.token_amount: expected at least 2, got 1.5",
    'headers.X-Nothing: expected "there", got nothing',
  ]);
  expect(step!.curl).toBe(
    `curl -sS -i -H 'content-type: application/json' -H "X-User-Token: $TOKEN" -H 'x-note: it'\\''s' ` +
      `--data-raw '{"token_amount":1.5}' '${daemon.url}/api/v1/ai/points/exchange'`,
  );
  expect(step!.answer).toMatch(/^200 \{"success":true,"code":0,/);
  expect(JSON.stringify(steps)).not.toContain("alice-token");
});

it("compares by matchers", async () => {
  const result = await run(
    daemon,
    `
steps:
  - id: topics
    request: GET /api/v1/news/topics?lang=en&limit=3
  - name: all hold
    request: GET /api/v1/news/topics?lang=en&limit=3
    expect:
      status: { $in: [200, 304] }
      time: { $gte: 0 }
      text: { $contains: '"topics"' }
      data:
        total: { $type: integer, $sum: ["\${topics.data.total}", 1, -1] }
        topics:
          $length: 3
          $sorted: { by: heat, order: desc }
          $each: { first_seen_at: { $type: timestamp, $lte: 2026-11-20T08:00:00+08:00 }, id: { $match: /^\\S+$/ } }
          $contains: { title: "\${topics.data.topics[1].title}" }
          $exact: \${topics.data.topics}
        nothing: { $exists: false }
  - name: none holds
    request: GET /api/v1/news/topics?lang=en&limit=3
    expect:
      data:
        total: { $in: [1001, 1002], $exists: false }
        topics: { $length: 4, $sorted: { by: heat }, $contains: { title: no such }, $each: { size: 0 } }
  - name: neither do these
    request: GET /api/v1/news/topics?lang=en&limit=3
    expect:
      data: { total: { $not: { $gt: 0 }, $type: string }, topics: [{}, {}] }
`,
  );
  expect(result.steps.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "failed", "failed"]);
  expect(result.steps[2]!.problems.map(({ path }) => path.replace(/\\d+/, "N"))).toEqual([
    "data.total",
    "data.total",
    "data.topics.length",
    expect.stringMatching(/^data\.topics\[\d\]\.heat$/),
    "data.topics",
    "data.topics[0].size",
    "data.topics[1].size",
    "data.topics[2].size",
  ]);
  expect(result.steps[3]!.problems.map(({ path, expected }) => [path, expected])).toEqual([
    ["data.total", 'not {"$gt":0}'],
    ["data.total", "of type string"],
    ["data.topics.length", "2"],
  ]);
});

it("keeps the type of a value on its own, and takes others into the text", async () => {
  const result = await run(
    daemon,
    `
steps:
  - id: me
    request: GET /api/v1/ai/me
    token: \${env.WHO}-\${env.WHAT:-token}
  - request: GET /api/v1/ai/points/ledger?page=\${me.data.free_daily_quota}1
    query: { page_size: "\${me.data.free_daily_quota}0" }
    token: alice-token
    expect: { data: { page: 51, page_size: 50 } }
  - request: POST /api/v1/ai/events
    token: alice-token
    body: { event_type: "\${run.id}\${me.data.free_daily_quota}-\${me.headers.x-request-id}" }
    expect: { data: { event_type: "smoke5-\${me.request_id}" } }
  - request: GET /api/v1/ai/points
    token: \${run.token}
    expect: { data: { free_daily_quota: 9999 } }
  - request: POST /api/v1/ai/events
    token: alice-token
    body: { event_type: "$\${me}" }
    expect: { data: { event_type: "$\${me}" } }
`,
    { env: { WHO: "alice" } },
  );
  expect(outcomes(result)).toEqual(["passed", "passed", "passed", "passed", "passed"]);
});

it("names a value that there is not, and skips what needs the answer of a step that failed", async () => {
  const result = await run(
    daemon,
    `
steps:
  - id: me
    request: GET /api/v1/ai/me
    token: bob-token
  - { id: page, request: GET /openapi.json, expect: { body: { openapi: { $match: ^3 } } } }
  - name: a slip
    request: GET /api/v1/ai/points/ledger?page=\${page.inf.title}
    token: alice-token
  - id: failing
    request: GET /api/v1/ai/me
  - name: needs it
    request: GET /api/v1/ai/points?x=\${failing.data.user_id}
  - name: does not fit
    request: GET /api/v1/ai/me
    token: alice-token
    expect: { data: { user_id: { $length: 5, $match: "\${me.data.balance_points}" } } }
  - name: a list in a text
    request: GET /api/v1/ai/me?x=a\${me.data}
`,
  );
  expect(outcomes(result)).toEqual([
    "passed",
    "passed",
    "failed: ${page.inf.title} cannot be resolved: the answer of page has no inf. Did you mean info?",
    "failed: status expected 200, got 401",
    "skipped: ${failing.data.user_id} is not known: failing failed",
    'failed: ${me.data.balance_points} does not fit: at data.user_id.$match, $match must be a string, not a number, such as { $match: "^[a-z]+$" }.',
    "failed: ${me.data} is not a scalar: it cannot be part of a text.",
  ]);
});

it("checks every answer against the contract without being asked", async () => {
  const server = createServer((request, response) => {
    const id = request.headers["x-request-id"] === undefined ? "r1" : "other";
    response.writeHead(request.url === "/api/v1/ai/me" ? 200 : 418, {
      "content-type": "application/json",
      "x-request-id": id,
    });
    response.end(
      JSON.stringify({ success: true, code: 0, message: "ok", data: { user_id: 7 }, request_id: "r1", more: 1 }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const result = await run(
    { url: `http://127.0.0.1:${port}`, run: { id: "x" } },
    "steps:\n  - request: GET /api/v1/ai/me\n    headers: { X-Request-Id: mine }\n  - request: GET /elsewhere\n    expect: { status: 418 }\n",
  );
  server.close();
  server.closeAllConnections();
  expect(result.steps.map(({ outcome }) => outcome)).toEqual(["failed", "passed"]);
  expect(new Set(result.steps[0]!.problems.map(({ about }) => about))).toEqual(new Set(["contract"]));
  expect(outcomes(result)[0]).toContain("data.user_id must be a string, not a number");
  expect(outcomes(result)[0]).toContain("more is not a field of the contract");
  expect(outcomes(result)[0]).toContain(
    "headers.x-request-id is other, but request_id is r1: headers.x-request-id is other, but mine was sent",
  );
});

it("sends a request again until its answer is as expected, or its tries are used up", async () => {
  const flaky = await daemonOf("faults: ['trade-reward=error,times=5']\nsteps:\n  - request: GET /api/v1/ai/me\n");
  const again = (times: number): string => `
steps:
  - request: POST /api/v1/ai/points/trade-reward
    token: alice-token
    body: { trade_type: spot, volume_usd: 100, ref_id: a }
    retry: { times: ${times}, every: 1ms }
`;
  expect((await run(flaky, again(1))).steps).toMatchObject([{ outcome: "failed", tries: 2 }]);
  expect((await run(flaky, again(9))).steps).toMatchObject([{ outcome: "passed", tries: 4 }]);
  await flaky.stop();
});

const CLEANUP = `
steps:
  - { id: first, request: GET /api/v1/ai/me, token: alice-token }
  - { id: second, request: GET /api/v1/ai/me }
  - { id: third, request: GET /api/v1/ai/me, token: alice-token }
cleanup:
  - { request: "GET /api/v1/ai/points?x=\${first.data.user_id}", token: alice-token }
  - { request: "GET /api/v1/ai/points?x=\${third.data.user_id}", token: alice-token }
`;

it("runs the cleanup whatever happened: after a failure, a first failure that ends the file, an interrupt", async () => {
  expect(outcomes(await run(daemon, CLEANUP))).toEqual([
    "passed",
    "failed: status expected 200, got 401",
    "passed",
    "passed",
    "passed",
  ]);
  expect(outcomes(await run(daemon, CLEANUP, { bail: true }))).toEqual([
    "passed",
    "failed: status expected 200, got 401",
    "skipped: an earlier step failed",
    "passed",
    "skipped: ${third.data.user_id} is not known: third got no answer",
  ]);
  const signal = AbortSignal.abort(new Error("interrupted"));
  expect(outcomes(await run(daemon, CLEANUP.replace("x=${first.data.user_id}", "x=1"), { signal }))).toEqual([
    "skipped: interrupted",
    "skipped: interrupted",
    "skipped: interrupted",
    "passed",
    "skipped: ${third.data.user_id} is not known: third got no answer",
  ]);
});

it("ends at a daemon that cannot be reached, and fails a step that has no answer in time", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const there = { url: `http://127.0.0.1:${port}`, run: { id: "x" } };
  const late = await run(there, "steps:\n  - { request: GET /api/v1/ai/me, timeout: 20ms }\n");
  expect([late.unreachable, ...outcomes(late)]).toEqual([
    undefined,
    `failed: ${there.url} sent no complete response within 0.02 s.`,
  ]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const gone = await run(there, CLEANUP.replace(/\?x=[^"]*/g, ""));
  expect(gone.unreachable).toBe(`http://127.0.0.1:${port} cannot be reached: nothing listens there.`);
  expect(outcomes(gone)).toEqual([
    `failed: ${gone.unreachable}`,
    "skipped: the daemon cannot be reached",
    "skipped: the daemon cannot be reached",
    `failed: ${gone.unreachable}`,
    "skipped: the daemon cannot be reached",
  ]);
});

it("shows no secret of the environment", async () => {
  const result = await run(
    daemon,
    "steps:\n  - request: POST /api/v1/ai/events?key=${env.API_KEY}\n    token: ${env.USER_TOKEN}\n    body: { event_type: '${env.API_KEY}' }\n    expect: { data: { event_type: '${env.API_KEY}x' } }\n",
    { env: { API_KEY: "hush-hush", USER_TOKEN: "alice-token" } },
  );
  expect(result.steps[0]).toMatchObject({
    outcome: "failed",
    curl: expect.stringContaining('"X-User-Token: $USER_TOKEN"') as string,
  });
  expect(outcomes(result)).toEqual(['failed: data.event_type expected "***x", got "***"']);
  expect(JSON.stringify(result)).not.toMatch(/hush-hush|alice-token/);
});

it("gives a daemon the world, clock and configuration of its file", async () => {
  const header =
    "fixtures: ../../fixtures/coverage-zh\nnow: 2026-12-01T12:00:00+08:00\nconfig: { exchange: { rate: 7 }, quota: { timezone: '-05:00' } }\n";
  const text = `${header}steps:\n  - request: GET /api/v1/ai/me\n`;
  const file = text.replace("../../fixtures", `${import.meta.dirname}/../../fixtures`);
  const own = await daemonOf(file);
  const result = await run(
    own,
    "steps:\n  - request: POST /api/v1/ai/points/exchange\n    token: ${run.token}\n    body: { token_amount: 1 }\n    expect: { data: { points_earned: 7 } }\n  - request: GET /api/v1/ai/me\n    token: ${run.token}\n    expect: { data: { next_reset_at: '2026-12-01T00:00:00-05:00' } }\n",
  );
  await own.stop();
  expect(outcomes(result)).toEqual(["passed", "passed"]);
});
