import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixedClock } from "../../../src/runtime/clock.ts";
import { type Storage, StorageError } from "../../../src/storage/storage.ts";
import { until } from "../../support/until.ts";
import { watchedStorage } from "../../support/watched-storage.ts";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

let world: World;
let servers: TestServer[];
beforeEach(async () => {
  world = await createWorld();
  servers = [];
});
afterEach(async () => {
  await world.close();
  for (const server of servers) await server.close();
});

const EN = { id: "en", name: "Wire", lang: "en", url: "en.xml" };
const TAKEOVER = 15_000;

/** A feed with one item that answers once it is released. */
async function heldFeed(title: string): Promise<TestServer & { source: object; release: () => void }> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await serve((_, response) => {
    void released.then(() =>
      response.end(rss([{ title, link: `https://w.example/${title.length}`, at: NOON - HOUR }])),
    );
  });
  servers.push(server);
  return { ...server, source: { ...EN, allow_private: true, url: server.url }, release };
}

/** A feed in a file, with one item. */
async function feed(title: string): Promise<void> {
  await world.write("en.xml", rss([{ title, link: "https://w.example/1", at: NOON - HOUR }]));
}

/** The number of snapshots that were ever published. */
async function published(): Promise<number> {
  return (await world.news({}).status()).version;
}

const arrived = (server: TestServer): Promise<unknown> =>
  until("the request comes", () => server.requests.length === 1);

describe("one refresh at a time in one process", () => {
  test("gives a second caller the running one's result", async () => {
    const held = await heldFeed("story");
    const news = world.news({ sources: [held.source] });
    const both = [news.refresh("full"), news.refresh("full"), news.refresh("view")];
    await arrived(held);
    held.release();
    const [first, second, third] = await Promise.all(both);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(held.requests).toHaveLength(1);
  });

  test("makes callers for a full one wait for the light one, then runs once for all of them", async () => {
    const held = await heldFeed("story");
    const news = world.news({ sources: [held.source] });
    const both = [news.refresh("view"), news.refresh("full"), news.refresh("full")];
    held.release();
    const [light, full, again] = await Promise.all(both);
    expect([light!.refresh_mode, full!.refresh_mode]).toEqual(["view", "full"]);
    expect(again).toEqual(full);
    expect(await published()).toBe(2);
  });
});

describe("one refresh at a time over processes", () => {
  test("lets the others wait for the running one and gives them its result", async () => {
    const held = await heldFeed("story");
    const config = { sources: [held.source] };
    const rooms = Array.from({ length: 4 }, () => world.news(config));
    const results = rooms.map((news) => news.refresh("full"));
    await arrived(held);
    held.release();
    const [first, ...others] = await Promise.all(results);
    expect(first).toMatchObject({ refresh_mode: "full", news_updated_count: 1 });
    for (const other of others) expect(other).toEqual(first);
    expect(held.requests).toHaveLength(1);
    expect(await published()).toBe(1);
    for (const news of rooms) expect((await news.hot({ limit: 5, hours: 24 })).total).toBe(1);
  });

  test("runs the full one that was wanted after the light one of another process", async () => {
    const held = await heldFeed("story");
    const config = { sources: [held.source] };
    const light = world.news(config).refresh("view");
    await arrived(held);
    const full = world.news(config).refresh("full");
    held.release();
    expect(await light).toMatchObject({ refresh_mode: "view" });
    expect(await full).toMatchObject({ refresh_mode: "full", news_updated_count: 0 });
    expect(held.requests).toHaveLength(2);
  });

  test("starts at once after one that failed or was aborted", async () => {
    const held = await heldFeed("story");
    // Nobody would be taken over in the time that this test has.
    const leaving = world.news({ sources: [held.source], takeover_s: 3600 });
    const failed = expect(leaving.refresh("view")).rejects.toThrow();
    await arrived(held);
    await feed("other story");
    const next = world.news({ sources: [EN] }).refresh("view");
    await leaving.close();
    await failed;
    expect(await next).toMatchObject({ news_updated_count: 1 });
    expect(await published()).toBe(1);
  });

  test("refreshes after a snapshot only while that is the newest", async () => {
    await feed("story");
    const one = world.news({ sources: [EN] });
    const two = world.news({ sources: [EN] });
    const results = await Promise.all([one.refreshAfter(0, "view"), two.refreshAfter(0, "view")]);
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    expect(await one.refreshAfter(0, "view")).toBeUndefined();
    expect(await published()).toBe(1);
    expect(await one.refreshAfter((await one.current()).version, "view")).toMatchObject({ refresh_mode: "view" });
    expect(await published()).toBe(2);
  });
});

describe("a process that stalls while it refreshes", () => {
  test("is taken over once its lease has run out, and its late result is refused", async () => {
    const held = await heldFeed("what it read before");
    // Its own clock does not move, as it does for a process that is stopped.
    const stalled = world.news({ sources: [held.source] }, { clock: fixedClock(NOON) });
    const late = stalled.refresh("full");
    await arrived(held);
    world.clock.advance(TAKEOVER);
    await feed("what is new");
    const result = await world.news({ sources: [EN] }).refresh("full");
    held.release();
    expect(await late).toEqual(result);
    expect((await stalled.hot({ limit: 5, hours: 24 })).news.map(({ title }) => title)).toEqual(["what is new"]);
    expect(await published()).toBe(1);
  });

  test("publishes what it read if it is back before the one that took over, which gets that result", async () => {
    const [old, fresh] = [await heldFeed("what it read before"), await heldFeed("what is new")];
    const late = world.news({ sources: [old.source] }, { clock: fixedClock(NOON) }).refresh("view");
    await arrived(old);
    world.clock.advance(TAKEOVER);
    const next = world.news({ sources: [fresh.source] }).refresh("view");
    await arrived(fresh);
    old.release();
    const result = await late;
    fresh.release();
    expect(await next).toEqual(result);
    expect(await published()).toBe(1);
  });

  test("is taken over by its silence too, when the clocks differ", async () => {
    const held = await heldFeed("story");
    const ahead = world.news({ sources: [held.source] }, { clock: fixedClock(NOON + 24 * HOUR) });
    const stalled = ahead.refresh("view").catch(() => undefined);
    await arrived(held);
    await feed("what is new");
    let now = 0;
    const news = world.news({ sources: [EN] }, { monotonic: () => (now = Math.min(now + 5000, 6 * TAKEOVER)) });
    expect(await news.refresh("view")).toMatchObject({ news_updated_count: 1 });
    await ahead.close();
    await stalled;
  });

  test("is taken over by one of those that wait", async () => {
    const [held, fresh] = [await heldFeed("what it read before"), await heldFeed("what is new")];
    const stalled = world.news({ sources: [held.source] }, { clock: fixedClock(NOON) });
    const late = stalled.refresh("view");
    await arrived(held);
    const waiting = [0, 20, 40].map((slow_ms) => {
      const storage = watchedStorage(world.storage, async ({ verb }) => {
        if (verb === "put") await sleep(slow_ms);
        return "pass" as const;
      });
      return world.news({ sources: [fresh.source] }, { storage }).refresh("view");
    });
    world.clock.advance(TAKEOVER);
    await arrived(fresh);
    fresh.release();
    const [first, ...others] = await Promise.all(waiting);
    for (const other of others) expect(other).toEqual(first);
    expect(fresh.requests).toHaveLength(1);
    held.release();
    await late;
  });

  test("is not taken over while it renews its lease", async () => {
    const held = await heldFeed("story");
    const config = { sources: [held.source], takeover_s: 1 };
    const clock = { now: () => Date.now() };
    let renewals = 0;
    const storage = watchedStorage(world.storage, ({ verb, key }) => {
      if (verb === "put" && key === "news/refresh-lease") renewals += 1;
      return "pass";
    });
    const first = world.news(config, { clock, storage }).refresh("view");
    await arrived(held);
    const second = world.news(config, { clock }).refresh("view");
    // Four renewals are more than a lease.
    await until("it renewed four times", () => renewals >= 4);
    held.release();
    expect(await second).toEqual(await first);
    expect(held.requests).toHaveLength(1);
  });

  test("holds up no other process when its lease is damaged", async () => {
    await feed("story");
    await world.storage.put(["news", "refresh-lease"], "{torn");
    expect(await world.news({ sources: [EN] }).refresh("view")).toMatchObject({ news_updated_count: 1 });
  });
});

test("two processes that both believe to hold the lease publish one snapshot after the other, each whole", async () => {
  /** Neither publishes before both are about to: else the later one would begin with what the other published. */
  const ready: (() => void)[] = [];
  const both = (): Promise<void> =>
    new Promise((resolve) => {
      ready.push(resolve);
      if (ready.length === 2) for (const go of ready.splice(0)) go();
    });
  const storage: Storage = {
    ...world.storage,
    // The lease of another process is never seen.
    get: (key) => (key[1] === "refresh-lease" ? Promise.resolve(undefined) : world.storage.get(key)),
    async create(key, value) {
      if (key[1] === "refresh-lease") return true;
      if (key[1] === "snapshot") await both();
      return world.storage.create(key, value);
    },
  };
  await feed("story");
  for (let round = 1; round <= 5; round++) {
    const processes = [world.news({ sources: [EN] }, { storage }), world.news({ sources: [EN] }, { storage })];
    const before = await published();
    const results = await Promise.all(processes.map((news) => news.refresh("full")));
    expect(results[1]).toEqual(results[0]);
    expect(await published()).toBe(before + 1);
    expect(await world.news({}).status()).toMatchObject({ items: 1, topics: 1 });
  }
  expect(world.log.filter(({ level }) => level === "error")).toEqual([]);
});

describe("a publication that fails", () => {
  test("leaves the former snapshot, and the next refresh works", async () => {
    await feed("former");
    let broken = false;
    const storage = watchedStorage(world.storage, ({ verb, key }) =>
      broken && verb === "create" && key.startsWith("news/snapshot/") ? "fail" : "pass",
    );
    const news = world.news({ sources: [EN] }, { storage });
    await news.refresh("view");
    await feed("next");
    broken = true;
    await expect(news.refresh("view")).rejects.toThrow(StorageError);
    for (const process of [news, world.news({})]) {
      expect((await process.current()).items).toMatchObject([{ title: "former" }]);
    }
    broken = false;
    await news.refresh("view");
    expect((await world.news({}).current()).items).toMatchObject([{ title: "next" }]);
  });

  test.each(["create", "put"])("by a lost reply to the %s has published a whole snapshot", async (lost) => {
    await feed("story");
    const storage = watchedStorage(world.storage, ({ verb, key }) =>
      verb === lost && key.startsWith("news/snapshot/") ? "lose" : "pass",
    );
    await expect(world.news({ sources: [EN] }, { storage }).refresh("view")).rejects.toThrow(StorageError);
    expect((await world.news({}).current()).items).toMatchObject([{ title: "story" }]);
    await world.news({ sources: [EN] }).refresh("view");
    expect(await published()).toBe(2);
  });
});

test("a snapshot that the server lost is not shown any more once another one has its number", async () => {
  await feed("what is lost");
  let now = 0;
  let generation = 0;
  const storage = { ...world.storage, generation: () => generation };
  const news = world.news({ sources: [EN] }, { storage, monotonic: () => now });
  await news.refresh("view");
  expect((await news.hot({ limit: 5, hours: 24 })).news).toMatchObject([{ title: "what is lost" }]);
  for (const name of ["1", "newest"]) await world.storage.remove(["news", "snapshot", name]);
  await feed("what has its number");
  await world.news({ sources: [EN] }).refresh("view");
  expect(await published()).toBe(1);
  generation += 1;
  now += 1000;
  expect((await news.hot({ limit: 5, hours: 24 })).news).toMatchObject([{ title: "what has its number" }]);
});

test("a refresh on an emptied storage publishes again", async () => {
  await feed("story");
  const news = world.news({ sources: [EN] });
  await news.refresh("view");
  await news.refresh("view");
  for (const name of ["1", "2", "newest"]) await world.storage.remove(["news", "snapshot", name]);
  expect(await news.refresh("view")).toMatchObject({ news_updated_count: 1 });
  expect(await world.news({}).status()).toMatchObject({ version: 1, items: 1 });
});
