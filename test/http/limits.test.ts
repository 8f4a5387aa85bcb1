import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRateLimits, type RateLimits } from "../../src/http/limits/rate-limits.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { interceptStorage, type StorageCall } from "../../src/storage/intercept-storage.ts";
import { describeApi, type Api } from "./describe-api.ts";

const HTTP_ALONE = { storages: false } as const;

/** A storage that can be held: reads wait while it is. @param verbs those that wait; all by default */
async function holdable(
  verbs?: readonly StorageCall[],
): Promise<{ storage: Storage; hold: () => void; release: () => void; held: () => number }> {
  let held = 0;
  let gate: Promise<void> | undefined;
  let open: (() => void) | undefined;
  const storage = interceptStorage(await openStorage("memory:"), async (verb, _key, run) => {
    if (gate !== undefined && verbs?.includes(verb) !== false) {
      held++;
      await gate;
      held--;
    }
    return run();
  });
  return {
    storage,
    held: () => held,
    hold: () => {
      gate = new Promise((resolve) => (open = resolve));
    },
    release: () => {
      gate = undefined;
      open?.();
    },
  };
}

const ME = "/api/v1/ai/me";

/** What is left of a limit, without the seconds until its reset. */
function leftIn({ headers }: { headers: Headers }): string | undefined {
  return headers.get("ratelimit")?.replace(/;t=\d+$/, "");
}

describeApi(
  "limits",
  (open) => {
    let api: Api;
    afterEach(() => api.close());

    const statuses = async (answers: readonly Promise<{ status: number }>[]): Promise<number[]> =>
      (await Promise.all(answers)).map(({ status }) => status).sort();

    it("refuse a user with 429 while as many of their requests run as may, and nobody else", async () => {
      const { storage, hold, release, held } = await holdable();
      api = await open({ storage, refresh: false, flags: { "limits.in_flight_per_user": 2 } });
      for (const token of ["alice-token", "bob-token"]) expect((await api.ask(ME, { token })).status).toBe(200);
      hold();
      const running = [1, 2].map(() => api.ask(ME, { token: "alice-token" }));
      await until("both wait", () => held() === 2);
      const refused = await api.ask(ME, { token: "alice-token" });
      expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([429, 429, "1"]);
      expect(refused.body.message).toContain("More than 2 requests of this user");
      const other = api.ask(ME, { token: "bob-token" });
      await until("the other user's waits too", () => held() === 3);
      release();
      expect(await statuses([...running, other])).toEqual([200, 200, 200]);
      expect((await api.ask(ME, { token: "alice-token" })).status).toBe(200);
    });

    it("refuse everybody with 429 while as many requests run as may, before the token is looked at", async () => {
      const { storage, hold, release, held } = await holdable();
      api = await open({ storage, refresh: false, flags: { "limits.in_flight": 1 } });
      expect((await api.ask(ME, { token: "alice-token" })).status).toBe(200);
      hold();
      const running = api.ask(ME, { token: "alice-token" });
      await until("it waits", () => held() === 1);
      for (const token of ["bob-token", "nobody"]) expect((await api.ask(ME, { token })).status).toBe(429);
      expect((await api.ask("/api/v1/news/hot")).status).toBe(429);
      expect((await api.ask("/healthz")).status).toBe(200);
      release();
      expect((await running).status).toBe(200);
      expect((await api.ask(ME, { token: "nobody" })).status).toBe(401);
    });

    it("refuse what would wait too long before its token is looked at, and answer what does not queue", async () => {
      const { storage, hold, release } = await holdable(["create"]);
      api = await open({ storage, flags: { "limits.wait_ms": 5 } });
      hold();
      const send = (token: string) =>
        api.ask("/api/v1/ai/points/exchange", { method: "POST", token, json: { token_amount: 1 } });
      const running = Array.from({ length: 12 }, () => send("alice-token"));
      expect((await Promise.race(running)).status).toBe(429);
      const refused = await send("nobody");
      expect([refused.status, refused.body.code]).toEqual([429, 429]);
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]$/);
      expect((await api.ask("/api/v1/news/hot")).status).toBe(200);
      expect((await api.ask("/healthz")).status).toBe(200);
      release();
      expect(new Set(await statuses(running))).toEqual(new Set([200, 429]));
      expect((await send("nobody")).status).toBe(401);
    });

    it("do not count a request with a body while its token is looked at", async () => {
      const { storage, hold, release, held } = await holdable();
      api = await open({ storage, refresh: false, flags: { "limits.in_flight": 1 } });
      expect((await api.ask(ME, { token: "alice-token" })).status).toBe(200);
      hold();
      const waiting = api.ask("/api/v1/ai/events", { method: "POST", token: "unknown", json: { event_type: "x.y" } });
      await until("its token is looked at", () => held() > 0);
      const other = api.ask("/api/v1/news/hot");
      release();
      expect(await statuses([waiting, other])).toEqual([200, 401]);
    });

    it("count only what runs: refusals and failures leave nothing behind", async () => {
      api = await open({ refresh: false, flags: { "limits.in_flight": 1, "limits.in_flight_per_user": 1 } });
      const json = { token_amount: -1 };
      for (let n = 0; n < 3; n++) {
        expect((await api.ask("/api/v1/ai/points/exchange", { token: "alice-token", json })).status).toBe(422);
        expect((await api.ask(ME, { token: "nobody" })).status).toBe(401);
        expect((await api.ask(ME, { method: "PUT", token: "alice-token" })).status).toBe(405);
      }
      expect((await api.ask(ME, { token: "alice-token" })).status).toBe(200);
    });

    it("bound the body where the configuration says so", async () => {
      api = await open({ refresh: false, flags: { "limits.body_bytes": 32 * 1024 } });
      const send = async (bytes: number) =>
        (
          await api.ask("/api/v1/ai/events", {
            token: "alice-token",
            raw: `{"event_type":"x"${" ".repeat(bytes - 18)}}`,
          })
        ).body;
      expect(await send(32 * 1024)).toMatchObject({ code: 422 });
      expect(await send(32 * 1024 + 1)).toMatchObject({ code: 413, message: "The body is larger than 32768 bytes." });
    });

    it("count requests a window by user and by group, say what is left, and when to come again", async () => {
      const rates = await createRateLimits(
        { account: { requests: 2, window_s: 60 }, events: { requests: 1, window_s: 30 } },
        undefined,
      );
      api = await open({ refresh: false, app: { rates } });
      const me = (token: string) => api.ask(ME, { token });
      expect(leftIn(await me("alice-token"))).toBe('"account";r=1');
      const last = await api.ask("/api/v1/ai/points", { token: "alice-token" });
      expect([last.status, last.headers.get("ratelimit-policy")]).toEqual([200, '"account";q=2;w=60']);
      const refused = await me("alice-token");
      expect([refused.status, leftIn(refused)]).toEqual([429, '"account";r=0']);
      const [again, reset] = [
        refused.headers.get("retry-after"),
        /t=(\d+)$/.exec(refused.headers.get("ratelimit")!)?.[1],
      ];
      expect(again).toBe(reset);
      expect(Number(again)).toBeGreaterThan(30);
      expect(Number(again)).toBeLessThanOrEqual(60);
      expect(refused.body.message).toBe("The rate limit of 2 requests in 60 s is used up.");
      expect((await me("bob-token")).status).toBe(200);
      const event = { token: "alice-token", json: { event_type: "click" } };
      expect(leftIn(await api.ask("/api/v1/ai/events", event))).toBe('"events";r=0');
      const subscribed = await api.ask("/api/v1/news/hot");
      expect([subscribed.status, subscribed.headers.get("ratelimit")]).toEqual([200, null]);
    });

    it("count anonymous callers by the address that the trusted proxies saw, and users as users", async () => {
      const rates = await createRateLimits({ public: { requests: 1, window_s: 60 } }, undefined);
      api = await open({ refresh: false, app: { rates }, flags: { "server.trusted_proxies": 1 } });
      const hot = async (forwarded: string, token?: string) =>
        (
          await api.ask("/api/v1/ai/hot-topics", {
            headers: { "x-forwarded-for": forwarded },
            ...(token === undefined ? {} : { token }),
          })
        ).status;
      expect(await hot("198.51.100.1")).toBe(200);
      expect(await hot("203.0.113.9, 198.51.100.1")).toBe(429);
      expect(await hot("198.51.100.1, 203.0.113.9")).toBe(200);
      expect(await hot("2001:db8:1:2::5")).toBe(200);
      expect(await hot("2001:db8:1:2:ffff::6")).toBe(429);
      expect(await hot("2001:db8:1:3::5")).toBe(200);
      expect([await hot("192.0.2.1:4711"), await hot("192.0.2.1:4712")]).toEqual([200, 429]);
      expect([await hot("[2001:db8:9::1]:80"), await hot("2001:db8:9::2")]).toEqual([200, 429]);
      expect(await hot("198.51.100.1", "alice-token")).toBe(200);
      expect(await hot("198.51.100.7", "alice-token")).toBe(429);
      expect(await hot("198.51.100.1", "nobody")).toBe(429);
    });

    it("count tokens that are tried for the address they are tried from", async () => {
      const rates = await createRateLimits({ account: { requests: 2, window_s: 60 } }, undefined);
      api = await open({ refresh: false, app: { rates } });
      const tried: number[] = [];
      for (const token of ["one", "two", "three"]) tried.push((await api.ask(ME, { token })).status);
      expect(tried).toEqual([401, 401, 429]);
      expect((await api.ask(ME, { token: "alice-token" })).status).toBe(200);
    });

    it("count tokens that are tried against the limit of addresses, and tell what is left from its half on", async () => {
      const rates = await createRateLimits(
        { account: { requests: 1, window_s: 60 }, public: { requests: 4, window_s: 60 } },
        undefined,
      );
      api = await open({ refresh: false, app: { rates } });
      const tried = await Promise.all(["a", "b", "c", "d", "e"].map((token) => api.ask(ME, { token })));
      expect(tried.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 429]);
      const headers = ["x", "y"].map(() => api.ask(ME, { token: "alice-token" }));
      expect((await Promise.all(headers)).map(({ status }) => status).sort()).toEqual([200, 429]);
      const hot = await createRateLimits({ public: { requests: 4, window_s: 60 } }, undefined);
      const left = [1, 2, 3, 4].map(() => hot!.take("public", "address:a") as Record<string, string> | undefined);
      expect(left.map((known) => known?.["ratelimit"]?.split(";")[1])).toEqual([undefined, "r=2", "r=1", "r=0"]);
    });

    it("warn of an address that has used up the limit of anonymous requests, once", async () => {
      const warned: unknown[] = [];
      const logger = {
        ...silentLogger,
        warn: (fields: object, message: string) => void warned.push([fields, message]),
      };
      const rates = (await createRateLimits({ public: { requests: 2, window_s: 60 } }, undefined, { logger }))!;
      const take = () => rates.take("public", "address:192.0.2.1");
      for (let n = 0; n < 2; n++) void take();
      expect(warned).toEqual([]);
      for (let n = 0; n < 2; n++) expect(take).toThrow(expect.objectContaining({ code: 429 }));
      expect(warned).toEqual([[{ address: "192.0.2.1" }, expect.stringContaining("server.trusted_proxies")]]);
    });

    it("forget who was seen longest ago when very many are counted", async () => {
      const rates = (await createRateLimits({ public: { requests: 1, window_s: 86_400 } }, undefined))!;
      await rates.take("public", "first");
      expect(() => rates.take("public", "first")).toThrow(expect.objectContaining({ code: 429 }));
      for (let n = 0; n < 50_000; n++) await rates.take("public", `address:${n}`);
      expect(await rates.take("public", "first")).toBeDefined();
      expect(() => rates.take("public", "address:49999")).toThrow(expect.objectContaining({ code: 429 }));
    });

    it("believe no X-Forwarded-For where no proxy is trusted", async () => {
      const rates = await createRateLimits({ public: { requests: 1, window_s: 60 } }, undefined);
      api = await open({ refresh: false, app: { rates } });
      const hot = async (forwarded: string) =>
        (await api.ask("/api/v1/news/hot", { headers: { "x-forwarded-for": forwarded } })).status;
      expect([await hot("198.51.100.1"), await hot("198.51.100.2")]).toEqual([200, 429]);
    });
  },
  HTTP_ALONE,
);

describe.skipIf(noRedis !== undefined)("rate limits in a Redis", () => {
  let redis: RedisServer;
  const clients: Redis[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await redis.stop();
  });

  async function daemon(): Promise<RateLimits> {
    const client = new Redis({
      host: "127.0.0.1",
      port: redis.port,
      commandTimeout: 200,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 50,
    });
    client.on("error", () => undefined);
    clients.push(client);
    await until("it is connected", () => client.status === "ready");
    return (await createRateLimits({ chat: { requests: 3, window_s: 600 } }, { client, prefix: "t" }))!;
  }

  it("are one limit for all daemons, and each daemon's own while Redis does not answer", async () => {
    const [one, two] = [await daemon(), await daemon()];
    const left = async (rates: RateLimits, caller = "user:a"): Promise<number> =>
      Number(/r=(\d+)/.exec((await rates.take("chat", caller))!["ratelimit"]!)?.[1]);
    expect([await left(one), await left(two), await left(one)]).toEqual([2, 1, 0]);
    await expect(left(two)).rejects.toThrow("used up");
    await expect(left(one)).rejects.toThrow("used up");

    redis.pause();
    for (const expected of [2, 1, 0]) expect(await left(one, "user:b")).toBe(expected);
    await expect(left(one, "user:b")).rejects.toThrow("used up");
    expect(await left(two, "user:b")).toBe(2);
    redis.resume();
    let tries = 0;
    await until("Redis counts again", async () => {
      const caller = `user:c${tries++}`;
      return (await left(one, caller)) === 2 && (await left(two, caller)) === 1;
    });

    await redis.kill();
    expect([await left(one, "user:d"), await left(two, "user:d")]).toEqual([2, 2]);
  });
});
