import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isClaim, streamItem, SNAPSHOT_STREAM, type StreamItem } from "../../../src/news/snapshot/snapshot-record.ts";
import { fixedClock } from "../../../src/runtime/clock.ts";
import { StorageError } from "../../../src/storage/storage-errors.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { openStream } from "../../../src/storage/stream.ts";
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

/** A feed with one item that answers when it is told to. */
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
  return { ...server, source: { ...EN, url: server.url }, release };
}

/** A feed in a file, with one item. */
async function feed(title: string): Promise<void> {
  await world.write("en.xml", rss([{ title, link: "https://w.example/1", at: NOON - HOUR }]));
}

async function stream(storage: Storage = world.storage): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const { item } of openStream(storage, SNAPSHOT_STREAM, streamItem).items()) items.push(item);
  return items;
}

const snapshots = async (): Promise<number> => (await stream()).filter((item) => !isClaim(item)).length;

async function partNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { text } of world.storage.children(["news"])) if (text.startsWith("part-")) names.push(text);
  return names;
}

const partCount = async (): Promise<number> => (await partNames()).length;

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
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(held.requests).toHaveLength(1);
  });

  test("lets who wants a full one wait for the light one and run then, once for all", async () => {
    const held = await heldFeed("story");
    const news = world.news({ sources: [held.source] });
    const both = [news.refresh("view"), news.refresh("full"), news.refresh("full")];
    held.release();
    const [light, full, again] = await Promise.all(both);
    expect([light!.refresh_mode, full!.refresh_mode]).toEqual(["view", "full"]);
    expect(again).toBe(full);
    expect(await snapshots()).toBe(2);
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
    expect(await snapshots()).toBe(1);
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

  test("goes on at once after one that failed or was given up", async () => {
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
    expect(await snapshots()).toBe(1);
  });

  test("refreshes after a snapshot only while that is the newest", async () => {
    await feed("story");
    const one = world.news({ sources: [EN] });
    const two = world.news({ sources: [EN] });
    const results = await Promise.all([one.refreshAfter(0, "view"), two.refreshAfter(0, "view")]);
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    expect(await one.refreshAfter(0, "view")).toBeUndefined();
    expect(await snapshots()).toBe(1);
    expect(await one.refreshAfter((await one.current()).version, "view")).toMatchObject({ refresh_mode: "view" });
    expect(await snapshots()).toBe(2);
  });
});

describe("a refresher that stalls", () => {
  test("is taken over once its claim has run out by the clock, and publishes nothing when it wakes up", async () => {
    const held = await heldFeed("what it read before");
    // Its own clock stands still, as it does for a process that is stopped: only the stream tells it.
    const stalled = world.news({ sources: [held.source] }, { clock: fixedClock(NOON) });
    const late = stalled.refresh("full");
    await arrived(held);
    world.clock.advance(TAKEOVER);
    await feed("what is new");
    const published = await world.news({ sources: [EN] }).refresh("full");
    const parts = await partCount();
    held.release();
    expect(await late).toEqual(published);
    expect((await stalled.hot({ limit: 5, hours: 24 })).news.map(({ title }) => title)).toEqual(["what is new"]);
    expect(await snapshots()).toBe(1);
    expect(await partCount()).toBe(parts);
  });

  test("publishes nothing while the one that took over is still reading", async () => {
    const [old, fresh] = [await heldFeed("what it read before"), await heldFeed("what is new")];
    let refused = false;
    const storage: Storage = {
      ...world.storage,
      async create(...args) {
        const created = await world.storage.create(...args);
        if (!created) refused = true;
        return created;
      },
      async createAfter(...args) {
        const outcome = await world.storage.createAfter(...args);
        if (outcome !== "created") refused = true;
        return outcome;
      },
    };
    const late = world.news({ sources: [old.source] }, { clock: fixedClock(NOON), storage }).refresh("view");
    await arrived(old);
    world.clock.advance(TAKEOVER);
    const next = world.news({ sources: [fresh.source] }).refresh("view");
    await arrived(fresh);
    old.release();
    // It is refused, and waits for the one that took over.
    await until("it is refused", () => refused);
    expect(await snapshots()).toBe(0);
    fresh.release();
    expect(await late).toEqual(await next);
    expect(await snapshots()).toBe(1);
  });

  test("reads the sources again when it finds its claim run out and nobody went on", async () => {
    const held = await heldFeed("story");
    const late = world.news({ sources: [held.source] }).refresh("view");
    await arrived(held);
    world.clock.advance(TAKEOVER);
    held.release();
    expect(await late).toMatchObject({ news_updated_count: 1 });
    expect(held.requests).toHaveLength(2);
    expect(await snapshots()).toBe(1);
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

  test("gives a sign of life while it works, so that nobody takes over", async () => {
    const held = await heldFeed("story");
    const config = { sources: [held.source], takeover_s: 1 };
    const clock = { now: () => Date.now() };
    const first = world.news(config, { clock }).refresh("view");
    await arrived(held);
    const second = world.news(config, { clock }).refresh("view");
    // Four signs tell of more than a lease.
    await until("it gave four", async () => (await stream()).length > 4);
    held.release();
    expect(await second).toEqual(await first);
    expect(held.requests).toHaveLength(1);
  });
});

describe("a lost reply", () => {
  test("to the claim or to the publication does not make a second snapshot", async () => {
    await feed("story");
    let appends = 0;
    const storage = watchedStorage(world.storage, ({ verb, key }) => {
      const isAppend = verb === "create" && key.startsWith("news/snapshots/");
      if (isAppend) appends += 1;
      // The claim's, then the snapshot's; each is sent again and refused, as it stands there.
      return isAppend && appends % 2 === 1 ? "lose" : "pass";
    });
    expect(await world.news({ sources: [EN] }, { storage }).refresh("view")).toMatchObject({ news_updated_count: 1 });
    expect(appends).toBe(4);
    expect((await stream()).map(isClaim)).toEqual([true, false]);
  });
});

describe("what attempts leave behind", () => {
  /** A refresh whose process dies after it wrote its parts, before it could publish. */
  async function dieBeforePublication(): Promise<void> {
    let dead = false;
    const storage = watchedStorage(world.storage, ({ verb, key }) => {
      if (verb === "create" && key.startsWith("news/snapshots/") && parts > 0) dead = true;
      if (verb === "create" && key.startsWith("news/part-")) parts += 1;
      return dead ? "fail" : "pass";
    });
    let parts = 0;
    await expect(world.news({ sources: [EN] }, { storage }).refresh("view")).rejects.toThrow(StorageError);
    world.clock.advance(TAKEOVER);
  }

  test("is removed once eight newer snapshots are published, and nothing that a kept one needs", async () => {
    await feed("a story of a dead process");
    await dieBeforePublication();
    expect(await partCount()).toBe(4);
    const news = world.news({ sources: [EN] });
    await feed("story 0");
    await news.refresh("view");
    await feed("a second story of a dead process");
    await dieBeforePublication();
    for (let round = 1; round < 12; round++) {
      await world.write(
        "en.xml",
        rss([{ title: `Round ${round} of the news`, link: `https://w.example/r${round}`, at: NOON }]),
      );
      await news.refresh("view");
      expect((await world.news({ sources: [EN] }).status()).items).toBe(round + 1);
    }
    // Items and topics of eight snapshots, and the empty notices and help that all share.
    expect(await partCount()).toBe(8 * 2 + 2);
  });

  test("stays while a snapshot that is kept cannot be read", async () => {
    const news = world.news({ sources: [EN] });
    for (let round = 0; round < 9; round++) {
      await feed(`story ${round}`);
      await news.refresh("view");
      if (round === 5) {
        const items = await stream();
        await world.storage.put([...SNAPSHOT_STREAM, "0", String(items.length)], "{torn");
      }
    }
    const before = await partNames();
    await feed("story 9");
    await news.refresh("view");
    expect(await partNames()).toEqual(expect.arrayContaining(before));
  });
});

test("a snapshot that the server lost is not shown any more once another stands in its place", async () => {
  await feed("what is lost");
  let now = 0;
  let generation = 0;
  const storage = { ...world.storage, generation: () => generation };
  const news = world.news({ sources: [EN] }, { storage, monotonic: () => now });
  await news.refresh("view");
  expect((await news.hot({ limit: 5, hours: 24 })).news).toMatchObject([{ title: "what is lost" }]);
  for (const number of ["1", "2"]) await world.storage.remove([...SNAPSHOT_STREAM, "0", number]);
  await feed("what stands in its place");
  await world.news({ sources: [EN] }).refresh("view");
  expect(await stream()).toHaveLength(2);
  generation += 1;
  now += 1000;
  expect((await news.hot({ limit: 5, hours: 24 })).news).toMatchObject([{ title: "what stands in its place" }]);
});
