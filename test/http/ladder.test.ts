import { afterEach, expect, it } from "vitest";
import { createMetrics } from "../../src/http/metrics/metrics.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { createService } from "../../src/service/service.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { describeApi, type Api } from "./describe-api.ts";

/** A storage that can be broken and repaired: every call fails while it is broken. */
async function breakable(): Promise<{ storage: Storage; broken: (is: boolean) => void }> {
  const base = await openStorage("memory:");
  let isBroken = false;
  const storage = interceptStorage(base, async (_verb, _key, run) => {
    if (isBroken) throw new StorageError("the disk is gone");
    return run();
  });
  return {
    storage,
    broken: (is) => {
      isBroken = is;
    },
  };
}

describeApi("a storage that does not answer", (open) => {
  let api: Api;
  afterEach(() => api.close());

  it("is a 503 that says when to try again and nothing of the inside, and a 500 of the experimental endpoint", async () => {
    const { storage, broken } = await breakable();
    api = await open({ storage, flags: { "auth.cache_ms": 2000 } });
    expect((await api.ask("/api/v1/ai/me", { token: "alice-token" })).status).toBe(200);
    broken(true);
    const trade = { trade_type: "spot", volume_usd: 100, ref_id: "t1" };
    const asked: [path: string, token: string, code: number, json?: object][] = [
      ["/api/v1/ai/me", "alice-token", 503],
      ["/api/v1/ai/me", "bob-token", 503],
      ["/api/v1/ai/points", "alice-token", 503],
      ["/api/v1/ai/points/ledger", "alice-token", 503],
      ["/api/v1/ai/subscription", "alice-token", 503],
      ["/api/v1/ai/chat/send", "alice-token", 503, { question: "提现手续费是多少？" }],
      ["/api/v1/ai/points/exchange", "alice-token", 503, { token_amount: 1 }],
      ["/api/v1/ai/points/trade-reward", "alice-token", 500, trade],
      ["/api/v1/ai/points/trade-reward", "bob-token", 500, trade],
    ];
    for (const [path, token, code, json] of asked) {
      const answer = await api.ask(path, { token, ...(json === undefined ? {} : { json }) });
      expect([path, answer.status, answer.body.code]).toEqual([path, code, code]);
      expect(answer.headers.get("retry-after")).toBe(code === 503 ? "2" : null);
      expect(answer.body.detail !== undefined).toBe(code === 500);
      expect(answer.text).not.toContain("disk");
    }
    const event = await api.ask("/api/v1/ai/events", { token: "alice-token", json: { event_type: "click" } });
    expect(event.body.data).toMatchObject({ accepted: true, stored: false });
    broken(false);
    for (const [path, token, , json] of asked) {
      const answer = await api.ask(path, { token, ...(json === undefined ? {} : { json }) });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it("stays apart from a damaged value, which is a 503 for those who need it, logged once with its key", async () => {
    const storage = await openStorage("memory:");
    const lines: object[] = [];
    const counted: string[] = [];
    const logger = { ...silentLogger, error: (fields: object) => lines.push(fields) };
    const metrics = createMetrics("test");
    const observer = { ...metrics, damaged: (key: string) => counted.push(key) };
    api = await open({ storage, create: (deps) => createService({ ...deps, logger, observer }) });
    await storage.put(["users", "bob", "profile"], "{");
    const asked = await Promise.all([1, 2, 3].map(() => api.ask("/api/v1/ai/me", { token: "bob-token" })));
    for (const { body, headers } of asked) {
      expect(body).toMatchObject({ code: 503, message: expect.stringContaining("is damaged") as string });
      expect(headers.get("retry-after")).toBe("60");
    }
    expect(lines).toMatchObject([{ key: "users/bob/profile" }]);
    expect(counted).toEqual(Array(3).fill("users/bob/profile"));
    expect((await api.ask("/api/v1/ai/me", { token: "alice-token" })).status).toBe(200);
    expect((await api.ask("/readyz")).status).toBe(200);
  });
});

describeApi("hot topics", (open) => {
  let api: Api;
  afterEach(() => api.close());

  it("come from memory when the storage fails, for any caller, and are live again afterwards", async () => {
    const { storage, broken } = await breakable();
    api = await open({ storage, fixture: "demo" });
    const before = (await api.ask("/api/v1/ai/hot-topics?limit=3")).body.data;
    expect(before.refresh_meta.source).toBe("live");
    broken(true);
    for (const token of [undefined, "alice-token", "nobody"]) {
      const { status, body } = await api.ask("/api/v1/ai/hot-topics?limit=3", token === undefined ? {} : { token });
      expect(status).toBe(200);
      expect(body.data.topics).toEqual(before.topics);
    }
    expect((await api.ask("/api/v1/news/hot")).status).toBe(200);
    expect((await api.ask("/api/v1/news/topics?lang=en")).status).toBe(200);
    broken(false);
    expect((await api.ask("/api/v1/ai/me", { token: "bob-token" })).status).toBe(200);
    const { topics } = (await api.ask("/api/v1/news/topics?lang=en")).body.data;
    expect(topics.flatMap(({ question_suggestions }) => question_suggestions)).not.toEqual([]);
  });

  it("come from the bundled snapshot when nothing was ever refreshed and the storage fails", async () => {
    const { storage, broken } = await breakable();
    api = await open({ storage, refresh: false });
    broken(true);
    const { status, body } = await api.ask("/api/v1/ai/hot-topics");
    expect(status).toBe(200);
    expect(body.data.topics.length).toBeGreaterThan(0);
    expect(body.data.refresh_meta).toMatchObject({ source: "fallback", stale: true });
    broken(false);
  });
});
