import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { H3 } from "h3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listen, type Listener } from "../../src/daemon/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openFixtureService, type FixtureService } from "../support/service.ts";

const LONG = 60_000; // Longer than any test may take: nothing is cut.

let opened: FixtureService;
let listening: Listener;

beforeEach(async () => {
  opened = await openFixtureService({ refresh: false });
  listening = await listen(createApp(opened.service, silentLogger), "127.0.0.1", 0);
});
afterEach(async () => {
  await listening.stop(0);
  await opened.service.close();
});

/** A connection that is kept. */
interface Kept {
  readonly socket: Socket;
  readonly text: () => string; // All that came back.
  readonly closed: Promise<unknown>;
  readonly says: (words: string) => Promise<void>; // Rejects if it is closed before.
}

async function keep(url = listening.url): Promise<Kept> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("utf8");
  let text = "";
  let isClosed = false;
  socket.on("data", (more: string) => (text += more)).on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve)).then(() => (isClosed = true));
  await once(socket, "connect");
  const says = async (words: string): Promise<void> => {
    while (!text.includes(words)) {
      if (isClosed) throw new Error(`The connection was closed before ${words}: ${text}`);
      await Promise.race([once(socket, "data"), closed]);
    }
  };
  return { socket, text: () => text, closed, says };
}

/** A kept connection that was used before. */
async function used(): Promise<Kept> {
  const kept = await keep();
  kept.socket.write(get("/healthz", "X-Request-Id: first"));
  await kept.says("\r\n\r\n");
  expect(kept.text()).toMatch(/\r\nconnection: keep-alive\r\n/i);
  return kept;
}

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: anp.test", "X-User-Token: carol-token", ...headers, "", ""].join("\r\n");
const BODY = '{"token_amount":1}';
const HEAD = [
  "POST /api/v1/ai/points/exchange HTTP/1.1",
  "Host: anp.test",
  "X-User-Token: carol-token",
  "Content-Type: application/json",
  `Content-Length: ${BODY.length}`,
];
const exchange = (key: string): string => [...HEAD, `Idempotency-Key: ${key}`, "", BODY].join("\r\n");

/** The responses in a text: the status, and whether it closes the connection. */
const answers = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)[^]*?\r\nconnection: ([^\r]*)[^]*?\r\n\r\n/gi)].map(
    ([, status, connection]) => `${status} ${connection}`,
  );

describe("from the moment a listener drains", () => {
  it.each([
    ["a read", get("/api/v1/ai/me"), "200"],
    ["a change", exchange("one"), "200"],
    ["a failure", get("/api/v1/ai/me").replace("carol-token", "nobody"), "401"],
    ["a page", get("/healthz"), "200"],
    ["a read of a browser", get("/api/v1/ai/me", "Origin: https://anp.test"), "200"],
    ["an answer without a body", get("/api/v1/news/hot").replace("GET", "HEAD"), "200"],
  ])("%s on a kept connection is answered and closes it", async (_, request, status) => {
    const { socket, text, closed } = await used();
    listening.drain();
    socket.write(request);
    await closed;
    expect(answers(text())).toEqual(["200 keep-alive", `${status} close`]);
  });

  it("so does the answer of a request that was begun before", async () => {
    const { socket, text, closed, says } = await used();
    socket.write([...HEAD, "Expect: 100-continue", "", ""].join("\r\n"));
    await says("100 Continue");
    listening.drain();
    socket.write(BODY);
    await closed;
    expect(answers(text().replace("HTTP/1.1 100 Continue\r\n\r\n", ""))).toEqual(["200 keep-alive", "200 close"]);
  });

  it("takes new connections, each for one request", async () => {
    listening.drain();
    const response = await fetch(`${listening.url}/healthz`);
    expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
  });

  it("answers all requests that were sent together, and closes after the last", async () => {
    const { socket, text, closed } = await used();
    listening.drain();
    socket.write(exchange("one") + get("/healthz") + get("/api/v1/ai/me") + exchange("two"));
    await closed;
    const statuses = answers(text());
    expect(statuses).toEqual([...Array<string>(4).fill("200 keep-alive"), "200 close"]);
  });

  it("runs no request after the response that says so", async () => {
    const runs: string[] = [];
    let answerSlow: (text: string) => void;
    let onFast: () => void;
    const slow = new Promise<string>((resolve) => (answerSlow = resolve));
    const fast = new Promise<void>((resolve) => (onFast = resolve));
    const app = new H3()
      .get("/slow", () => slow)
      .get("/fast", () => {
        setImmediate(onFast);
        return "fast";
      })
      .get("/late", () => String(runs.push("late")));
    const own = await listen(app, "127.0.0.1", 0);
    const [kept, other] = [await keep(own.url), await keep(own.url)];
    own.drain();
    kept.socket.write(get("/slow") + get("/fast"));
    await fast; // Its response waits for the slow one, and has its headers.
    kept.socket.write(get("/late"));
    other.socket.write(get("/fast"));
    await other.closed;
    answerSlow!("slow");
    await kept.closed;
    expect(answers(kept.text())).toEqual(["200 keep-alive", "200 close"]);
    expect(runs).toEqual([]);
    await own.stop(0);
  });
});

describe("a listener that stops", () => {
  it("answers a request that was sent on a kept connection at that moment", async () => {
    const kept = await Promise.all(Array.from({ length: 32 }, () => used()));
    const fresh = await keep();
    const stopped = listening.stop(LONG);
    for (const [n, { socket }] of kept.entries()) socket.write(exchange(`key-${n}`));
    fresh.socket.write(get("/healthz"));
    await Promise.all([stopped, fresh.closed, ...kept.map(({ closed }) => closed)]);
    for (const { text } of kept) expect(answers(text())).toEqual(["200 keep-alive", "200 close"]);
    expect(answers(fresh.text())).toEqual(["200 close"]);
  });

  it("closes connections that are idle or were never used, and waits for none of them", async () => {
    const connections = [await used(), await keep()];
    await listening.stop(LONG);
    await Promise.all(connections.map(({ closed }) => closed));
  });

  it("waits for the rest of a request that has begun to arrive on a kept connection", async () => {
    const kept = await used();
    const idle = await used();
    const stopped = listening.stop(LONG);
    const request = get("/healthz");
    kept.socket.write(request.slice(0, 20));
    await idle.closed;
    kept.socket.write(request.slice(20));
    await Promise.all([stopped, kept.closed]);
    expect(answers(kept.text())).toEqual(["200 keep-alive", "200 close"]);
  });

  it("sends the whole of a response whose reader is slow", async () => {
    const size = 16 * 1024 * 1024;
    const own = await listen(
      new H3().get("/large", () => "x".repeat(size)),
      "127.0.0.1",
      0,
    );
    const slow = await keep(own.url);
    slow.socket.write(get("/large"));
    await once(slow.socket, "data");
    slow.socket.pause();
    const idle = await keep(own.url);
    const stopped = own.stop(LONG);
    await idle.closed;
    slow.socket.resume();
    await Promise.all([stopped, slow.closed]);
    expect(slow.text().length - slow.text().indexOf("\r\n\r\n") - 4).toBe(size);
  });
});
