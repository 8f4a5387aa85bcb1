import { Agent, createServer, get } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { createConnections } from "../../src/daemon/connections.ts";
import { listen, type Listener } from "../../src/daemon/listen.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openFixtureService, type FixtureService } from "../support/service.ts";

let opened: FixtureService;
let listening: Listener;
let errors: string[];

beforeEach(async () => {
  opened = await openFixtureService({ refresh: false });
  errors = [];
  const logger = { ...silentLogger, error: (_fields: object, message: string) => void errors.push(message) };
  listening = await listen(createApp(opened.service, logger), "127.0.0.1", 0);
});
afterEach(async () => {
  await listening.stop(0);
  await opened.service.close();
});

/** Sends bytes as they are. Gives what came back once the connection is closed, or `hangUp` ms later. */
async function send(bytes: string, hangUp = 60_000): Promise<string> {
  const socket = connect(Number(new URL(listening.url).port), "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let answer = "";
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString();
  });
  socket.on("error", () => undefined);
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), hangUp);
  await closed;
  clearTimeout(timer);
  return answer;
}

const exchange = (...headers: string[]): string =>
  [
    "POST /api/v1/ai/points/exchange HTTP/1.1",
    "Host: anp.test",
    "Content-Type: application/json",
    "X-User-Token: carol-token",
    ...headers,
    "",
    "",
  ].join("\r\n");

const alive = async (): Promise<number> => (await fetch(`${listening.url}/healthz`)).status;

/** The reason phrase, which h3 leaves out, the date, and what is left of a rate. */
const VARYING = /^(http\/1.1 \d+|date:|ratelimit:).*/;

it("answers an operation alike on its direct way and through the router", async () => {
  const sorted = (answer: string): string[] => {
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    const lines = head
      .toLowerCase()
      .split("\r\n")
      .map((line) => line.replace(VARYING, "$1"));
    return [...lines.sort(), body];
  };
  const body = "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n";
  const requests = [
    "GET /api/v1/ai/me",
    "GET /api/v1/ai/points/ledger?page=1&page_size=5",
    "GET /api/v1/ai/points/ledger?page=0&page=1",
    "GET /api/v1/ai/points/ledger#?page=0",
    "GET /api/v1/news/hot?limit=3",
    "GET /api/v1/ai/hot-topics",
    "POST /api/v1/ai/me",
    "GET /api/v1/ai/me/",
    "POST /api/v1/ai/points/exchange",
  ];
  for (const request of requests) {
    for (const token of ["carol-token", "no-such-token"]) {
      const ask = async (origin: string): Promise<string[]> => {
        const posted = request.endsWith("/exchange") ? `Idempotency-Key: k\r\n${body}{"token_amount":1}` : "\r\n";
        const heads = `Host: anp.test\r\nConnection: close\r\nX-Request-Id: r\r\nX-User-Token: ${token}\r\n${origin}`;
        return sorted(await send(`${request} HTTP/1.1\r\n${heads}${posted}`));
      };
      if (request.endsWith("/exchange")) await ask("");
      expect(await ask("")).toEqual(await ask("Origin: https://anp.test\r\n"));
    }
  }
  const { headers } = await fetch(`${listening.url}/api/v1/news/hot`);
  const known = await fetch(`${listening.url}/api/v1/news/hot`, { headers: { "if-none-match": headers.get("etag")! } });
  expect([known.status, await known.text()]).toEqual([304, ""]);
});

it("answers a body without a length with 413 once it passes the bound, and lives on", async () => {
  for (const size of [0x21_000, 0x80_000]) {
    const body = `${size.toString(16)}\r\n${"x".repeat(size)}`;
    const answer = await send(exchange("Transfer-Encoding: chunked") + body);
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(await alive()).toBe(200);
  }
});

it("takes a body that its sender gave up for a bad request, not for an error of its own", async () => {
  await send(`${exchange("Content-Length: 1000")}{"tok`, 50);
  await send(`${exchange("Transfer-Encoding: chunked")}5\r\n{"tok`, 50);
  await send(`${exchange("Transfer-Encoding: chunked")}zz\r\n{"tok`);
  expect(await alive()).toBe(200);
  expect(errors).toEqual([]);
});

it("neither charges nor blames itself for a question whose asker hung up, and logs why a model failed", async () => {
  let status = 0;
  const model = createServer((_request, response) => {
    if (status > 0) response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  const { port } = model.address() as AddressInfo;
  const flags = { "model.base_url": `http://127.0.0.1:${port}/v1`, "model.model": "m", "model.max_retries": 0 };
  const { service } = await openFixtureService({ flags });
  await service.warm();
  const told: [string, unknown][] = [];
  const note = (fields: object, message: string): void => void told.push([message, Reflect.get(fields, "err")]);
  const own = await listen(createApp(service, { ...silentLogger, info: note, error: note }), "127.0.0.1", 0);
  const ask = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${own.url}/api/v1/ai/chat/send`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-token": "carol-token" },
      body: JSON.stringify({ question: "What is the withdrawal fee?" }),
      ...(signal === undefined ? {} : { signal }),
    });

  const caller = new AbortController();
  model.once("request", () => {
    caller.abort();
  });
  await expect(ask(caller.signal)).rejects.toThrow();
  await expect.poll(() => told).toEqual([["the caller has gone", undefined]]);
  expect((await service.ledger.open("carol")).version).toBe(1);

  status = 503;
  expect((await ask()).status).toBe(502);
  expect(told.slice(1).map(([message]) => message)).toEqual(["the model call failed", "request"]);
  expect((told[1]![1] as Error).cause).toBeInstanceOf(Error);
  await own.stop(0);
  await service.close();
  model.closeAllConnections();
  model.close();
});

it("answers a path that does not decode with the envelope of 404", async () => {
  for (const path of ["/%ff", "/api/v1/ai/me%", "/%zz"]) {
    const answer = await send(`GET ${path} HTTP/1.1\r\nHost: anp.test\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404/);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ success: false, code: 404 });
  }
});

it("keeps an idle connection for longer than the minute that proxies and clients use one again", async () => {
  const agent = new Agent({ keepAlive: true });
  const answer = await new Promise<{ headers: Record<string, unknown>; resume: () => void }>((resolve) => {
    get(`${listening.url}/healthz`, { agent }, resolve);
  });
  answer.resume();
  expect(answer.headers["keep-alive"]).toBe("timeout=75");
  agent.destroy();
});

it("answers every request that is no proper HTTP with an envelope, and closes", async () => {
  const host = "Host: anp.test\r\n";
  const cases: [string, number][] = [
    ["GET /api/v1/ai/me HTTP/1.1\r\nX-Request-Id: mine\r\n\r\n", 400],
    [`GET /healthz HTTP/1.1\r\n${host}Host: other.test\r\n\r\n`, 400],
    [`GET /healthz HTTP/1.1\r\n${host}Expect: 200-ok\r\n\r\n`, 417],
    [`${exchange("Expect: a miracle", "Content-Length: 2")}{}`, 417],
    ["GARBAGE\r\n\r\n", 405],
    ["GET /healthz\r\n\r\n", 400],
    ["GET /a b HTTP/1.1\r\n\r\n", 400],
    ["GET /healthz HTTP/9.9\r\n\r\n", 400],
    [`BREW /healthz HTTP/1.1\r\n${host}\r\n`, 405],
    [`GET /healthz HTTP/1.1\r\n${host}no colon\r\n\r\n`, 400],
    [`GET /healthz HTTP/1.1\r\n${host}Bad Name: 1\r\n\r\n`, 400],
    [`GET /healthz HTTP/1.1\r\n${host}X: ${"x".repeat(17_000)}\r\n\r\n`, 431],
    [`GET /${"x".repeat(17_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    [`${exchange("Content-Length: 2", "Transfer-Encoding: chunked")}0\r\n\r\n`, 400],
    [`${exchange("Content-Length: x")}{}`, 400],
    [`${exchange("Transfer-Encoding: zip")}{}`, 400],
    [`CONNECT anp.test:80 HTTP/1.1\r\n${host}\r\n`, 405],
    [`TRACE /api/v1/ai/me HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 405],
    [`OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 404],
    [`GET /api/v1/ai/me HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`, 401],
  ];
  for (const [bytes, status] of cases) {
    const answer = await send(bytes);
    const [head, body] = answer.split("\r\n\r\n", 2) as [string, string];
    expect([bytes.slice(0, 40), head.split(" ", 2)[1]]).toEqual([bytes.slice(0, 40), String(status)]);
    expect(head).toMatch(/\r\ncontent-type: application\/json/i);
    expect(head).toMatch(/\r\nconnection: close/i);
    const request_id = /\r\nx-request-id: (\S+)/i.exec(head)?.[1];
    expect(JSON.parse(body)).toMatchObject({ success: false, code: status, request_id });
    if (bytes.includes("mine")) expect(request_id).toBe("mine");
    if (status === 405) expect(head).toMatch(/\r\nallow: /i);
  }
  expect(await send("GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  expect(
    await send(exchange("Expect: 100-continue", "Connection: close", "Content-Length: 20") + '{"token_amount":1.5}'),
  ).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  expect(errors).toEqual([]);
});

it("asks a caller that waits for it for the body only when it is going to read it", async () => {
  const waits = ["Expect: 100-continue", "Connection: close"];
  const post = (path: string, ...headers: string[]): string =>
    [`POST ${path} HTTP/1.1`, "Host: anp.test", ...waits, ...headers, "", ""].join("\r\n");
  const json = "Content-Type: application/json";
  const cases: [string, string][] = [
    [exchange(...waits, "Content-Length: 99999999"), "413"],
    [exchange(...waits, "Content-Length: 2", "Content-Encoding: gzip"), "415"],
    [exchange(...waits, "Content-Length: 2", "Origin: https://anp.test", "Content-Encoding: gzip"), "415"],
    [post("/api/v1/ai/points/exchange", json, "Content-Length: 2"), "401"],
    [post("/nope", json, "Content-Length: 2"), "404"],
    [`${exchange(...waits, "Transfer-Encoding: chunked")}12\r\n{"token_amount":1}\r\n0\r\n\r\n`, "100 200"],
    [`${exchange(...waits, "Origin: https://anp.test", "Content-Length: 18")}{"token_amount":1}`, "100 200"],
  ];
  for (const [bytes, statuses] of cases) {
    const answer = await send(bytes);
    const found = Array.from(answer.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => status);
    expect([bytes, found.join(" ")]).toEqual([bytes, statuses]);
  }
});

it("names the methods that a path allows for any other method, also for one that HTTP does not know", async () => {
  for (const method of ["PUT", "TRACE", "BREW", "get", "CONNECT", "OPTIONS"])
    for (const [path, status, allowed] of [
      ["/healthz", 405, "GET, HEAD"],
      ["/api/v1/ai/me?a=b", 405, "GET, HEAD"],
      ["/api/v1/ai/chat/send", 405, "POST"],
      ["/nope", 404, undefined],
      ["/%", 404, undefined],
    ] as const) {
      const answer = await send(`${method} ${path} HTTP/1.1\r\nHost: anp.test\r\nConnection: close\r\n\r\n`);
      const found = [/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1], /\r\nallow: ([^\r]*)/i.exec(answer)?.[1]];
      expect([method, path, ...found]).toEqual([method, path, String(status), allowed]);
    }
});

it("names them for the request that was refused, not for the one before on its connection", async () => {
  const body = '{"token_amount":1}';
  const first = exchange(`Content-Length: ${body.length}`) + body;
  const answer = await send(`${first}BREW /healthz HTTP/1.1\r\nHost: anp.test\r\n\r\n`);
  expect(answer).toMatch(/\r\nallow: GET, HEAD\r\n/);
});

it("answers HEAD wherever GET is answered, without a body", async () => {
  for (const [path, status] of [
    ["/healthz", 200],
    ["/readyz", 200],
    ["/api/v1/news/hot", 200],
    ["/api/v1/ai/me", 401],
    ["/api/v1/news/refresh", 405],
    ["/nope", 404],
  ] as const) {
    const answer = await send(`HEAD ${path} HTTP/1.1\r\nHost: anp.test\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\n\r\n$`));
  }
});

it("answers requests that were sent without waiting in their order", async () => {
  const body = '{"token_amount":1}';
  const two = exchange(`Content-Length: ${body.length}`) + body;
  const answer = await send(`${two}GET /nope HTTP/1.1\r\nHost: anp.test\r\nConnection: close\r\n\r\n`);
  expect([...answer.matchAll(/"code":(\d+)/g)].map(([, code]) => code)).toEqual(["0", "404"]);
});

describe("a peer that stalls", () => {
  /** A daemon of one request at a time that waits 200 ms for its peers. */
  async function impatient(
    max_connections = 1000,
  ): Promise<{ url: string; closed: string[]; stop: () => Promise<void> }> {
    const flags = { "server.body_ms": 200, "limits.in_flight": 1 };
    const { service } = await openFixtureService({ refresh: false, flags });
    const closed: string[] = [];
    const bounds = { peer_ms: 200, max_connections, closed: (reason: string) => void closed.push(reason) };
    const own = await listen(createApp(service, silentLogger), "127.0.0.1", 0, undefined, bounds);
    return {
      url: own.url,
      closed,
      async stop() {
        await own.stop(0);
        await service.close();
      },
    };
  }

  /** What came back until the other side closed the connection. */
  async function until(url: string, bytes: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("error", () => undefined);
    if (bytes !== "") socket.write(bytes);
    await new Promise((resolve) => socket.once("close", resolve));
    return answer;
  }

  it("gets a 408 for its body and loses its connection, and takes no slot meanwhile", async () => {
    const { url, stop } = await impatient();
    const stalled = ["Content-Length: 1000", "Transfer-Encoding: chunked"].map((length) =>
      until(url, exchange(length)),
    );
    const me = () => fetch(`${url}/api/v1/ai/me`, { headers: { "x-user-token": "carol-token" } });
    for (let n = 0; n < 20; n++) expect((await me()).status).toBe(200);
    for (const answer of await Promise.all(stalled)) {
      expect(answer).toMatch(/^HTTP\/1\.1 408/);
      expect(answer.toLowerCase()).toContain("connection: close");
      expect(answer).toContain("The body did not arrive within 0.2 s.");
    }
    await stop();
  });

  it("loses its connection without headers, after an early answer, and when it does not read", async () => {
    const { url, closed, stop } = await impatient();
    const answered = exchange("Content-Length: 1000").replace("carol-token", "nobody");
    const many = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: anp.test\r\n\r\n".repeat(20);
    const [silent, half, early] = await Promise.all([
      until(url, ""),
      until(url, "GET /healthz HTTP/1.1\r\nHo"),
      until(url, answered),
    ]);
    const deaf = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
    deaf.write(many);
    await expect.poll(() => closed).toContain("response");
    deaf.destroy();
    expect(silent).toBe("");
    expect(half).toMatch(/^HTTP\/1\.1 408/);
    expect(early).toMatch(/^HTTP\/1\.1 401/);
    expect(closed.sort()).toEqual(["body", "headers", "headers", "response"]);
    await stop();
  });

  it("is closed together with few others in one turn of the event loop", async () => {
    let [inTurn, most, all] = [0, 0, 0];
    const count = (): void => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      all++;
    };
    const own = await listen(createApp(opened.service, silentLogger), "127.0.0.1", 0, undefined, {
      peer_ms: 200,
      max_connections: 1000,
      closed: count,
    });
    await Promise.all(Array.from({ length: 300 }, () => until(own.url, "")));
    expect(all).toBe(300);
    expect(most).toBeLessThanOrEqual(128);
    await own.stop(0);
  });

  it("is counted once, also where it is closed again since its end was not taken", async () => {
    const reasons: string[] = [];
    const connections = createConnections({
      peer_ms: 5,
      max_connections: 10,
      closed: (reason) => reasons.push(reason),
    });
    const deaf = new Duplex({ read: () => undefined, final: () => undefined }); // What ends it never comes.
    connections.add(Object.assign(deaf, { bytesRead: 0, destroySoon: () => deaf.end() }) as unknown as Socket);
    await new Promise((resolve) => deaf.once("close", resolve));
    connections.stop();
    expect(reasons).toEqual(["headers"]);
  });

  it("makes room when there are too many, and a connection that was never used goes first", async () => {
    const { url, closed, stop } = await impatient(3);
    const used = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${url}/healthz`, { agent: used }, (response) => {
          response.resume().on("end", () => {
            resolve(response.statusCode);
          });
        }).on("error", reject);
      });
    expect(await ask()).toBe(200);
    const silent = [until(url, ""), until(url, "")];
    const third = until(url, "GET /healthz HTTP/1.1\r\nHost: anp.test\r\nConnection: close\r\n\r\n");
    await Promise.all(silent);
    expect(await third).toMatch(/^HTTP\/1\.1 200/);
    expect(await ask()).toBe(200);
    expect(closed).toContain("idle");
    used.destroy();
    await stop();
  });
});
