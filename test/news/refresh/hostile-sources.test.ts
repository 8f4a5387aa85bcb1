import { afterEach, beforeEach, expect, test } from "vitest";
import type { JobRunner } from "../../../src/compute/job-runner.ts";
import { WorkerRunner, workerFile } from "../../../src/compute/worker-runner.ts";
import { newsInProcess } from "../../../src/news/jobs/news-runner.ts";
import type { NewsJobs } from "../../../src/news/jobs/news-jobs.ts";
import { silentLogger } from "../../../src/runtime/logger.ts";
import { until } from "../../support/until.ts";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

let world: World;
let server: TestServer | undefined;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.close();
  await server?.close();
  server = undefined;
});

const source = (id: string, url: string) => ({ id, name: id, lang: "en", url, allow_private: true });
const GOOD = rss([{ title: "Ferries return to service", link: "https://w.example/1", at: NOON - HOUR }]);

/** A worker for the news whose heap is so small that one hostile feed exceeds it. */
function smallWorker(events: string[] = [], memory_mb = 56): JobRunner<NewsJobs> {
  return new WorkerRunner<NewsJobs>({
    name: "news",
    file: workerFile("news-worker"),
    deadline_ms: 20_000,
    start_ms: 120_000,
    memory_mb,
    logger: silentLogger,
    observer: { jobFailed: (_, failure) => events.push(failure), workerRestarted: () => events.push("restarted") },
  });
}

test("a source that takes too much memory fails alone, and the refresh goes on in a new worker", async () => {
  const entry = `<item>${'<link a="" b="" c="" d="" e=""/>'.repeat(128)}</item>`;
  await world.write("bad.xml", `<rss><channel>${entry.repeat(1000)}</channel></rss>`);
  await world.write("good.xml", GOOD);
  const events: string[] = [];
  const config = { sources: [source("first", "good.xml"), source("bad", "bad.xml"), source("last", "good.xml")] };
  const worker = smallWorker(events, 40);
  // A busy machine may need longer than a feed's deadline until the memory is full.
  const runner: JobRunner<NewsJobs> = {
    run: (name, input, options) => worker.run(name, input, { ...options, deadline_ms: 120_000 }),
    close: () => worker.close(),
  };
  const news = world.news(config, { runner });
  expect(await news.refresh("view")).toMatchObject({ news_updated_count: 1 });
  expect((await news.status()).sources.map(({ id, last_error }) => [id, last_error])).toEqual([
    ["first", null],
    ["bad", "took more memory than a worker has"],
    ["last", null],
  ]);
  expect(events).toEqual(["restarted", "out_of_memory"]);
  expect((await news.topics({ limit: 5, lang: "en" })).topics).toMatchObject([{ title: "Ferries return to service" }]);
  await news.close();
});

test("a worker that was replaced goes on from what is stored", async () => {
  await world.write("good.xml", GOOD);
  const runner = smallWorker();
  const loseWorker = (): Promise<void> =>
    expect(
      runner.run("show", { text: `[${"0,".repeat(1e6)}0]`, shift: undefined, now: 0 }, { deadline_ms: 1 }),
    ).rejects.toThrow("took longer");
  const news = world.news({ sources: [source("good", "good.xml")] }, { runner });
  await news.refresh("view");
  await loseWorker();
  expect((await news.topics({ limit: 5, lang: "en" })).total).toBe(1);
  await loseWorker();
  await world.write("good.xml", rss([{ title: "Senate moves a hearing", link: "https://w.example/2", at: NOON }]));
  expect(await news.refresh("view")).toMatchObject({ news_updated_count: 1 });
  expect((await news.status()).items).toBe(2);
  await loseWorker();
  for (const name of ["1", "2", "newest"]) await world.storage.remove(["news", "snapshot", name]);
  expect(await news.refresh("view")).toMatchObject({ news_updated_count: 1 });
  await news.close();
});

test("content that was parsed before is not parsed again, whatever the server says about it", async () => {
  let body = GOOD;
  server = await serve((_, response) => response.end(body));
  const real = newsInProcess();
  const outcomes: string[] = [];
  const runner: JobRunner<NewsJobs> = {
    ...real,
    run(name, input, options) {
      const output = real.run(name, input, options);
      if (name === "parse")
        void output.then((parsed) => outcomes.push((parsed as Awaited<ReturnType<NewsJobs["parse"]>>).outcome));
      return output;
    },
  };
  const config = { sources: [source("good", server.url)] };
  const news = world.news(config, { runner });
  await news.refresh("view");
  await world.news(config, { runner }).refresh("view");
  body = rss([{ title: "undated" }]);
  await news.refresh("view");
  for (let day = 0; day < 40; day++) {
    world.clock.advance(24 * HOUR);
    await news.refresh("view");
  }
  expect(outcomes).toEqual(["read", "unchanged", "read", ...Array<string>(40).fill("unchanged")]);
  // The feed still lists it.
  expect((await news.current()).items.map(({ title }) => title)).toEqual(["undated"]);
});

test("what quick sources brought is published before the slow ones have ended, and counted once", async () => {
  let answer = (): void => undefined;
  server = await serve((request, response) => {
    if (request.url === "/good") response.end(GOOD);
    else answer = () => response.end(rss([{ title: "Senate moves a hearing", link: "https://w.example/2", at: NOON }]));
  });
  const sources = [source("slow", `${server.url}/slow`), source("good", `${server.url}/good`)];
  const news = world.news({ sources }, { slowMs: 20 });
  const reader = world.news({ sources: [] }, { monotonic: steadily(1000) });
  const refreshed = news.refresh("full");
  const shown = await until("the quick one is shown", async () => {
    const { items } = await reader.current();
    return items.length > 0 && items;
  });
  expect(shown.map(({ title }) => title)).toEqual(["Ferries return to service"]);
  expect(await reader.status()).toMatchObject({
    mode: "view",
    last_full_sync_at: null,
    sources: [{ ok: false }, { ok: true }],
  });
  answer();
  expect(await refreshed).toMatchObject({ refresh_mode: "full", news_updated_count: 2 });
  expect(await news.status()).toMatchObject({
    version: 2,
    mode: "full",
    items: 2,
    sources: [{ ok: true }, { ok: true }],
  });
});

test("many items are shown without topics while some sources are slow, then with them", async () => {
  let answer = (): void => undefined;
  const items = Array.from({ length: 900 }, (_, n) => {
    return { title: `Ferry ${n} returns`, link: `https://w.example/${n}`, at: NOON - n };
  });
  server = await serve((request, response) => {
    if (request.url === "/many") response.end(rss(items));
    else answer = () => response.end(rss([]));
  });
  const sources = [source("slow", `${server.url}/slow`), source("many", `${server.url}/many`)];
  const news = world.news({ sources }, { slowMs: 20 });
  const refreshed = news.refresh("full");
  const state = await until("the many are shown", async () => {
    const shown = await news.status();
    return shown.items > 0 && shown;
  });
  expect(state).toMatchObject({ version: 1, items: items.length, topics: 0 });
  answer();
  await refreshed;
  expect((await news.status()).topics).toBeGreaterThan(0);
});

test("local files are published whole, however busy the machine is", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => world.write(`${n}.xml`, GOOD)));
  const sources = Array.from({ length: 20 }, (_, n) => source(`s${n}`, `${n}.xml`));
  const news = world.news({ sources }, { slowMs: 0 });
  await news.refresh("full");
  expect((await news.status()).version).toBe(1);
});

test("a caller who wants a refresh soon after the last one gets its result", async () => {
  await world.write("good.xml", GOOD);
  const news = world.news({ sources: [source("good", "good.xml")] });
  const first = await news.refresh("full", 10_000);
  world.clock.advance(9999);
  expect(await news.refresh("full", 10_000)).toEqual(first);
  expect(await news.refresh("view", 10_000)).toEqual({ ...first, refresh_mode: "view", notice_updated_count: 0 });
  expect((await news.status()).version).toBe(1);
  world.clock.advance(1);
  expect(await news.refresh("view", 10_000)).toMatchObject({ refresh_mode: "view", news_updated_count: 0 });
  expect(await news.refresh("full", 10_000)).toMatchObject({ refresh_mode: "full" });
  expect((await news.status()).version).toBe(3);
});

/** Milliseconds that grow by so many at each look. */
function steadily(step: number): () => number {
  let now = 0;
  return () => (now += step);
}
