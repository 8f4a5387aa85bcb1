import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { createConcurrencyLimits } from "../../src/http/limits/concurrency-limits.ts";
import { createMetrics, type Metrics } from "../../src/http/metrics/metrics.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { printKey } from "../../src/storage/documents.ts";
import { StorageError } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { fails, startModelServer, says, type ModelServer } from "../assistant/model-server.ts";
import { createWorld, NOON, rss } from "../news/world.ts";
import { openLoadedService } from "../support/service.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { readSeries, type Series } from "./scrape.ts";

const GROUNDED = "提现手续费是多少？";

describe("metrics", () => {
  let metrics: Metrics;
  let service: Service;
  let broken: boolean;
  let state: "starting" | undefined;
  /** Runs before the next ledger entry is created. */
  let beforeEntry: (() => Promise<unknown>) | undefined;
  let ask: (path: string, token?: string, json?: object) => Promise<number>;
  let model: ModelServer;
  let clock: Awaited<ReturnType<typeof openLoadedService>>["clock"];

  beforeAll(async () => {
    model = await startModelServer(says("提现手续费按币种和网络收取固定数量 [1]。"), says("NO_ANSWER"), fails(500));
  });
  afterAll(() => model.close());

  async function open(flags: Record<string, unknown> = {}): Promise<void> {
    broken = false;
    const storage = interceptStorage(await openStorage("memory:"), async (verb, key, run) => {
      const first = verb === "create" && printKey(key).includes("/ledger/") ? beforeEntry : undefined;
      if (first !== undefined) {
        beforeEntry = undefined;
        await first();
      }
      if (broken) throw new StorageError("the disk is gone");
      return run();
    });
    metrics = createMetrics("1.2.3");
    const create: typeof createService = (deps) => createService({ ...deps, observer: metrics });
    ({ service, clock } = await openLoadedService({ storage, create, flags }));
    const inFlight = createConcurrencyLimits({ in_flight: 0, in_flight_per_user: 0 });
    metrics.watch({ service, inFlight: inFlight.running, state: () => state });
    const app = createApp(service, silentLogger, { inFlight, meter: metrics, metrics });
    ask = async (path, token, json) => {
      const response = await app.request(`http://anp.test${path}`, {
        ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
        headers: {
          ...(json === undefined ? {} : { "content-type": "application/json" }),
          ...(token === undefined ? {} : { "x-user-token": token }),
        },
      });
      await response.text();
      return response.status;
    };
  }
  afterEach(() => service.close());

  const scrape = async (): Promise<Series> => readSeries(await metrics.text());

  it("count requests by operation and code, what was charged, and points in and out", async () => {
    await open();
    const before = await scrape();
    expect(await ask("/api/v1/ai/me", "alice-token")).toBe(200);
    expect(await ask("/api/v1/ai/me", "alice-token")).toBe(200);
    expect(await ask("/api/v1/ai/me", "nobody")).toBe(401);
    expect(await ask("/api/v1/ai/chat/send", "alice-token", { question: GROUNDED })).toBe(200);
    expect(await ask("/api/v1/ai/chat/send", "carol-token", { question: GROUNDED })).toBe(200);
    expect(await ask("/api/v1/ai/chat/send", "bob-token", { question: GROUNDED })).toBe(402);
    expect(await ask("/api/v1/ai/points/exchange", "alice-token", { token_amount: 1.5 })).toBe(200);
    expect(await ask("/nowhere")).toBe(404);
    const after = await scrape();
    const rise = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const requests = (labels: string): number => rise(`anp_http_requests_total{${labels}}`);
    expect(requests('operation="getMe",status="200",code="0"')).toBe(2);
    expect(requests('operation="getMe",status="401",code="401"')).toBe(1);
    expect(requests('operation="sendChat",status="200",code="0"')).toBe(2);
    expect(requests('operation="sendChat",status="402",code="1005"')).toBe(1);
    expect(requests('operation="unknown",status="404",code="404"')).toBe(1);
    expect(rise('anp_http_request_duration_seconds_count{operation="getMe"}')).toBe(3);
    expect(rise('anp_http_request_duration_seconds_bucket{le="+Inf",operation="getMe"}')).toBe(3);
    expect(rise('anp_charges_total{route="help"}')).toBe(1);
    expect(rise("anp_free_uses_total")).toBe(1);
    expect(rise('anp_points_out_total{type="chat_cost"}')).toBe(1);
    expect(rise('anp_points_in_total{type="exchange"}')).toBe(15);
    expect(rise('anp_ledger_entries_total{type="chat_cost"}')).toBe(2);
    expect(after.get('anp_build_info{version="1.2.3"}')).toBe(1);
    expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(0);
    expect(after.get("anp_http_requests_in_flight")).toBe(0);
  });

  it("count a change that was asked for again once, and a writer that was first as a conflict", async () => {
    await open();
    const other = await createService({
      config: service.config,
      baseDir: join(import.meta.dirname, "../../fixtures/demo"),
      storage: service.storage,
      clock,
      random: seededRandom("other"),
      logger: silentLogger,
    });
    const adjust = { user: "alice", delta: 5, reason: "test", actor: "test" };
    await service.adjust({ ...adjust, request_id: "r1", idempotency_key: "k" });
    await service.adjust({ ...adjust, request_id: "r2", idempotency_key: "k" });
    beforeEntry = () => other.adjust({ ...adjust, request_id: "r3" });
    await service.adjust({ ...adjust, request_id: "r4" });
    const series = await scrape();
    expect(series.get('anp_points_in_total{type="adjust"}')! - 101_000).toBe(10);
    expect(series.get("anp_ledger_conflicts_total")).toBe(1);
  });

  it("count the model's calls by how they ended", async () => {
    await open({
      "model.base_url": model.baseUrl,
      "model.model": "m",
      "model.max_retries": 0,
      "model.budget.day": 20_000,
    });
    const statuses = [];
    for (let n = 0; n < 3; n++) {
      statuses.push(await ask("/api/v1/ai/chat/send", "demo-token", { question: GROUNDED }));
    }
    expect(statuses).toEqual([200, 200, 502]);
    const series = await scrape();
    const calls = (outcome: string) => series.get(`anp_model_calls_total{outcome="${outcome}"}`);
    expect([calls("answered"), calls("no_answer"), calls("failed")]).toEqual([1, 1, 1]);
    expect(series.get("anp_model_call_duration_seconds_count")).toBe(3);
    const tokens = (part: string) => series.get(`anp_model_tokens_total{part="${part}"}`);
    expect([tokens("prompt"), tokens("reply")]).toEqual([2, 2]);
    expect([series.get("anp_model_day_tokens"), series.get("anp_model_day_budget_tokens")]).toEqual([4, 20_000]);
    expect(series.get('anp_model_budget_refused_total{budget="day"}')).toBe(0);
    const breaker = `anp_model_breaker_open{host="${new URL(model.baseUrl).host}",model="m"}`;
    expect(series.get(breaker)).toBe(0);
    for (let n = 0; n < 4; n++) await ask("/api/v1/ai/chat/send", "demo-token", { question: GROUNDED });
    expect((await scrape()).get(breaker)).toBe(1);
  });

  it("report how old the news are, which sources fail, and what waits in the event queue", async () => {
    await open();
    clock.advance(90_000);
    let series = await scrape();
    expect(series.get("anp_news_refresh_age_seconds")).toBe(90);
    expect(series.get("anp_news_full_sync_age_seconds")).toBe(90);
    expect(series.get("anp_news_sources_failing")).toBe(0);
    expect(series.get('anp_news_source_up{source="help:zh"}')).toBe(1);
    expect(series.get("anp_news_items")).toBeGreaterThan(0);
    expect(series.get("anp_ready")).toBe(1);
    state = "starting";
    expect((await scrape()).get("anp_ready")).toBe(0);
    state = undefined;
    metrics.storageIsUp(false);
    expect((await scrape()).get("anp_ready")).toBe(0);
    metrics.storageIsUp(true);
    expect(series.get('anp_news_refreshes_total{mode="full",outcome="published"}')).toBe(1);
    expect([series.get("anp_events_waiting"), series.get("anp_events_lag_seconds")]).toEqual([0, 0]);

    expect(await ask("/api/v1/ai/me", "alice-token")).toBe(200);
    broken = true;
    expect(await ask("/api/v1/ai/events", "alice-token", { event_type: "click" })).toBe(200);
    expect(await ask("/api/v1/ai/me", "alice-token")).toBe(503);
    await service.news.refresh("view").catch(() => undefined);
    clock.advance(10_000);
    series = await scrape();
    expect(series.get("anp_events_dropped_total")).toBe(1);
    expect(series.get('anp_storage_errors_total{verb="has"}')).toBeGreaterThan(0);
    expect(series.get('anp_news_refreshes_total{mode="view",outcome="failed"}')).toBe(1);
    expect(series.get('anp_http_requests_total{operation="getMe",status="503",code="503"}')).toBe(1);
    // What cannot be read stays as it was known.
    expect(series.get("anp_news_full_sync_age_seconds")).toBeGreaterThanOrEqual(90);
    broken = false;
  });
});

it("report the age of the last refresh that read a source, however many have failed since", async () => {
  const world = await createWorld();
  onTestFinished(() => world.close());
  const { service } = await openLoadedService({ fixture: "small" });
  const news = world.news({ sources: [{ id: "wire", name: "Wire", lang: "en", url: "wire.xml" }] });
  const metrics = createMetrics("1.2.3");
  metrics.watch({ service: { ...service, clock: world.clock, news }, inFlight: () => 0, state: () => undefined });
  const ageAfterRefresh = async () => {
    await news.refresh("full");
    return readSeries(await metrics.text()).get("anp_news_refresh_age_seconds");
  };
  expect(await ageAfterRefresh()).toBe(Infinity);
  await world.write("wire.xml", rss([{ title: "Ferries return", at: NOON }]));
  expect(await ageAfterRefresh()).toBe(0);
  await world.write("wire.xml", "<html>");
  for (const minutes of [10, 20]) {
    world.clock.advance(600_000);
    expect(await ageAfterRefresh()).toBe(minutes * 60);
  }
});

it("start at zero, with the buckets of a latency in seconds", async () => {
  const metrics = createMetrics("1.2.3");
  const count = metrics.meterOf("getMe");
  metrics.storageCalled("has", 3, 16);
  const series = readSeries(await metrics.text());
  const bucket = (name: string, label: string, le: number | string): number | undefined =>
    series.get(`${name}_bucket{le="${le}",${label}}`);
  const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, "+Inf"];
  for (const bound of bounds) {
    expect(bucket("anp_http_request_duration_seconds", 'operation="getMe"', bound)).toBe(0);
    expect(bucket("anp_storage_call_duration_seconds", 'verb="put"', bound)).toBe(0);
  }
  expect(bucket("anp_storage_call_duration_seconds", 'verb="has"', 0.0025)).toBe(0);
  expect(bucket("anp_storage_call_duration_seconds", 'verb="has"', 0.005)).toBe(16);
  expect(series.get('anp_storage_errors_total{verb="get"}')).toBe(0);
  expect(series.get("anp_storage_up")).toBe(1);
  count(200, 0, 31_000);
  const after = readSeries(await metrics.text());
  expect(after.get('anp_http_request_duration_seconds_sum{operation="getMe"}')).toBe(31);
});
