import { EventEmitter } from "node:events";
import { cp, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../src/cli/main.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { toSmokeFile } from "../../src/smoke/record/to-smoke-file.ts";
import type { FileResult } from "../../src/smoke/run/smoke-result.ts";
import { anp } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";
import { cleanEnv } from "../support/program.ts";
import { faultsOf, outcomes } from "./smoke-files.ts";

const DEMO = join(import.meta.dirname, "../../fixtures/demo");

let cwd: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ path: cwd, remove } = await temporaryFolder());
  await cp(DEMO, join(cwd, "world"), { recursive: true });
});
afterAll(() => remove());

/** A client of the proxy: what it sends, and the parsed body of the answer. */
type Session = (ask: Ask) => Promise<void>;
type Ask = (
  request: string,
  options?: { readonly token?: string; readonly json?: unknown; readonly text?: string; readonly headers?: object },
) => Promise<{ status: number; body: Record<string, unknown> }>;

/** Runs `anp smoke record` while a session goes through its proxy. */
async function record(
  args: readonly string[],
  session: Session,
): Promise<{ code: number; stderr: string; file: string }> {
  const [stdout, stderr] = [new PassThrough({ encoding: "utf8" }), new PassThrough({ encoding: "utf8" })];
  const signals = new EventEmitter();
  const ended = main(["smoke", "record", "--out", "recorded.yaml", "--force", ...args], {
    ...{ stdin: Readable.from([]), stdout, stderr, env: cleanEnv(cwd, {}), cwd },
    ...{ clock: systemClock, signals, exit: () => undefined },
  });
  const first = await Promise.race([new Promise<string>((resolve) => stdout.once("data", resolve)), ended]);
  if (typeof first === "string") {
    const url = first.trim();
    await session(async (request, { token, json, text, headers = {} } = {}) => {
      const [method = "", path = ""] = request.split(" ");
      const body = json === undefined ? text : JSON.stringify(json);
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token !== undefined && { "x-user-token": token }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
      const answer = await response.text();
      return {
        status: response.status,
        body: answer.startsWith("{") ? (JSON.parse(answer) as Record<string, unknown>) : {},
      };
    });
    signals.emit("SIGINT", "SIGINT");
  }
  const code = await ended;
  const file = await readFile(join(cwd, "recorded.yaml"), "utf8").catch(() => "");
  return { code, stderr: (stderr.read() as string | null) ?? "", file };
}

/** Runs the recorded file, with its text changed. */
async function replay(file: string, flags: readonly string[] = []): Promise<{ code: number | null; steps: string[] }> {
  await writeFile(join(cwd, "replayed.yaml"), file);
  const { code, stdout, stderr } = await anp(["smoke", "replayed.yaml", "--json", ...flags], { cwd });
  expect(stdout, stderr).not.toBe("");
  return { code, steps: (JSON.parse(stdout) as FileResult[]).flatMap(outcomes) };
}

const TEN: Session = async (ask) => {
  const alice = { token: "alice-token" };
  await ask("GET /api/v1/ai/me", alice);
  const { body } = await ask("POST /api/v1/ai/chat/send", { ...alice, json: { question: "What are the fees? ${x}" } });
  const { message_id, session_id } = body["data"] as { message_id: number; session_id: number };
  await ask("POST /api/v1/ai/points/exchange", { ...alice, json: { token_amount: 1.5 } });
  const feedback = { event_type: "feedback", message_id, session_id, feedback_type: "helpful" };
  await ask("POST /api/v1/ai/events", { ...alice, json: feedback });
  await ask("GET /api/v1/ai/me", { token: "anp_" + "s".repeat(40) });
  await ask("POST /api/v1/ai/points/exchange", { ...alice, text: '{"token_amount": ' });
  await ask("GET /api/v1/ai/points/ledger?page=1&page_size=5", alice);
  await ask("GET /api/v1/news/hot?limit=2");
  await ask("POST /api/v1/ai/points/trade-reward", {
    token: "bob-token",
    json: { trade_type: "spot", volume_usd: 1000, ref_id: "trade-7" },
    headers: { "Idempotency-Key": "key-1", authorization: "Basic c2VjcmV0", cookie: "secret" },
  });
  await ask("GET /api/v1/ai/me", { token: "demo-token" });
};

const PASSED = Array<string>(10).fill("passed");

describe("recorded calls", () => {
  it("become a file that passes at once, with ids captured and without tokens, alike each time", async () => {
    const { code, stderr, file } = await record([], TEN);
    expect([code, stderr]).toEqual([0, expect.stringContaining("recorded.yaml: 10 of 10 calls\n")]);
    const { steps, ...head } = parse(file) as { steps: object[] };
    expect(head).toEqual({ name: "Recorded calls", fixtures: "demo", now: "2026-11-20T00:00:00.000Z", seed: "smoke" });
    const alice = { token: "${run.tokens.alice}" };
    expect(steps).toMatchObject([
      { ...alice, request: "GET /api/v1/ai/me", expect: { data: { user_id: "alice", balance_points: 0 } } },
      {
        ...{ id: "call2", ...alice, body: { question: "What are the fees? $${x}" } },
        expect: { data: { message_id: { $type: "integer" }, route: "help", latency_ms: 0 } },
      },
      { id: "call3", expect: { data: { token_amount: 1.5, points_earned: 15, balance_after: 15, exchange_rate: 10 } } },
      {
        body: { message_id: "${call2.data.message_id}", session_id: "${call2.data.session_id}" },
        expect: { data: { event_id: { $type: "string" }, stored: true } },
      },
      { token: "${env.TOKEN_1:-unknown}", expect: { code: 401 } },
      { raw: '{"token_amount": ', expect: { code: 422, body: { errors: [{ in: "body", path: "" }] } } },
      {
        request: "GET /api/v1/ai/points/ledger?page=1&page_size=5",
        expect: { data: { items: [{ id: 2, ref_id: "${call3.request_id}" }, { ref_id: "${call2.request_id}" }] } },
      },
      { expect: { data: { news: [{ published_at: expect.stringContaining("2026-11-19T") as string }, {}] } } },
      { headers: { "idempotency-key": "key-1" }, expect: { data: { points_earned: 10, ref_id: "trade-7" } } },
      { token: "${run.tokens.demo}" },
    ]);
    expect(steps[8]).toHaveProperty("headers", { "idempotency-key": "key-1" });
    expect(file).not.toMatch(/-token|anp_s|c2VjcmV0|cookie|127\.0\.0\.1/);
    expect(await replay(file)).toEqual({ code: 0, steps: PASSED });
    expect((await record(["--count", "10"], TEN)).file).toBe(file);
  });

  it("come back byte for byte with --exact, until an amount of the fixture changes", async () => {
    const { file } = await record(["--exact", "--fixtures", "world", "--seed", "s"], TEN);
    expect(file).toContain("date: Fri, 20 Nov 2026 00:00:00 GMT\n");
    expect(await replay(file)).toEqual({ code: 0, steps: PASSED });
    const config = await readFile(join(cwd, "world/config.yaml"), "utf8");
    await writeFile(join(cwd, "world/config.yaml"), config.replace("rate: 10", "rate: 12"));
    const { code, steps } = await replay(file);
    expect([code, steps.filter((step) => step !== "passed")]).toEqual([
      7,
      [
        "failed: data.points_earned expected 15, got 18: data.balance_after expected 15, got 18: data.exchange_rate expected 10, got 12",
        expect.stringContaining("data.items[0].delta expected 15, got 18"),
      ],
    ]);
  });

  it("of a running daemon have no values that move, and name what cannot be repeated", async () => {
    const seen: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      seen.push(request);
      request.resume().on("end", () => {
        response.sendDate = false;
        if (request.url === "/gone") request.socket.destroy();
        else if (request.url === "/bytes") response.end(Buffer.from([0xff, 0xfe]));
        else if (request.url === "/long") response.end("x".repeat(5000));
        else if (request.url === "/page") response.end("up {${x}} tok-2");
        else if (request.headers["x-user-token"] === "tok-2") {
          response.writeHead(200, { "content-type": "application/json", "idempotency-replayed": "true" });
          const data = { id: 3, session_id: 9_000_000, at: "2026-11-20T00:00:00Z", latency_ms: 7, said: "tok-1" };
          response.end(JSON.stringify({ success: true, code: 0, message: "ok", data, request_id: "r" }));
        } else {
          response.writeHead(418, { "content-type": "application/json" });
          response.end('{"success":false,"code":1005,"message":"no"}');
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { file, stderr } = await record(["--url", url, "--token", "tok-1"], async (ask) => {
      await ask("GET /x?session_id=9000000", { token: "tok-2" });
      await ask("GET /y?a=1&session_id=9000000", { token: "tok-1", headers: { "if-none-match": "*" } });
      await ask("GET /page", { headers: { "x-user-token": "eyJhbGciOi.eyJzdWIiOi.c2ln" } });
      for (const path of ["/gone", "/bytes", "/long"]) await ask(`GET ${path}`).catch(() => undefined);
      expect((await ask("POST /z", { text: "x".repeat(1024 * 1024 + 1) }).catch(() => ({ status: 400 }))).status).toBe(
        400,
      );
      await ask("POST /z", { text: '{"$a": "\\ud800", "b":1e0}', headers: { "content-type": "text/plain" } });
    });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(seen[1]!.headers).not.toHaveProperty("if-none-match");
    expect(seen[1]!.headers.host).toBe(new URL(url).host);
    expect(stderr).toContain("recorded.yaml: 6 of 8 calls\n");
    expect(file).toMatchInlineSnapshot(`
      "# Recorded by anp smoke record. Run it with --url and --token.
      # Set TOKEN_1 in the environment: a token.
      # Set TOKEN_2 in the environment: a token.
      # call4, GET /gone: not recorded: the daemon cannot be reached: the connection was closed.
      # call5, GET /bytes: its body is not compared: it is not UTF-8 text
      # call6, GET /long: its body is not compared: it has 5000 bytes
      # call7, POST /z: not recorded: its body is larger than 1048576 bytes
      name: Recorded calls
      steps:
        - id: call1
          request: GET /x?session_id=9000000
          token: \${env.TOKEN_1}
          expect:
            headers:
              idempotency-replayed: "true"
            data:
              id:
                $type: integer
              session_id:
                $type: integer
              at:
                $type: timestamp
              latency_ms:
                $type: integer
              said: \${run.token}
        - request: GET /y?a=1&session_id=\${call1.data.session_id}
          token: \${run.token}
          expect:
            status: 418
            code: 1005
            body:
              message: no
        - request: GET /page
          token: \${env.TOKEN_2}
          expect:
            text: up {$\${x}} \${env.TOKEN_1}
        - request: GET /bytes
          expect: {}
        - request: GET /long
          expect: {}
        - request: POST /z
          headers:
            content-type: text/plain
          raw: '{"$a": "\\ud800", "b":1e0}'
          expect:
            status: 418
            code: 1005
            body:
              message: no
      "
    `);
  });

  it("are none where flags do not go together, a file exists, or nothing was sent", async () => {
    const none: Session = () => Promise.resolve();
    expect(await record(["--exact", "--url", "http://127.0.0.1:9"], none)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--exact excludes --url") as string,
    });
    expect((await record(["--storage", "memory:"], none)).code).toBe(2);
    expect((await anp(["smoke", "record", "--out", "recorded.yaml"], { cwd })).stderr).toContain(
      "--out recorded.yaml exists; --force replaces it.",
    );
    const { code, stderr } = await record(["--url", "http://127.0.0.1:9"], none);
    expect([code, stderr]).toEqual([1, expect.stringContaining("No call was recorded; no file was written.")]);
  });
});

it("keeps texts that a smoke file would take for references of other tools", () => {
  const json = { "content-type": "application/json" };
  const answer = { status: 200, headers: json, text: '{"q":"$NAME"}', bytes: Buffer.from('{"q":"$NAME"}') };
  const call = { method: "POST", target: "/x", headers: json, body: Buffer.from('{"q":"{{name}}"}'), answer };
  const { text } = toSmokeFile([call], { head: {}, tokens: {}, exact: false });
  expect(faultsOf(text)).toEqual([]);
});
