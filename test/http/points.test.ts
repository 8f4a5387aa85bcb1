import { afterEach, beforeEach, expect, it } from "vitest";
import { verifyLedger } from "../support/verify-ledger.ts";
import { describeApi, type Api } from "./describe-api.ts";

describeApi("points", (open) => {
  let api: Api;
  beforeEach(async () => {
    api = await open({ refresh: false });
  });
  afterEach(() => api.close());

  const exchange = (token: string, json: unknown, headers: Record<string, string> = {}) =>
    api.ask("/api/v1/ai/points/exchange", { token, json, headers });

  it("gives the quota profile and an account that agrees with it", async () => {
    const me = (await api.ask("/api/v1/ai/me", { token: "alice-token" })).body.data;
    expect(me).toEqual({
      user_id: "alice",
      balance_points: 0,
      free_daily_quota: 5,
      free_daily_used: 0,
      remaining_free_quota: 5,
      next_reset_at: "2026-11-21T00:00:00+08:00",
    });
    const { free_daily_quota, free_daily_used, remaining_free_quota, next_reset_at } = me;
    const points = (await api.ask("/api/v1/ai/points", { token: "alice-token" })).body.data;
    expect(points).toEqual({
      balance: me.balance_points,
      total_earned: 0,
      total_spent: 0,
      free_daily_quota,
      free_daily_used,
      remaining_free_quota,
      next_reset_at,
    });
  });

  it("raises the balance by the points earned and shows the entry in the ledger", async () => {
    const { body } = await exchange("alice-token", { token_amount: 1.5 }, { "x-request-id": "my-request" });
    expect(body.data).toEqual({ token_amount: 1.5, points_earned: 15, balance_after: 15, exchange_rate: 10 });
    const ledger = (await api.ask("/api/v1/ai/points/ledger", { token: "alice-token" })).body.data;
    expect(ledger).toEqual({
      items: [
        {
          id: 1,
          delta: 15,
          type: "exchange",
          description: "兑换 1.5 个代币，汇率 10",
          ref_id: "my-request",
          created_at: "2026-11-20T00:00:00.000Z",
        },
      ],
      total: 1,
      page: 1,
      page_size: 20,
    });
    expect((await api.ask("/api/v1/ai/points", { token: "alice-token" })).body.data).toMatchObject({
      balance: 15,
      total_earned: 15,
    });
  });

  it("gives pages newest first, and an empty one past the end with the right total", async () => {
    for (let amount = 1; amount <= 5; amount++) await exchange("bob-token", { token_amount: amount });
    const page = async (query: string) =>
      (await api.ask(`/api/v1/ai/points/ledger?${query}`, { token: "bob-token" })).body.data;
    const ids = async (query: string): Promise<number[]> => (await page(query)).items.map(({ id }) => id);
    expect(await ids("page_size=2")).toEqual([5, 4]);
    expect(await ids("page=2&page_size=2")).toEqual([3, 2]);
    expect(await ids("page=3&page_size=2")).toEqual([1]);
    expect(await page("page=4&page_size=2")).toEqual({ items: [], total: 5, page: 4, page_size: 2 });
    expect(await page(`page=${Number.MAX_SAFE_INTEGER}&page_size=100`)).toMatchObject({ items: [], total: 5 });
  });

  it("refuses an exchange that is no positive number with 422, and one that business forbids with 1009", async () => {
    const cases: [string, number, number, string][] = [
      ['{"token_amount":0}', 422, 422, "greater than 0"],
      ['{"token_amount":-1}', 422, 422, "greater than 0"],
      ['{"token_amount":"5"}', 422, 422, "must be a number greater than 0, not"],
      ['{"token_amount":1e400}', 422, 422, "finite"],
      ['{"token_amount":-1e400}', 422, 422, "finite"],
      ['{"token_amount":null}', 422, 422, "must be a number greater than 0, not"],
      ['{"token_amount":true}', 422, 422, "must be a number greater than 0, not"],
      ['{"token_amount":[5]}', 422, 422, "must be a number greater than 0, not"],
      ["{}", 422, 422, "required"],
      ["[]", 422, 422, "must be an object, not"],
      ["null", 422, 422, "must be an object, not"],
      ['{"token_amount":0.00000001}', 400, 1009, "less than 1 point"],
      ['{"token_amount":1000000.5}', 400, 1009, "1000000"],
      ['{"token_amount":9007199254740993}', 400, 1009, "1000000"],
    ];
    for (const [raw, status, code, words] of cases) {
      const answer = await api.ask("/api/v1/ai/points/exchange", { token: "bob-token", raw });
      expect([raw, answer.status, answer.body.code]).toEqual([raw, status, code]);
      expect(answer.body.message).toContain(words);
      if (code === 422) expect(answer.body.errors).toHaveLength(1);
    }
    expect((await api.ask("/api/v1/ai/points/ledger", { token: "bob-token" })).body.data.total).toBe(0);
  });

  it("gives a repeated Idempotency-Key its first result, and refuses it for another body", async () => {
    const key = { "idempotency-key": "ex-1" };
    const first = await exchange("bob-token", { token_amount: 2 }, key);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    await exchange("bob-token", { token_amount: 3 });
    const again = await exchange("bob-token", { token_amount: 2 }, key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body.data).toEqual(first.body.data);
    const other = await exchange("bob-token", { token_amount: 4 }, key);
    expect(other.status).toBe(422);
    expect(other.body.errors).toEqual([
      { in: "header", path: "Idempotency-Key", message: "was used for another request before" },
    ]);
    expect((await exchange("alice-token", { token_amount: 2 }, key)).headers.get("idempotency-replayed")).toBeNull();
    expect((await exchange("bob-token", { token_amount: 1 }, { "idempotency-key": "a b" })).status).toBe(422);
    expect((await exchange("bob-token", { token_amount: 1 }, { "idempotency-key": "x".repeat(129) })).status).toBe(422);
    expect((await api.ask("/api/v1/ai/points", { token: "bob-token" })).body.data.balance).toBe(50);
  });

  it("grants one exchange to 64 clients with the same key at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => exchange("bob-token", { token_amount: 1 }, { "idempotency-key": "once" })),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
    expect((await api.ask("/api/v1/ai/points/ledger", { token: "bob-token" })).body.data.total).toBe(1);
  });

  it("rewards a trade once a ref_id, and marks the endpoint as experimental", async () => {
    const reward = (json: unknown) => api.ask("/api/v1/ai/points/trade-reward", { token: "bob-token", json });
    const trade = { trade_type: "spot", volume_usd: 1299.99, ref_id: "t-1" };
    const first = await reward(trade);
    expect(first.body.data).toEqual({ points_earned: 12, ref_id: "t-1" });
    expect(first.headers.get("x-stability")).toBe("experimental");
    expect((await reward({})).headers.get("x-stability")).toBe("experimental");
    const again = await reward(trade);
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await reward({ ...trade, trade_type: "futures", ref_id: "t-2" })).body.data.points_earned).toBe(6);
    expect((await reward({ ...trade, volume_usd: 5 })).body.errors[0]).toMatchObject({ in: "body", path: "ref_id" });
    expect((await reward({ trade_type: "options", volume_usd: 0, ref_id: "" })).body.errors).toHaveLength(3);
    const ledger = (await api.ask("/api/v1/ai/points/ledger", { token: "bob-token" })).body.data;
    expect(ledger.items.map(({ type, ref_id }) => [type, ref_id])).toEqual([
      ["trade_reward", "t-2"],
      ["trade_reward", "t-1"],
    ]);
    expect((await verifyLedger(api.service.storage, "bob")).damage).toBeUndefined();
  });

  it("refuses a volume over the largest one with 422 that names the bound, and still repeats an earlier reward", async () => {
    const reward = (volume_usd: number, ref_id: string) =>
      api.ask("/api/v1/ai/points/trade-reward", {
        token: "bob-token",
        json: { trade_type: "spot", volume_usd, ref_id },
      });
    expect((await reward(1_000_000, "t-1")).body.data.points_earned).toBe(10_000);
    const { status, body } = await reward(1_000_000.01, "t-2");
    expect([status, body.errors]).toEqual([
      422,
      [{ in: "body", path: "volume_usd", message: "must be at most 1000000" }],
    ]);
    api.service.config.trade_reward.max_volume_usd = 10;
    expect((await reward(1_000_000, "t-1")).body.data.points_earned).toBe(10_000);
  });

  it("refuses a reward that would pass the largest total with 422 that names the volume, and takes a lower one", async () => {
    api.service.config.trade_reward.max_volume_usd = 1e301;
    const reward = (volume_usd: number) => {
      const json = { trade_type: "spot", volume_usd, ref_id: "t-1" };
      return api.ask("/api/v1/ai/points/trade-reward", { token: "bob-token", json });
    };
    for (const volume of [1e300, 9_007_199_254_740_992_00]) {
      const { status, body } = await reward(volume);
      expect([status, body.code, body.errors.map(({ path }) => path)]).toEqual([422, 422, ["volume_usd"]]);
      expect(body.errors[0]!.message).toContain("would pass the largest total of 9007");
    }
    expect((await api.ask("/api/v1/ai/points/ledger", { token: "bob-token" })).body.data.total).toBe(0);
    expect((await reward(100)).body.data.points_earned).toBe(1);
  });

  it("refuses a ref_id that no storage can serialize, and the ledger goes on", async () => {
    for (const ref_id of ["a\0b", "\ud800", "b\udc00c"]) {
      const json = { trade_type: "spot", volume_usd: 100, ref_id };
      const { status, body } = await api.ask("/api/v1/ai/points/trade-reward", { token: "bob-token", json });
      expect([status, body.errors]).toEqual([
        422,
        [{ in: "body", path: "ref_id", message: "must be well-formed Unicode without NUL" }],
      ]);
    }
    expect((await exchange("bob-token", { token_amount: 1 })).body.data.balance_after).toBe(10);
  });

  it("answers with the subscription and its features", async () => {
    const of = async (token: string) => (await api.ask("/api/v1/ai/subscription", { token })).body.data;
    expect(await of("alice-token")).toEqual({
      status: "free",
      plan: "free",
      started_at: null,
      expires_at: null,
      features: { memory: false, advanced_research: false },
      is_active: false,
    });
    expect(await of("carol-token")).toMatchObject({
      status: "active",
      plan: "pro",
      features: { memory: true, advanced_research: true },
      is_active: true,
    });
    await api.service.subscriptions.setPlan("carol", "pro", api.clock.now() + 1000);
    api.clock.advance(1000);
    expect(await of("carol-token")).toMatchObject({
      status: "expired",
      plan: "pro",
      features: { memory: false, advanced_research: false },
      is_active: false,
    });
  });
});
