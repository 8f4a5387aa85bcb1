import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { MATCHERS } from "../../src/smoke/run/matchers.ts";
import { ANP } from "../support/program.ts";
import { anp, anpInTerminal } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";

let cwd: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ path: cwd, remove } = await temporaryFolder());
});
afterAll(() => remove());

const FAILING = `
name: An <exchange> & more
steps:
  - name: "the #1 \\"exchange\\""
    request: POST /api/v1/ai/points/exchange
    token: alice-token
    body: { token_amount: 1.5 }
    expect: { data: { points_earned: 16 } }
  - id: failing
    request: GET /api/v1/ai/me
  - request: GET /api/v1/ai/me?x=\${failing.data.user_id}
`;

async function write(name: string, text: string): Promise<string> {
  await writeFile(join(cwd, name), text);
  return name;
}

it("prints TAP into a pipe, writes JUnit beside it, and exits 7 when a step failed", async () => {
  const file = await write("failing.yaml", FAILING);
  const { code, stdout, stderr } = await anp(["smoke", file, "--junit", "report.xml"], { cwd });
  expect(code).toBe(7);
  expect(stderr).toBe("error: 2 steps failed.\n");
  const port = /127\.0\.0\.1:\d+/g;
  expect(
    stdout
      .replace(/duration_ms: \d+/g, "duration_ms: N")
      .replace(/"request_id[^}]*"/g, '"request_id\\":…"')
      .replace(port, "HOST"),
  ).toMatchInlineSnapshot(`
    "TAP version 14
    # failing.yaml
    not ok 1 - failing.yaml:4 the \\#1 "exchange"
      ---
      problems:
        - {"about":"expectation","at":"data.points_earned","message":"expected 16, got 15"}
      answer: "200 {\\"success\\":true,\\"code\\":0,\\"message\\":\\"ok\\",\\"data\\":{\\"token_amount\\":1.5,\\"points_earned\\":15,\\"balance_after\\":15,\\"exchange_rate\\":10},\\"request_id\\":…"}"
      reproduce: "curl -sS -i -H 'content-type: application/json' -H \\"X-User-Token: $TOKEN\\" --data-raw '{\\"token_amount\\":1.5}' 'http://HOST/api/v1/ai/points/exchange'"
      tries: 1
      duration_ms: N
      ...
    not ok 2 - failing.yaml:9 failing
      ---
      problems:
        - {"about":"expectation","at":"status","message":"expected 200, got 401"}
      answer: "401 {\\"success\\":false,\\"code\\":401,\\"message\\":\\"The user token is missing or invalid.\\",\\"request_id\\":…"}"
      reproduce: "curl -sS -i 'http://HOST/api/v1/ai/me'"
      tries: 1
      duration_ms: N
      ...
    ok 3 - failing.yaml:11 GET /api/v1/ai/me?x=\${failing.data.user_id} # SKIP \${failing.data.user_id} is not known: failing failed
    1..3
    # 0 passed, 2 failed, 1 skipped
    "
  `);
  const xml = await readFile(join(cwd, "report.xml"), "utf8");
  expect(xml.replace(/time="[\d.]+"/g, 'time="T"').replace(/request_id&quot;:&quot;\w+/g, "request_id&quot;:&quot;…"))
    .toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="anp smoke" tests="3" failures="2" errors="0" time="T">
        <testsuite name="An &lt;exchange&gt; &amp; more" file="failing.yaml" tests="3" failures="2" errors="0" skipped="1" time="T">
          <testcase classname="failing.yaml" name="the #1 &quot;exchange&quot;" time="T"><failure type="expectation" message="data.points_earned: expected 16, got 15">failing.yaml:4  POST /api/v1/ai/points/exchange
      data.points_earned: expected 16, got 15
      answer: 200 {&quot;success&quot;:true,&quot;code&quot;:0,&quot;message&quot;:&quot;ok&quot;,&quot;data&quot;:{&quot;token_amount&quot;:1.5,&quot;points_earned&quot;:15,&quot;balance_after&quot;:15,&quot;exchange_rate&quot;:10},&quot;request_id&quot;:&quot;…&quot;}
      curl -sS -i -H &apos;content-type: application/json&apos; -H &quot;X-User-Token: $TOKEN&quot; --data-raw &apos;{&quot;token_amount&quot;:1.5}&apos; &apos;http://127.0.0.1:8787/api/v1/ai/points/exchange&apos;</failure></testcase>
          <testcase classname="failing.yaml" name="failing" time="T"><failure type="expectation" message="status: expected 200, got 401">failing.yaml:9  GET /api/v1/ai/me
      status: expected 200, got 401
      answer: 401 {&quot;success&quot;:false,&quot;code&quot;:401,&quot;message&quot;:&quot;The user token is missing or invalid.&quot;,&quot;request_id&quot;:&quot;…&quot;}
      curl -sS -i &apos;http://127.0.0.1:8787/api/v1/ai/me&apos;</failure></testcase>
          <testcase classname="failing.yaml" name="GET /api/v1/ai/me?x=\${failing.data.user_id}" time="T"><skipped message="\${failing.data.user_id} is not known: failing failed"/></testcase>
        </testsuite>
      </testsuites>
      "
    `);
});

it("reports every error of all invalid files, and runs none", async () => {
  const one = await write("one.yaml", "steps:\n  - request: GET /api/v1/ai/me\n    tokn: x\n");
  const two = await write("two.yaml", "faults: [modle=error]\nsteps:\n  - request: GET /api/v1/ai/me\n");
  const { code, stdout, stderr } = await anp(["smoke", one, two, await write("fine.yaml", FAILING)], { cwd });
  expect([code, stdout]).toEqual([2, ""]);
  const lines = stderr.split("\n");
  expect(lines[0]).toMatch(/^one\.yaml:3:5: steps\[0\]\.tokn is not a known key\. Did you mean token\?/);
  expect(lines[1]).toMatch(/^two\.yaml:1:10: faults\[0\] must be NAME=KIND .* Did you mean model\?$/);
  expect(lines[2]).toBe("error: 2 errors; nothing was run. See `anp help smoke-files`.");
  expect(await anp(["smoke", "nowhere.yaml"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  expect(await anp(["smoke"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  expect((await anp(["smoke", "fine.yaml", "--now", "2026-11-20T00:00:00Z"], { cwd })).stderr).toContain(
    "--now cannot be used with smoke: set `now:` at the top of the smoke file.",
  );
});

it("exits 6 when the daemon cannot be reached", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  const { code, stdout, stderr } = await anp(["smoke", await write("fine.yaml", FAILING), "--url", url], { cwd });
  expect([code, stderr]).toEqual([6, `error: ${url} cannot be reached: nothing listens there.\n`]);
  expect(stdout).toContain(`Bail out! ${url} cannot be reached`);
  expect((await anp(["smoke", "fine.yaml", "--url", "127.0.0.1:80"], { cwd })).code).toBe(2);
});

it("runs the cleanup and exits 130 when it is interrupted", async () => {
  const asked: string[] = [];
  let onFirst: () => void;
  const first = new Promise<void>((resolve) => (onFirst = resolve));
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url === "/slow") onFirst();
    else response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const file = await write(
    "slow.yaml",
    "steps: [{ request: GET /slow }, { request: GET /never }]\ncleanup: [{ request: GET /cleanup }]\n",
  );
  const child = spawn(process.execPath, [ANP, "smoke", file, "--url", `http://127.0.0.1:${port}`], { cwd });
  const ended = new Promise((resolve) => child.on("close", resolve));
  await first;
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(asked).toEqual(["/slow", "/cleanup"]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it("shows on a terminal the expected and actual values, and how to repeat the request by hand", async () => {
  const { code, screen } = await anpInTerminal(["smoke", await write("failing.yaml", FAILING)], {
    cwd,
    env: { NO_COLOR: "1" },
  });
  expect(code).toBe(7);
  const shown = screen.replace(/\d+ ms|\d+\.\d s/g, "N ms").replace(/"request_id":"\w+"/g, '"request_id":"…"');
  expect(shown).toMatchInlineSnapshot(`
    "failing.yaml  An <exchange> & more
      ✗ the #1 "exchange"  N ms
          failing.yaml:4  POST /api/v1/ai/points/exchange
          data.points_earned
            expected  16
            got       15
          answer: 200 {"success":true,"code":0,"message":"ok","data":{"token_amount":1.5,"points_earned":15,"balance_after":15,"exchange_rate":10},"request_id":"…"}
          curl -sS -i -H 'content-type: application/json' -H "X-User-Token: $TOKEN" --data-raw '{"token_amount":1.5}' 'http://127.0.0.1:8787/api/v1/ai/points/exchange'
      ✗ failing  N ms
          failing.yaml:9  GET /api/v1/ai/me
          status
            expected  200
            got       401
          answer: 401 {"success":false,"code":401,"message":"The user token is missing or invalid.","request_id":"…"}
          curl -sS -i 'http://127.0.0.1:8787/api/v1/ai/me'
      - GET /api/v1/ai/me?x=\${failing.data.user_id}  skipped: \${failing.data.user_id} is not known: failing failed
      To try it by hand, start the same daemon and set TOKEN to the step's token:
        anp serve --demo --storage memory: --now 2026-11-20T00:00:00Z --seed smoke
    2 failed, 0 passed, 1 skipped in 1 file, N ms
    error: 2 steps failed.
    "
  `);
});

it("skips a file with faults on a running daemon, and fails when nothing else ran, unless that is accepted", async () => {
  const file = await write("faults.yaml", "faults: [model=error]\nsteps:\n  - request: GET /healthz\n");
  const none = await anp(["smoke", file, "--url", "http://127.0.0.1:9"], { cwd });
  expect([none.code, none.stderr]).toEqual([
    7,
    "error: Every step was skipped, so nothing was tested. --allow-skipped accepts that.\n",
  ]);
  const { code, stdout } = await anp(["smoke", file, "--url", "http://127.0.0.1:9", "--allow-skipped"], { cwd });
  expect([code, stdout]).toEqual([
    0,
    "TAP version 14\n# faults.yaml\nok 1 - faults.yaml # SKIP it asks for the faults model=error\n1..1\n# 0 passed, 0 failed, 0 skipped\n",
  ]);
});

describe("the documentation of smoke files", () => {
  it("is a JSON Schema that accepts what the program accepts and refuses a typo", async () => {
    const { code, stdout } = await anp(["smoke", "--schema"], { cwd });
    expect(code).toBe(0);
    const schema = z.fromJSONSchema(JSON.parse(stdout) as Parameters<typeof z.fromJSONSchema>[0]);
    const step = {
      request: "GET /api/v1/ai/me",
      expect: { data: { balance: { $gte: "${a.data.x}" }, list: [{ $exists: true }] } },
    };
    const accepts = (file: unknown): boolean => schema.safeParse(file).success;
    expect(
      accepts({ name: "x", faults: ["model=error"], steps: [step], cleanup: [{ ...step, retry: { times: 2 } }] }),
    ).toBe(true);
    expect(accepts({ steps: [{ ...step, expect: { data: { $gr: 5 } } }] })).toBe(false);
    expect(accepts({ steps: [{ ...step, expcet: {} }] })).toBe(false);
    expect(accepts({ steps: [{ request: "me" }] })).toBe(false);
    expect(accepts({ steps: [] })).toBe(false);
  });

  it("names every matcher and every key in its help", async () => {
    const [{ stdout: help }, { stdout: schema }] = await Promise.all([
      anp(["help", "smoke-files"], { cwd }),
      anp(["smoke", "--schema"], { cwd }),
    ]);
    const { properties, $defs } = JSON.parse(schema) as {
      properties: Record<string, object>;
      $defs: { Step: { properties: Record<string, { properties?: object }> } };
    };
    const step = $defs.Step.properties;
    const keys = [properties, step, step["expect"]!.properties!].flatMap((keyed) => Object.keys(keyed));
    const missing = [...keys.map((key) => `\n  ${key} `), ...Object.keys(MATCHERS).map((name) => `\n  ${name} `)];
    expect(missing.filter((words) => !help.includes(words))).toEqual([]);
    expect(help.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });
});

it("sends nothing from the environment to the host that a file names, unless the file is trusted", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}/\${env.MY_SECRET}/v1`;
  const chat =
    "{ request: POST /api/v1/ai/chat/send, token: demo-token, body: { question: What does a withdrawal of USDT cost? } }";
  const text = `config: { model: { base_url: "${base}", model: x } }\nsteps: [${chat}]\n`;
  const run = { cwd, env: { MY_SECRET: "hush-hush" } };
  const { code, stderr } = await anp(["smoke", await write("leak.yaml", text)], run);
  expect([code, asked]).toEqual([2, []]);
  expect(stderr).toMatch(/^leak\.yaml:1:20: config\.model\.base_url reads the environment, .*--trust-config/);
  await anp(["smoke", "leak.yaml", "--trust-config"], run);
  server.close();
  expect(asked[0]).toBe("/hush-hush/v1/chat/completions");
});

it("escapes what a terminal would follow in its readable reports", async () => {
  const name = String.raw`"\u001b]0;x\u0007\u009b2J\u202e #1"`;
  const body = String.raw`{ event_type: ab, session_id: "\u001b[8m\u202e" }`;
  const steps = `  - { name: ${name}, request: POST /api/v1/ai/events, token: alice-token, body: ${body} }\n`;
  const skipped = `  - { name: ${name}, request: GET /readyz, skip: ${name} }\n`;
  await write("escapes.yaml", `name: ${name}\nsteps:\n${steps}${skipped}`);
  for (const report of ["tap", "human"]) {
    const { stdout } = await anp(["smoke", "escapes.yaml", "--report", report], { cwd });
    expect(stdout, report).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    if (report === "tap") expect(stdout).toContain(String.raw`not ok 1 - escapes.yaml:3 \u001b]0;x\u0007\u009b2J`);
  }
});
