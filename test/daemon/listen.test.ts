import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { listen as listhen } from "listhen";
import { describe, expect, it } from "vitest";
import { errorEnvelope } from "../../src/contract/envelope.ts";
import { createApp } from "../../src/http/app.ts";
import { createMetrics } from "../../src/http/metrics/metrics.ts";
import { listen } from "../../src/daemon/listen.ts";
import { PortError } from "../../src/daemon/bind-check.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openFixtureService } from "../support/service.ts";

async function serve(refresh = false) {
  const { service } = await openFixtureService({ refresh });
  const listening = await listen(createApp(service, silentLogger), "127.0.0.1", 0);
  return { ...listening, service };
}

/** Sends a body without saying how long it is, and gives the status of the answer. */
function sendChunked(url: string, bytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-user-token": "bob-token" },
    });
    sending.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on("error", (error: NodeJS.ErrnoException) => {
      // The server has answered and closed while we still send.
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
    });
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let sent = 0; sent < bytes; sent += chunk.length) sending.write(chunk);
    sending.end();
  });
}

it("lives on after it cut off a body of unknown length that was too large", async () => {
  const { url, stop, service } = await serve();
  for (let n = 0; n < 5; n++) expect(await sendChunked(`${url}/api/v1/ai/chat/send`, 2_000_000)).toBe(413);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await stop(1000);
  await service.close();
});

it("takes the asked port or says that it is in use", async () => {
  const { url, stop, service } = await serve();
  const app = createApp(service, silentLogger);
  await expect(listen(app, "127.0.0.1", Number(new URL(url).port))).rejects.toThrow(PortError);
  await stop(1000);
  await service.close();
});

/** Sends bytes as they are, and gives all that comes back. */
function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => (text += chunk.toString()));
    socket.on("close", () => {
      resolve(text);
    });
    socket.on("error", reject);
  });
}

it("answers what is no HTTP with an envelope, and lives on", async () => {
  const { url, stop, service } = await serve();
  const cases: [string, number][] = [
    ["BREW /api/v1/news/hot HTTP/1.1\r\nHost: a\r\n\r\n", 405],
    ["hello\r\n\r\n", 405],
    ["GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n", 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nX-User-Token: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ];
  for (const [bytes, code] of cases) {
    const [head, body] = (await sendRaw(url, bytes)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
    expect(errorEnvelope.parse(JSON.parse(body!))).toMatchObject({ success: false, code });
  }
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await stop(1000);
  await service.close();
});

it("logs and counts what never reaches a route, and tells a TLS client that the port speaks plain HTTP", async () => {
  const { service } = await openFixtureService({ refresh: false });
  const logged: object[] = [];
  const logger = { ...silentLogger, info: (fields: object) => void logged.push(fields) };
  const metrics = createMetrics("test");
  const bounds = { peer_ms: 200, max_connections: 100 };
  const { url, stop } = await listen(createApp(service, logger, { meter: metrics }), "127.0.0.1", 0, undefined, bounds);
  const cases: [string, number, number][] = [
    ["GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n", 400, 1],
    ["GET / HTTP/1.1\r\n\r\n", 400, 2],
    ["\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001", 400, 3],
    [`GET / HTTP/1.1\r\nX-User-Token: ${"x".repeat(20_000)}\r\n\r\n`, 431, 1],
    ["hello\r\n\r\n", 405, 1],
    ["GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417, 1],
    ["GET / HTTP/1.1\r\nHo", 408, 1],
  ];
  for (const [bytes, status, times] of cases) {
    const text = await sendRaw(url, bytes);
    const request_id = /x-request-id: (\S+)/i.exec(text)?.[1];
    expect(logged.pop()).toMatchObject({ operation: "malformed", status, code: status, request_id });
    expect(await metrics.text()).toContain(
      `anp_http_requests_total{operation="malformed",status="${status}",code="${status}"} ${times}\n`,
    );
    expect(text.includes("This port speaks plain HTTP")).toBe(bytes.startsWith("\u0016"));
  }
  await stop(1000);
  await service.close();
});

describe("a malformed request behind valid ones on one connection", () => {
  const headers = "Host: a\r\nX-User-Token: demo-token\r\n";
  const body = (text: string) =>
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  const exchange = `POST /api/v1/ai/points/exchange HTTP/1.1\r\n${headers}${body('{"token_amount":1}')}`;
  const chat = `POST /api/v1/ai/chat/send HTTP/1.1\r\n${headers}${body('{"question":"What are the maker and taker fees?"}')}`;
  const me = `GET /api/v1/ai/me HTTP/1.1\r\n${headers}\r\n`;
  const chunked = `${headers}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const cases: readonly (readonly [string, string, readonly number[]])[] = [
    ["a change", `${exchange}BLAH\r\n\r\n`, [200, 405]],
    [
      "several, the first of them slow",
      `${chat}${me}${exchange}GET / HTTP/1.1\r\nbad header\r\n\r\n`,
      [200, 200, 200, 400],
    ],
    ["a body that is malformed", `${chat}POST /api/v1/ai/events HTTP/1.1\r\n${chunked}`, [200, 400]],
    ["CONNECT", `${chat}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`, [200, 405]],
    ["one that closes the connection", `${me.replace("Host", "Connection: close\r\nHost")}BLAH\r\n\r\n`, [200]],
  ];

  it.each(cases)("is answered after them: %s", async (_, bytes, statuses) => {
    const { url, stop, service } = await serve(true);
    const text = await sendRaw(url, bytes);
    expect([...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))).toEqual(statuses);
    await stop(1000);
    await service.close();
  });

  const followUps: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["once, whatever follows it", `${chat}BLAH\r\n\r\n`, "BLAH\r\n\r\n", ["200", "405"]],
    [
      "not if it is in the body of a request that was answered",
      `POST / HTTP/1.1\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`,
      "zz\r\n",
      ["405"],
    ],
  ];

  it.each(followUps)("is answered %s", async (_, bytes, rest, statuses) => {
    const { url, stop, service } = await serve(true);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      if (text === "") socket.write(rest);
      text += chunk;
    });
    await once(socket, "close");
    expect([...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(statuses);
    await stop(1000);
    await service.close();
  });

  it("is dropped when the caller has gone", async () => {
    const { url, stop, service } = await serve(true);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${chat}BLAH\r\n\r\n`, () => socket.resetAndDestroy()),
    );
    await once(socket, "close");
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await stop(1000);
    await service.close();
  });
});

it("takes one listener of listhen's off its server: the one of http-shutdown that follows requests", async () => {
  // `listen` relies on this inside of listhen, and its version is pinned. When this fails, look at what `listen` removes.
  const handler = (): void => undefined;
  const { server } = await listhen(handler, {
    hostname: "127.0.0.1",
    port: { port: 0, random: true, verbose: false },
    isTest: true,
    isProd: true,
    showURL: false,
    autoClose: false,
  });
  const others = server.listeners("request").filter((listener) => listener !== handler);
  server.close();
  expect(others.map(String)).toEqual([expect.stringContaining("req.socket._isIdle = false")]);
  const { devDependencies } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies["listhen"]).toMatch(/^\d+\.\d+\.\d+$/);
});
