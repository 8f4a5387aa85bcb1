import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anp } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";
import { daemonOf, faultsOf, outcomes, run } from "./smoke-files.ts";

const CHAT = "request: POST /api/v1/ai/chat/send, body: { question: What are the maker and taker fees? }";
const AT_ONCE = `
config: { limits: { wait_ms: 0, rates: { refresh: { requests: 8 } } }, quota: { timezone: "+05:30" } }
defaults: { token: alice-token }
steps:
  - name: 8 of a minute, and 12 too many
    request: POST /api/v1/news/refresh
    at_once: 20
    expect: { counts: { 200: 8, 429: 12 }, data: { refresh_mode: view } }
  - { id: burst, name: "5 free uses, not 6", at_once: 8, ${CHAT}, expect: { counts: { 0: 5, 1005: 3 } } }
  - name: values of all answers
    request: GET /api/v1/ai/points/ledger
    expect: { data: { total: 5, items: { $contains: { ref_id: "\${burst.all[0].request_id}" } } } }
  - name: what differs is shown
    at_once: 4
    request: GET /api/v1/ai/me
    expect: { counts: { 429: { $gt: 0 } }, data: { user_id: bob } }
  - name: all are expected to succeed
    request: POST /api/v1/news/refresh
    at_once: 2
  - name: the day is over
    now: midnight
    request: GET /api/v1/ai/me
    expect: { data: { free_daily_used: 0, next_reset_at: "2026-11-22T00:00:00+05:30" } }
  - { id: later, now: +1d, request: GET /api/v1/ai/me, expect: { data: { next_reset_at: "2026-11-23T00:00:00+05:30" } } }
  - now: \${later.data.next_reset_at}
    request: GET /api/v1/ai/me
    expect: { data: { next_reset_at: "2026-11-24T00:00:00+05:30" } }
  - now: \${later.data.user_id}
    request: GET /api/v1/ai/me
  - { now: -2d, request: GET /api/v1/ai/me, expect: { data: { next_reset_at: "2026-11-22T00:00:00+05:30" } } }
`;

it("sends a request several times at once and counts the answers, and moves the clock of its daemon", async () => {
  const daemon = await daemonOf(AT_ONCE);
  const result = await run(daemon, AT_ONCE, { clock: daemon.clock });
  await daemon.stop();
  expect(outcomes(result)).toEqual([
    "passed",
    "passed",
    "passed",
    "failed: counts.429 expected greater than 0, got 0: counts.200 expected no such answer, got 4: " +
      'all[0].data.user_id expected "bob", got "alice"',
    "failed: all[0].status expected 200, got 429",
    "passed",
    "passed",
    "passed",
    "failed: ${later.data.user_id} does not fit: now must be +1d (s, m, h, d), midnight, or an instant such as 2026-11-21T00:00:00Z.",
    "passed",
  ]);
});

it("opens a connection for each of the requests at once, and names the answers that did not come", async () => {
  let together = 0;
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    together = Math.max(
      together,
      held.push(() => response.end("ok")),
    );
    if (held.length === 4) request.socket.destroy();
    if (held.length === 5) for (const answer of held) answer();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const result = await run(
    { url, run: { id: "x" } },
    "steps:\n  - { request: GET /page, at_once: 5, expect: { counts: { 200: 5 } } }\n",
  );
  await new Promise((resolve) => server.close(resolve));
  expect(together).toBe(5);
  expect(outcomes(result)).toEqual([
    expect.stringMatching(/^failed: counts\.200 expected 5, got 4: all\[\d\] .* the connection was closed\.$/),
  ]);
});

it("refuses what does not go together, and what is not a moment", () => {
  const step = (keys: string): string[] => faultsOf(`steps:\n  - { request: GET /readyz, ${keys} }\n`);
  expect([
    ...step("at_once: 201"),
    ...step("at_once: 2, retry: { times: 1 }"),
    ...step("expect: { counts: { 200: 1 } }"),
    ...step("at_once: 2, expect: { counts: { ok: 1 } }"),
    ...step("now: tomorrow"),
    ...step("at_once: rows"),
  ]).toEqual([
    "2:38: steps[0].at_once must be an integer from 2 to 200, not 201.",
    "2:41: at_once and retry exclude each other.",
    "2:39: counts goes with at_once, and without status and code.",
    "2:61: counts.ok is not a status or a code.",
    "2:34: steps[0].now must be +1d (s, m, h, d), midnight, or an instant such as 2026-11-21T00:00:00Z.",
    "2:29: at_once: rows needs 1 to 200 rows of the step.",
  ]);
});

it("sends the rows of a step at once, each with its own user, body and expectation", async () => {
  const text = `
users: { bob: { free_daily_quota: 1 }, carol: { points: 7 } }
steps:
  - id: race
    at_once: rows
    rows: [{ user: alice, left: 0 }, { user: bob, left: 0 }, { user: carol, left: 6 }]
    token: "\${run.tokens.\${row.user}}"
    ${CHAT.replace(", body", "\n    body")}
    expect: { data: { credits_remaining: "\${row.left:int}" } }
  - { request: GET /api/v1/ai/me, token: carol-token, expect: { data: { balance_points: "\${race.all[2].data.credits_remaining}" } } }
  - { id: wrong, at_once: rows, rows: [{ user: alice }, { user: bob }], token: "\${row.user}-token", request: GET /api/v1/ai/me, expect: { data: { user_id: alice } } }
  - { at_once: rows, rows: [{ user: alice }, { user: nobody }], token: "\${row.user}-token", request: GET /api/v1/ai/me, expect: { counts: { 200: 1, 401: 1 } } }
`;
  const daemon = await daemonOf(text);
  const result = await run(daemon, text);
  await daemon.stop();
  expect(outcomes(result)).toEqual([
    "passed",
    "passed",
    'failed: all[1].data.user_id expected "alice", got "bob"',
    "passed",
  ]);
});

it("skips a file that moves the clock where the daemon is another process", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  await writeFile(join(cwd, "later.yaml"), "steps:\n  - { request: GET /readyz, now: +1d }\n");
  const { code, stdout } = await anp(["smoke", "later.yaml", "--allow-skipped", "--url", "http://127.0.0.1:9"], {
    cwd,
  });
  await remove();
  expect([code, stdout]).toEqual([0, expect.stringContaining("# SKIP it moves the clock of its daemon (now: +1d)\n")]);
});
