import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Client,
  type ClientSettings,
  ContractViolation,
  createClient,
  RemoteRefusal,
} from "../../src/client/client.ts";
import { DOCUMENTATION } from "../support/documentation.ts";
import { readRetryAfter } from "../../src/runtime/retry-after.ts";
import { UnreachableError } from "../../src/client/transport.ts";
import { AnpError } from "../../src/contract/errors.ts";
import { serveHere, type DaemonHere } from "../cli/anp.ts";
import { temporaryFolder } from "../support/folder.ts";
import { envelope, failure, forward, standIn, type StandIn } from "./stand-in.ts";

const QUICK = { retries: 3, base_ms: 1, max_ms: 2, retry_after_ms: 1000 };

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function clientOf(settings: Partial<ClientSettings> & Pick<ClientSettings, "url">): Client {
  return createClient({ token: "t", retry: QUICK, ...settings });
}

async function standing(...args: Parameters<typeof standIn>): Promise<StandIn> {
  const server = await standIn(...args);
  closing.push(server.close);
  return server;
}

describe("with a real daemon", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let daemon: DaemonHere;

  beforeAll(async () => {
    folder = await temporaryFolder();
    daemon = await serveHere(["--demo"], { cwd: folder.path });
  });

  afterAll(async () => {
    await daemon.end();
    await folder.remove();
  });

  it("calls each endpoint by its name; the result is typed by the contract", async () => {
    const client = clientOf({ url: daemon.url, token: "demo-token" });
    const me: string = (await client("getMe")).data.user_id;
    expect(me).toBe("demo");
    expect((await client("getRecommendedQuestions", { query: { lang: "en", limit: 2 } })).data.questions).toHaveLength(
      2,
    );
    const answer = await client("sendChat", { body: { question: "提现手续费是多少？" } });
    expect(answer.data.route).toBe("help");
    const event = await client("recordEvent", { body: { event_type: "page_view" } });
    expect(event.data).toMatchObject({ accepted: true, stored: true });
    expect((await client("getHotTopics")).data.refresh_meta.source).toBe("live");
    expect((await client("getNewsHot", { query: { limit: 3 } })).data.news).toHaveLength(3);
    expect((await client("getNewsTopics", { query: { lang: "en" } })).data.topics.length).toBeGreaterThan(0);
    expect((await client("refreshNews")).data.refresh_mode).toBe("view");
    expect((await client("getPoints")).data.balance).toBe(100_000);
    const { data, replayed } = await client("exchangePoints", { body: { token_amount: 0.29 } });
    expect([data.points_earned, replayed]).toEqual([2, false]);
    const ledger = await client("getLedger", { query: { page_size: 1 } });
    expect(ledger.data.items[0]).toMatchObject({ type: "exchange", delta: 2 });
    expect((await client("getSubscription")).data.plan).toBe("free");
    const reward = { trade_type: "spot", volume_usd: 1000, ref_id: "trade-1" } as const;
    expect((await client("postTradeReward", { body: reward })).data).toEqual({ points_earned: 10, ref_id: "trade-1" });
  });

  it("reports the daemon's refusal with its field errors and its request id", async () => {
    const refused = clientOf({ url: daemon.url, token: "wrong" })("getMe");
    await expect(refused).rejects.toMatchObject({ code: 401, request_id: expect.stringMatching(/^r/) as string });
    await expect(refused).rejects.toBeInstanceOf(RemoteRefusal);
    const client = clientOf({ url: daemon.url, token: "alice-token" });
    await client("exchangePoints", { body: { token_amount: 1 } }, "k");
    const again = await client("exchangePoints", { body: { token_amount: 1 } }, "k");
    expect(again).toMatchObject({ replayed: true, data: { balance_after: 10 } });
    await expect(client("exchangePoints", { body: { token_amount: 2 } }, "k")).rejects.toMatchObject({
      code: 422,
      fieldErrors: [{ in: "header", path: "Idempotency-Key" }],
    });
  });

  it.for(["reply lost", "request lost"] as const)(
    "makes one ledger entry and one event of a call whose %s, and does not call its own repeat one",
    async (fate) => {
      const between = await standing(async (seen, response, number) => {
        const lost = number % 2 === 1;
        const reply = lost && fate === "request lost" ? undefined : await forward(daemon.url, seen);
        if (lost) response.destroy();
        else reply!(response);
      });
      const direct = clientOf({ url: daemon.url, token: "carol-token" });
      const client = clientOf({ url: between.url, token: "carol-token" });
      const before = (await direct("getLedger")).data.total;
      const exchanged = await client("exchangePoints", { body: { token_amount: 1 } });
      expect(exchanged.replayed).toBe(false);
      expect((await client("sendChat", { body: { question: "What are the fees?" } })).data.answer).not.toBe("");
      expect((await client("recordEvent", { body: { event_type: `cut_${fate}` } })).data.stored).toBe(true);
      expect((await direct("getLedger")).data.total).toBe(before + 2);
      const keys = between.seen.map(({ headers }) => headers["idempotency-key"]);
      expect(keys).toHaveLength(6);
      expect(new Set(keys).size).toBe(3);
      expect(keys[0]).toBe(keys[1]);
    },
  );
});

describe("what is sent again", () => {
  const points = DOCUMENTATION.getPoints.data;

  it("is a read, for every failure that may pass", async () => {
    const fates: ((response: import("node:http").ServerResponse) => void)[] = [
      (response) => response.destroy(),
      (response) => response.writeHead(503, { "retry-after": "0" }).end(failure(503)),
      (response) => response.writeHead(502).end("<html>"),
      (response) => response.end(envelope(points)),
    ];
    const server = await standing((_seen, response, number) => {
      fates[number - 1]!(response);
    });
    expect((await clientOf({ url: server.url })("getPoints")).data).toEqual(points);
    expect(server.seen).toHaveLength(4);
  });

  it("is no refusal that stays one", async () => {
    for (const [status, code] of [
      [401, 401],
      [422, 422],
      [402, 1005],
      [502, 1007],
      [400, 1009],
    ] as const) {
      const server = await standing((_seen, response) => void response.writeHead(status).end(failure(code)));
      const sent = clientOf({ url: server.url })("sendChat", { body: { question: "Fees?" } });
      await expect(sent, String(code)).rejects.toMatchObject({ code });
      expect(server.seen, String(code)).toHaveLength(1);
    }
  });

  it("is no POST that has no key, unless it certainly had no effect", async () => {
    const cut = await standing((_seen, response) => void response.destroy());
    const trade = { body: { trade_type: "spot", volume_usd: 1, ref_id: "x" } } as const;
    await expect(clientOf({ url: cut.url })("postTradeReward", trade)).rejects.toThrow("the connection was closed");
    await expect(clientOf({ url: cut.url })("refreshNews")).rejects.toBeInstanceOf(UnreachableError);
    expect(cut.seen).toHaveLength(2);
    const busy = await standing((_seen, response, number) => {
      if (number === 1) response.writeHead(429, { "retry-after": "0" }).end(failure(429));
      else response.end(envelope(DOCUMENTATION.postTradeReward.data));
    });
    expect((await clientOf({ url: busy.url })("postTradeReward", trade)).data).toEqual(
      DOCUMENTATION.postTradeReward.data,
    );
    const failing = await standing((_seen, response) => void response.writeHead(500).end(failure(500)));
    await expect(clientOf({ url: failing.url })("postTradeReward", trade)).rejects.toMatchObject({ code: 500 });
    expect([busy.seen.length, failing.seen.length]).toEqual([2, 1]);
  });

  it("waits as Retry-After says, in seconds or as a date, but not beyond its bound", async () => {
    const at = Date.parse("2026-11-20T00:00:00.500Z");
    const busy = await standing((_seen, response, number) => {
      const wait = "Fri, 20 Nov 2026 00:00:01 GMT";
      if (number === 1) response.writeHead(503, { "retry-after": wait }).end(failure(503));
      else response.end(envelope(points));
    });
    const started = performance.now();
    await clientOf({ url: busy.url, clock: { now: () => at } })("getPoints");
    expect(performance.now() - started).toBeGreaterThanOrEqual(495);
    expect(readRetryAfter("3", at)).toBe(3000);
    expect(readRetryAfter("yesterday", at)).toBeUndefined();
    const server = await standing(
      (_seen, response) => void response.writeHead(503, { "retry-after": "2" }).end(failure(503)),
    );
    await expect(clientOf({ url: server.url })("getPoints")).rejects.toMatchObject({
      code: 503,
      headers: { "retry-after": "2" },
    });
    expect(server.seen).toHaveLength(1);
  });

  it("ends after the given number of times", async () => {
    const server = await standing((_seen, response) => void response.writeHead(503).end(failure(503)));
    await expect(clientOf({ url: server.url })("getPoints")).rejects.toMatchObject({ code: 503 });
    expect(server.seen).toHaveLength(4);
  });

  it("has a time limit for each sending", async () => {
    const server = await standing((_seen, response) => void response.writeHead(200).write("{"));
    const client = clientOf({ url: server.url, timeout_ms: 50 });
    await expect(client("getPoints")).rejects.toThrow("sent no complete response within 0.05 s");
    expect(server.seen).toHaveLength(4);
    await expect(client("refreshNews")).rejects.toBeInstanceOf(UnreachableError);
    expect(server.seen).toHaveLength(5);
  });
});

describe("what is checked", () => {
  it("is the input, before anything is sent, with every fault", async () => {
    const client = clientOf({ url: "http://127.0.0.1:1" });
    await expect(client("sendChat")).rejects.toMatchObject({ code: 422 });
    await expect(client("getLedger", { query: { page: "1" } })).rejects.toMatchObject({ code: 422 });
    const refused = client("getLedger", { query: { page: 0, page_size: 101 } });
    await expect(refused).rejects.toBeInstanceOf(AnpError);
    await expect(refused).rejects.toMatchObject({ code: 422, fieldErrors: [{ path: "page" }, { path: "page_size" }] });
    await expect(client("getPoints")).rejects.toThrow("http://127.0.0.1:1 cannot be reached: nothing listens there.");
  });

  it("is the answer: its envelope, its status, its data, its codes", async () => {
    for (const [status, body, message] of [
      [200, envelope({ balance: "1" }), "data.balance"],
      [201, envelope(DOCUMENTATION.getPoints.data), "the status is 201"],
      [200, failure(422), "code 422 came with the status 200"],
      [418, failure(418), "the code 418 is unknown"],
      [401, JSON.stringify({ success: false, code: 401 }), "message"],
    ] as const) {
      const server = await standing((_seen, response) => {
        response.writeHead(status, { "x-request-id": "r1" }).end(body);
      });
      const call = clientOf({ url: server.url })("getPoints");
      await expect(call, message).rejects.toBeInstanceOf(ContractViolation);
      await expect(call, message).rejects.toThrow(message);
    }
  });

  it("keeps fields of a newer daemon, in its order", async () => {
    const data = { newer: [1], ...DOCUMENTATION.getPoints.data };
    const server = await standing((_seen, response) => void response.end(envelope(data)));
    const got = await clientOf({ url: server.url })("getPoints");
    expect(JSON.stringify(got.data)).toBe(JSON.stringify(data));
  });

  it("is whether a daemon answers there at all", async () => {
    const server = await standing((_seen, response) => {
      response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end("<html>");
    });
    const call = clientOf({ url: server.url })("getPoints");
    await expect(call).rejects.toBeInstanceOf(UnreachableError);
    await expect(call).rejects.toThrow(`No daemon answers at ${server.url}: status 404 with text/html.`);
  });
});

describe("a token", () => {
  it("goes to the endpoints that look at one, and to no other host", async () => {
    const other = await standing((_seen, response) => void response.end());
    const server = await standing((seen, response) => {
      if (seen.path.startsWith("/base/api/v1/news")) response.end(envelope(DOCUMENTATION.getNewsHot.data));
      else response.writeHead(307, { location: other.url }).end();
    });
    const client = clientOf({ url: `${server.url}/base/`, token: "secret" });
    await client("getNewsHot");
    await expect(client("getPoints")).rejects.toThrow(`redirects to ${other.url}; a token is not sent on`);
    expect(server.seen.map(({ headers }) => headers["x-user-token"])).toEqual([undefined, "secret"]);
    expect(other.seen).toEqual([]);
  });

  it("must be one that a header carries, as the address must be one of HTTP", () => {
    expect(() => createClient({ url: "http://127.0.0.1", token: "a\r\nb" })).toThrow("printable ASCII");
    for (const url of ["ftp://a", "a", "http://u:p@a", "http://a/?q", "http://a/#f"]) {
      expect(() => createClient({ url }), url).toThrow(RangeError);
    }
  });
});
