import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ENDPOINTS } from "../../src/contract/endpoints.ts";
import { DEMO } from "../../src/runtime/package-file.ts";
import type { FileResult } from "../../src/smoke/run/smoke-result.ts";
import { anp } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";
import { daemonOf, faultsOf, outcomes, run, type OwnDaemon } from "./smoke-files.ts";
import { smokeFileSchema } from "./smoke-json-schema.ts";

let daemon: OwnDaemon;
let cwd: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  daemon = await daemonOf("steps:\n  - request: GET /api/v1/ai/me\n");
  ({ path: cwd, remove } = await temporaryFolder());
});
afterAll(async () => {
  await daemon.stop();
  await remove();
});

/** Runs files of the folder on the daemon of this test. */
async function smoke(...args: readonly string[]): Promise<{ code: number | null; stderr: string; ran: string[] }> {
  const { code, stdout, stderr } = await anp(["smoke", "--json", "--url", daemon.url, ...args], { cwd });
  const files = code === 2 ? [] : (JSON.parse(stdout) as FileResult[]);
  const ran = files.flatMap(({ path, skipped, steps }) => [
    ...(skipped === undefined ? [] : [`${path} skipped: ${skipped}`]),
    ...steps.map(({ title, outcome, reason = "" }) => `${title} ${outcome}${reason && `: ${reason}`}`),
  ]);
  return { code, stderr, ran };
}

function write(name: string, text: string | Buffer): Promise<void> {
  return writeFile(join(cwd, name), text);
}

/** The forms that only the file's own daemon runs. */
const OWN_CLOCK = `
defaults: { mask: [created_at] }
steps:
  - { id: me, request: GET /api/v1/ai/me, now: +1d, expect: { snapshot: true, mask: [data.next_reset_at] } }
  - { request: GET /api/v1/ai/me, now: "\${me.data.next_reset_at}", expect: { snapshot: later } }
  - { request: GET /api/v1/ai/me, now: midnight, at_once: 2, expect: { counts: { 200: 0, 401: { $gt: 0 } } } }
`;

/** Every other documented form of a file. */
const EVERY_FORM = `
# yaml-language-server: $schema=./smoke.schema.json
name: Every form
fixtures: demo
now: 2026-11-20T00:00:00Z
seed: x
tags: [all, v1.2]
faults: ["answers=slow,ms=5"]
config: { exchange: { rate: "\${env.RATE:int:-10}" }, "quota.free_daily": 3 }
vars:
  common: &common { token: alice-token, headers: { X-A: 1, X-B: null }, timeout: 2s }
  rate: 10
defaults: { token: null, headers: { X-C: c }, timeout: 500ms }
rows: [{ lang: en }]
setup: [{ id: before, request: GET /api/v1/ai/points, <<: *common }]
steps:
  - { <<: *common, id: exchange, request: POST /api/v1/ai/points/exchange, body: { token_amount: "\${row.amount:number}" },
      rows: [{ amount: "0.1" }, { amount: 1.5 }], tags: [money], retry: { times: 2 } }
  - { request: POST /api/v1/ai/events, rows: cases.csv, body: { event_type: { $repeat: [x, 3] } }, skip: later }
  - { request: POST /api/v1/ai/events, raw: "{}", retry: { times: 1, every: 1ms }, only: true, expect: { code: 422 } }
  - request: GET /api/v1/news/topics?fresh=true
    query: { lang: "\${row.lang}", limit: [3] }
    expect:
      status: { $in: [200, "\${vars.rate}"] }
      code: 0
      time: { $lt: 1000, $lte: "1000", $gt: 0, $gte: "\${env.LEAST:-0}" }
      text: { $match: /topics/i, $contains: topics, $length: { $gt: 1 } }
      headers: { content-type: { $exists: true } }
      body: { success: true }
      data:
        total: { $type: integer, $sum: ["-\${before.data.balance}", 15, "1e2"], $not: { $exists: false } }
        topics:
          $each: { lang: en, title: { $type: string } }
          $sorted: { by: heat, order: desc }
          $all: [{ $contains: { title: x } }, { $sorted: asc }, { $exact: [{ title: { $x: 1 } }] }, []]
        nothing: { $exists: "\${vars.rate}" }
cleanup: [{ request: GET /healthz }]
`;

it("has the JSON Schema of its parser: `vitest -u` writes it", async () => {
  const text = `${JSON.stringify(smokeFileSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../src/smoke/file/smoke-file.schema.json");
});

it("has a JSON Schema that a strict validator compiles, and that accepts every bundled file and every form", async () => {
  const schema = smokeFileSchema();
  expect(schema["$id"]).toBe("urn:anp:smoke-file");
  const accepts = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema);
  const folder = join(import.meta.dirname, "../../fixtures/smoke");
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(faultsOf(OWN_CLOCK)).toEqual([]);
  for (const text of [...texts, OWN_CLOCK, EVERY_FORM]) {
    expect([accepts(parse(text, { merge: true })), accepts.errors]).toEqual([true, null]);
  }
  expect(accepts({ steps: [{ request: "GET /x", skip: true }] })).toBe(false);
  expect(accepts({ steps: [{ request: "GET /x", expect: { data: { a: { $not: { $gr: 1 } } } } }] })).toBe(false);
  await write("cases.csv", "a\n1\n");
  await write("every.yaml", EVERY_FORM);
  // The schema accepts no more than the program does.
  const { stderr, ran } = await smoke("every.yaml", "--with-faults");
  expect([stderr, ran.length]).toEqual(["error: 1 step failed.\n", 7]);
});

it("accepts the examples of its help, which names the line that tells an editor the schema", async () => {
  const { stdout } = await anp(["help", "smoke-files"], { cwd });
  const examples = [/\n\n(  name: [^]*?)\n\n/, /TABLES\n([^]*?)\n\n/, /(  - name: Three users[^]*?)\n\n/];
  const [first, ...tables] = examples.map((part) => part.exec(stdout)![1]!);
  expect([first!, ...tables.map((table) => `steps:\n${table}`)].flatMap((text) => faultsOf(text))).toEqual([]);
  // The rates are those of the contract, and the users those of the demo.
  for (const { method, path, rate } of Object.values(ENDPOINTS)) {
    const [, listed = ""] = new RegExp(`  ${rate} +${method} (.*?)(  |\\n)`).exec(stdout) ?? [];
    const words = listed
      .replace("news/*", "news/hot, news/topics")
      .split(", ")
      .map((word) => word.replace(/^POST /, ""));
    expect(words).toContain(path.replace(/^\/api\/v1\/(ai\/)?/, ""));
  }
  const { users } = JSON.parse(readFileSync(join(DEMO, "users.json"), "utf8")) as {
    users: Record<string, string | number>[];
  };
  for (const { user_id, token, free_daily_quota, points } of users) {
    expect(stdout).toMatch(new RegExp(`  ${user_id} +${token} +${free_daily_quota} +${points}\\b`));
  }
  expect(stdout).toContain("\n  # yaml-language-server: $schema=./smoke.schema.json\n");
});

describe("a table", () => {
  it("runs a step once for each row, and names the row in its title", async () => {
    await write("amounts.csv", 'amount,points,note\n0.1,1,"a, ""b"""\r\n1.5,15,\n');
    await write(
      "rows.yaml",
      `
steps:
  - id: exchange
    request: POST /api/v1/ai/points/exchange
    token: \${run.token}
    rows: amounts.csv
    body: { token_amount: "\${row.amount:number}" }
    expect: { data: { token_amount: "\${row.amount:number}", points_earned: "\${row.points:int}" } }
  - name: "lang \${row.lang}: \${row.limit}"
    request: GET /api/v1/ai/recommended-questions?lang=\${row.lang}&limit=\${row.limit}
    rows: [{ lang: en, limit: 2, user_token: hush }, { lang: "\${vars.other}", limit: 1 }]
    expect: { data: { questions: { $length: "\${row.limit}" } } }
  - request: GET /api/v1/ai/points
    token: \${row.user_token}
    rows: [{ user_token: "\${env.NOBODY:-bob-token}", n: "\${exchange.status}" }]
    expect: { data: { balance: "\${exchange.data.balance_after}" } }
vars: { other: "\${env.OTHER:-zh}" }
`,
    );
    const { ran, stderr } = await smoke("rows.yaml", "--token", "alice-token");
    expect([stderr, ...ran]).toEqual([
      "error: 1 step failed.\n",
      'exchange [1: amount=0.1, points=1, note=a, "b"] passed',
      "exchange [2: amount=1.5, points=15, note=] passed",
      "lang en: 2 [1] passed",
      "lang ${vars.other}: 1 [2] passed",
      "GET /api/v1/ai/points [1: user_token=***, n=${exchange.status}] failed",
    ]);
  });

  it("has a snapshot for each row", async () => {
    await write(
      "snap.yaml",
      "steps: [{ id: q, request: 'GET /api/v1/ai/recommended-questions?limit=${row.n}', rows: [{ n: 1 }, { n: 2 }], expect: { snapshot: true } }]",
    );
    const { ran } = await smoke("snap.yaml", "--update");
    expect(ran).toEqual(["q [1: n=1] passed", "q [2: n=2] passed"]);
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(["snap.q.1.snapshot.json", "snap.q.2.snapshot.json"]));
    expect(await smoke("snap.yaml")).toMatchObject({ code: 0 });
  });

  it("of a file repeats its steps, between one setup and one cleanup", async () => {
    const result = await run(
      daemon,
      `
rows: [{ who: alice }, { who: bob }]
defaults: { token: "\${row.who}-token" }
setup: [{ request: GET /healthz, token: null }]
steps:
  - { id: me, request: GET /api/v1/ai/me, expect: { data: { user_id: "\${row.who}" } } }
  - { name: again, request: GET /api/v1/ai/me, rows: [{ n: 1 }, { n: 2 }], expect: { data: { user_id: "\${me.data.user_id}" } } }
cleanup: [{ request: GET /healthz, token: null }]
`,
    );
    expect(result.steps.map(({ title, outcome }) => `${title} ${outcome}`)).toEqual([
      "GET /healthz passed",
      "me [1: who=alice] passed",
      "again [1.1: who=alice, n=1] passed",
      "again [1.2: who=alice, n=2] passed",
      "me [2: who=bob] passed",
      "again [2.1: who=bob, n=1] passed",
      "again [2.2: who=bob, n=2] passed",
      "GET /healthz passed",
    ]);
  });

  it("is refused with the place of what is wrong", async () => {
    const step = (rows: string, more = ""): string => `steps:\n  - request: GET /healthz\n    rows: ${rows}\n${more}`;
    expect(faultsOf(step("[]"))).toEqual(["3:11: steps[0].rows must not be empty."]);
    expect(faultsOf(step("cases.txt"))).toEqual([
      "3:11: steps[0].rows must be a list of objects, or the name of a CSV file beside this one.",
    ]);
    expect(faultsOf(step("nowhere.csv"))).toEqual([
      expect.stringMatching(/^3:11: nowhere\.csv cannot be read: ENOENT/) as string,
    ]);
    expect(faultsOf(step("[{ a: 1 }, { b: x }]", "    query: { a: '${row.a}', b: '${row.b:int}' }"))).toEqual([
      "4:17: ${row.a} cannot be resolved: row 2 has no a. Did you mean b?",
      "4:32: ${row.b:int} cannot be resolved: row 1 has no b. Did you mean a?",
    ]);
    expect(faultsOf(step("[{ a: x }]", "    query: { a: '${row.a:int}' }"))).toEqual([
      "4:17: ${row.a:int} is not an integer.",
    ]);
    expect(faultsOf("steps:\n  - request: GET /x?a=${row.a}\n")).toEqual(["2:14: ${row.a} needs `rows`."]);
    expect(
      faultsOf(`${step("[{ a: '${row.a}' }]")}rows: [{ b: "\${me.data}" }]\nsetup: [{ id: me, request: GET /x }]`),
    ).toEqual(["3:17: ${row.a} needs `rows`.", "4:13: ${me.data} cannot be used here: no step has run by then."]);
    const tables: [string, RegExp][] = [
      ["a,b\n1,2\n3\n", /cannot be read: Invalid Record Length: columns length is 2, got 1 on line 3/],
      ["a,a\n1,2\n", /cannot be read: two columns are named a\./],
      ["a,\n1,2\n", /cannot be read: a column has no name\./],
      ["a,b\n", /must have 1 to 10000 rows\./],
      [`a\n${"1\n".repeat(10_001)}`, /must have 1 to 10000 rows\./],
    ];
    for (const [text, message] of tables) {
      await write("wrong.csv", text);
      await write("wrong.yaml", step("wrong.csv"));
      const { code, stderr } = await smoke("wrong.yaml");
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^wrong\.yaml:3:11: wrong\.csv /) as string]);
      expect(stderr).toMatch(message);
    }
  });
});

describe("values", () => {
  it("are read as the type that a cast names, before anything runs", async () => {
    const text = `
vars: { user: "\${env.USER_JSON:json}", limit: "\${env.LIMIT:int}" }
steps:
  - { id: page, request: GET /api/v1/ai/points/ledger, token: "\${vars.user.token}", query: { page_size: "\${vars.limit}" },
      expect: { data: { page_size: "\${vars.limit}" } } }
  - { request: POST /api/v1/ai/points/exchange, token: "\${vars.user.token}", body: { token_amount: "\${env.AMOUNT:number:-0.3}" },
      expect: { data: { token_amount: { $sum: [0.1, 0.2] }, points_earned: { $type: integer } } } }
  - { request: GET /readyz, expect: { status: { $sum: ["-\${vars.limit}", "-\${vars.less:number}", 0] } } }
`;
    const env = { USER_JSON: '{"token":"alice-token"}', LIMIT: "7" };
    const more = text.replace("vars: {", "vars: { less: -207,");
    expect(outcomes(await run(daemon, more, { env }))).toEqual(["passed", "passed", "passed"]);
    const bad = text.replace(/\n {2}- \{ request: GET \/readyz.*\n/, "\n");
    expect(faultsOf(bad, { USER_JSON: "{", LIMIT: "7.5", AMOUNT: "x" })).toEqual([
      "2:15: ${env.USER_JSON:json} is not JSON.",
      "2:47: ${env.LIMIT:int} is not an integer.",
      "6:100: ${env.AMOUNT:number:-0.3} is not a number.",
    ]);
    expect(
      faultsOf("steps: [{ request: 'GET /x?a=${vars.b}' }]\nvars: { a: '${vars.b}', c: '${env.X:bool}' }"),
    ).toEqual([
      "1:20: ${vars.b} cannot be resolved: vars has no b. Did you mean a?",
      "2:12: ${vars.b} cannot be used here.",
      expect.stringContaining("${env.X:bool} cannot be read") as string,
    ]);
  });

  it("of headers are named in any case, and an empty list does not match $each unless $length allows it", async () => {
    const result = await run(
      daemon,
      `
steps:
  - { id: me, request: GET /api/v1/ai/me, token: alice-token }
  - request: GET /api/v1/ai/me
    token: alice-token
    headers: { X-Request-Id: "\${me.headers.X-Request-Id}" }
    expect: { headers: { x-request-id: "\${me.headers.x-REQUEST-id}" } }
  - request: GET /api/v1/ai/points/ledger?page=1000
    token: alice-token
    expect: { data: { items: { $each: { delta: 1 }, $length: { $gte: 0 } } } }
  - request: GET /api/v1/ai/points/ledger?page=1000
    token: alice-token
    expect: { data: { items: { $each: { delta: 1 } } } }
`,
    );
    expect(outcomes(result)).toEqual([
      "passed",
      "passed",
      "passed",
      "failed: data.items expected at least one element ($length: { $gte: 0 } allows none), got []",
    ]);
  });

  it("are merged from anchors, and an error in them has its place there", () => {
    const text =
      "vars:\n  a: &a\n    tokn: x\n  b: &b { timeout: 1s }\nsteps:\n  - request: GET /x\n    <<: [*b, *a]\n";
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^3:5: steps\[0\]\.tokn is not a known key\. Did you mean token\?$/) as string,
    ]);
  });
});

describe("the steps that run", () => {
  const STEPS = `
name: Selecting
tags: [all]
setup:
  - { name: set up, request: GET /healthz }
steps:
  - { id: me, request: GET /api/v1/ai/me, token: alice-token, tags: [slow] }
  - { name: First, request: GET /healthz, tags: [fast] }
  - name: Second
    request: GET /api/v1/ai/me
    token: \${me.data.user_id}-token
  - { name: Third, request: GET /readyz, skip: not today }
cleanup:
  - { name: clean up, request: "GET /healthz?x=\${me.status}" }
`;

  it.each([
    [["select.yaml", "--tags", "fast"], "set up, First, clean up skipped: ${me.status} is not known: me got no answer"],
    [["select.yaml", "--tags", "slow,fast"], "set up, me, First, clean up"],
    [["select.yaml", "--tags", "all,!fast", "--grep", "sec"], "set up, me, Second, clean up"],
    [
      ["select.yaml", "--grep", "FIRST"],
      "set up, First, clean up skipped: ${me.status} is not known: me got no answer",
    ],
    [["select.yaml:10"], "set up, me, Second, clean up"],
    [["select.yaml:8", "select.yaml:7"], "set up, me, First, clean up"],
    [["select.yaml:8", "select.yaml"], "set up, me, First, Second, Third skipped: not today, clean up"],
  ])("are chosen by %j, with those that they refer to", async (args, expected) => {
    await write("select.yaml", STEPS);
    const { code, ran, stderr } = await smoke(...args);
    expect(ran.map((line) => line.replace(" passed", "")).join(", ")).toBe(expected);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("are only those with only: true, where there are any; the others are shown as skipped", async () => {
    const result = await run(daemon, STEPS.replace("name: Second\n", "name: Second\n    only: true\n"));
    expect(outcomes(result)).toEqual([
      "passed",
      "passed",
      "skipped: another step has only: true",
      "passed",
      "skipped: not today",
      "passed",
    ]);
  });

  it("must be at the line and have the tag that are given", async () => {
    await write("select.yaml", STEPS);
    expect(await smoke("select.yaml:2", "select.yaml:99")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^select\.yaml:2: no step is at this line\.\nselect\.yaml:99: no step is at this line\.\n/,
      ) as string,
    });
    await write("only.yaml", STEPS.replace("name: Second\n", "name: Second\n    only: true\n"));
    expect((await smoke("only.yaml:8")).ran).toContain("First passed");
    expect((await smoke("select.yaml", "--tags", "nothing")).stderr).toMatch(
      /^error: No step has the tag nothing\. Tags of the files: \w+/,
    );
    expect((await smoke("select.yaml", "--tags", "a b")).stderr).toContain("--tags must be tags between commas");
    expect((await smoke("nowhere.yaml:3")).stderr).toContain("FILE nowhere.yaml:3 cannot be read: ENOENT");
    expect((await smoke(".:3")).stderr).toContain("FILE .:3 cannot be read: a folder has no lines.");
  });

  it("are not run after a failed setup, but the cleanup is", async () => {
    const failing = STEPS.replace("GET /healthz }\nsteps", "GET /nowhere }\n  - { request: GET /readyz }\nsteps");
    const skipped = "skipped: the setup failed";
    expect(outcomes(await run(daemon, failing.replace("x=${me.status}", "x")))).toEqual([
      "failed: status expected 200, got 404",
      skipped,
      skipped,
      skipped,
      skipped,
      "skipped: not today",
      "passed",
    ]);
  });

  it("end at the first failure with --bail, in later files too, each after its cleanup", async () => {
    await mkdir(join(cwd, "bail"), { recursive: true });
    const fails =
      "steps: [{ request: GET /nowhere }, { request: GET /healthz }]\ncleanup: [{ request: GET /readyz }]\n";
    await write("bail/a.yaml", fails);
    await write("bail/b.yaml", "steps: [{ request: GET /livez, expect: { status: 404 } }]\n");
    expect(await smoke("bail", "--bail")).toEqual({
      code: 7,
      stderr: "error: 1 step failed.\n",
      ran: [
        "GET /nowhere failed",
        "GET /healthz skipped: an earlier step failed",
        "GET /readyz passed",
        "bail/b.yaml skipped: an earlier step failed",
      ],
    });
    expect(await smoke("bail/b.yaml")).toMatchObject({ code: 0, ran: ["GET /livez passed"] });
    await write("bail/c.yaml", Buffer.from([0xff, 0xfe, 0x00]));
    expect((await smoke("bail/c.yaml")).stderr).toMatch(/cannot be read: The encoded data was not valid/);
  });
});
