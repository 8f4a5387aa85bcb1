import { afterAll, beforeAll, expect, it } from "vitest";
import { daemonOf, faultsOf, outcomes, run, type OwnDaemon } from "./smoke-files.ts";

let daemon: OwnDaemon;
beforeAll(async () => {
  daemon = await daemonOf("steps:\n  - request: GET /readyz\n");
});
afterAll(() => daemon.stop());

it("resolves a reference inside of another one", async () => {
  const result = await run(
    daemon,
    `
vars: { alice: A1, who: { bob: bob-token } }
steps:
  - { id: me, request: GET /api/v1/ai/me, rows: [{ user: alice, at: who }, { user: bob, at: who }],
      token: "\${run.tokens.\${row.user}}", expect: { data: { user_id: "\${row.user}" } } }
  - { request: GET /api/v1/ai/me, rows: [{ user: bob, at: who }], token: "\${vars.\${row.at}.\${row.user}}" }
  - { request: GET /api/v1/ai/me, token: "\${env.NONE:-\${run.tokens.\${env.USER:-alice}}}" }
  - { request: POST /api/v1/ai/events, token: alice-token, rows: [{ user: alice, at: user_id }],
      body: { event_type: "x-\${vars.\${row.user}}-\${me.data.\${row.at}}-$\${row.at}" },
      expect: { data: { event_type: "x-A1-bob-$\${row.at}" } } }
`,
  );
  expect(outcomes(result)).toEqual(["passed", "passed", "passed", "passed", "passed"]);
  expect(result.steps[0]!.title).toBe("me [1: user=alice, at=who]");
});

it("refuses before the run what a reference inside of another one makes wrong", () => {
  const step = (token: string, rows: string): string[] =>
    faultsOf(`vars: { a: { b: 1 } }\nsteps:\n  - request: GET /readyz\n    rows: ${rows}\n    token: "${token}"\n`);
  expect([
    ...step("${vars.${row.n}.c}", "[{ n: a }]"),
    ...step("${vars.${row.x}.b}", "[{ n: a }]"),
    ...step("${vars.${row.n}}", "[{ n: a b }]"),
    ...step("${${row.n}.b}", "[{ n: a }]"),
    ...step("${run.tokens.${row.n}", "[{ n: a }]"),
  ]).toEqual([
    "5:12: ${vars.${row.n}.c} cannot be resolved: vars.a has no c. Did you mean b?",
    "5:12: ${row.x} cannot be resolved: row 1 has no x. Did you mean n?",
    '5:12: ${vars.${row.n}} cannot be resolved: "a b" is not a name.',
    expect.stringContaining("${${row.n}.b} cannot be read: write ${step.path}") as string,
    "5:12: ${run.tokens.${row.n} is not closed: write ${NAME}, or $${ for the characters ${.",
  ]);
});

it.each([
  ["a token", "    token: '${run.tokens.alice'", 3, 12],
  ["a matcher", "    expect: { data: { user_id: { $match: '^${run.tokens.alice' } } }", 3, 42],
  ["a title", "    name: 'for ${run.tokens.alice'", 3, 11],
  ["a row", "    rows: [{ a: '${run.tokens.alice' }]", 3, 17],
  ["a variable", "vars: { a: '${run.tokens.alice' }", 3, 12],
])("refuses a reference that does not end, in %s", (_where, line, row, column) => {
  expect(faultsOf(`steps:\n  - request: GET /readyz\n${line}\n`)).toEqual([
    `${row}:${column}: \${run.tokens.alice is not closed: write \${NAME}, or $\${ for the characters \${.`,
  ]);
});

it("says for which daemon the tokens of users are, and which users there are", async () => {
  const text = "steps:\n  - { request: GET /readyz, token: '${run.tokens.dave}' }\n";
  expect(outcomes(await run(daemon, text))).toEqual([
    "failed: ${run.tokens.dave} has no value: the fixture's users are demo, alice, bob, carol.",
  ]);
  expect(outcomes(await run(daemon, text, { run: { id: "1" } }))).toEqual([
    "failed: ${run.tokens.dave} has no value: it is for the file's own daemon. With --url write ${run.token}, or ${env.NAME} for each user.",
  ]);
});

it("masks what the file declares, and what has the name of a secret, in all its forms and later steps", async () => {
  const text = `
secrets: [DB_URL]
steps:
  - request: POST /api/v1/ai/events?db=\${env.DB_URL}
    token: alice-token
    headers: { X-Db: "\${env.DB_URL}" }
    body: { event_type: "\${env.DB_URL}", route: "\${env.API_KEY}" }
    expect: { data: { event_type: nothing } }
  - { name: later, request: POST /api/v1/ai/events, token: alice-token, body: { event_type: 'pg://"joe pw' }, expect: { code: 0, data: { accepted: false } } }
`;
  const env = { DB_URL: 'pg://"joe pw', API_KEY: "cce" };
  const shown = JSON.stringify(await run(daemon, text, { env }));
  expect(shown).not.toMatch(/joe|pw/);
  // A short value is not masked: that would hide parts of other words.
  expect(shown).toContain("success");
  const refused = faultsOf(text, { ...env, DB_URL: "abc" });
  expect(refused).toEqual(["2:11: secrets[0]: DB_URL has fewer than 4 characters: masking it would garble a report."]);
});
