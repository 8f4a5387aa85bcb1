import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNews } from "../../../src/news/news.ts";
import { newsConfig } from "../../../src/config/news-config.ts";
import type { Key } from "../../../src/storage/storage.ts";
import { silentLogger } from "../../../src/runtime/logger.ts";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, NOON, rss, type Story, type World } from "../world.ts";

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

const EN = { id: "en", name: "Wire", lang: "en", url: "en.xml" };
const ZH = { id: "zh", name: "快讯", lang: "zh", url: "zh.xml" };
const CONFIG = {
  sources: [EN, ZH],
  notices: "notices.json",
  help: { zh: "help-zh.json", en: "help-en.json" },
  fear_greed: "fear-greed.json",
};
const STORIES: Story[] = [
  { title: "Attacker drains about $87 million from Tidepool bridge", link: "https://w.example/1", at: NOON - HOUR },
  { title: "Senate schedules a hearing on pensions", link: "https://w.example/2", at: NOON - 2 * HOUR },
];
const NOTICE = {
  id: "n1",
  lang: "zh",
  title: "公告",
  body: "正文",
  published_at: "2026-11-20T00:00:00Z",
  symbols: ["BTC"],
};

async function writeAll(): Promise<void> {
  await world.write("en.xml", rss(STORIES));
  await world.write(
    "zh.xml",
    rss([{ title: "跨链桥 Tidepool 遭攻击，损失约 8700 万美元", link: "https://k.example/1", at: NOON - 2 * HOUR }]),
  );
  await world.write("notices.json", JSON.stringify({ notices: [NOTICE] }));
  await world.write(
    "help-zh.json",
    JSON.stringify({
      articles: [
        { id: "a", title: "如何充值" },
        { id: "b", title: "如何提现" },
      ],
    }),
  );
  await world.write("help-en.json", JSON.stringify({ articles: [] }));
  await world.write(
    "fear-greed.json",
    JSON.stringify({
      series: [
        { date: "2026-11-20", value: 63 },
        { date: "2026-11-21", value: 1 },
      ],
    }),
  );
}

describe("a refresh", () => {
  test("counts what is new, and nothing the second time", async () => {
    await writeAll();
    const news = world.news(CONFIG);
    expect(await news.refresh("full")).toEqual({
      refresh_mode: "full",
      news_updated_count: 3,
      notice_updated_count: 3,
      topic_rebuild_count: 1,
      last_full_sync_at: "2026-11-20T12:00:00.000Z",
      sentiment_updated_at: "2026-11-20T12:00:00.000Z",
    });
    world.clock.advance(HOUR);
    expect(await news.refresh("full")).toEqual({
      refresh_mode: "full",
      news_updated_count: 0,
      notice_updated_count: 0,
      topic_rebuild_count: 0,
      last_full_sync_at: "2026-11-20T13:00:00.000Z",
      sentiment_updated_at: "2026-11-20T13:00:00.000Z",
    });
    expect(await news.refresh("view")).toMatchObject({ refresh_mode: "view", notice_updated_count: 0 });
  });

  test("is no full sync where no source could be read, and is not repeated at once", async () => {
    await writeAll();
    const news = world.news({ sources: [EN] });
    const broken = world.news({ sources: [{ ...EN, url: "missing.xml" }] });
    await broken.refresh("full");
    expect((await broken.status()).last_full_sync_at).toBeNull();
    await news.refresh("full");
    world.clock.advance(HOUR);
    expect(await broken.refresh("full")).toMatchObject({ last_full_sync_at: "2026-11-20T12:00:00.000Z" });
    const { version } = await broken.status();
    await broken.refresh("full", HOUR);
    expect((await broken.status()).version).toBe(version);
  });

  test("counts nothing the second time in another process either", async () => {
    await writeAll();
    await world.news(CONFIG).refresh("full");
    expect(await world.news(CONFIG).refresh("full")).toMatchObject({
      news_updated_count: 0,
      notice_updated_count: 0,
      topic_rebuild_count: 0,
    });
  });

  test("counts an item, a notice and a topic that changed", async () => {
    await writeAll();
    const news = world.news(CONFIG);
    await news.refresh("full");
    const more = {
      title: "Tidepool bridge attacker moves part of the $87 million",
      link: "https://w.example/3",
      at: NOON,
    };
    await world.write(
      "en.xml",
      rss([{ ...STORIES[1]!, title: "Senate moves a hearing on pensions" }, STORIES[0]!, more]),
    );
    await world.write("notices.json", JSON.stringify({ notices: [{ ...NOTICE, body: "新正文" }] }));
    expect(await news.refresh("full")).toMatchObject({
      news_updated_count: 2,
      notice_updated_count: 1,
      topic_rebuild_count: 1,
    });
  });

  test("in light mode leaves notices, help and sentiment as they were", async () => {
    await writeAll();
    const news = world.news(CONFIG);
    await news.refresh("full");
    world.clock.advance(HOUR);
    await world.write("notices.json", JSON.stringify({ notices: [] }));
    expect(await news.refresh("view")).toMatchObject({
      refresh_mode: "view",
      notice_updated_count: 0,
      last_full_sync_at: "2026-11-20T12:00:00.000Z",
      sentiment_updated_at: "2026-11-20T12:00:00.000Z",
    });
    expect((await news.current()).notices).toHaveLength(1);
  });

  test("drops notices that are not listed any more, and items of sources no longer configured", async () => {
    await writeAll();
    await world.news(CONFIG).refresh("full");
    await world.write("notices.json", JSON.stringify({ notices: [] }));
    const news = world.news({ ...CONFIG, sources: [ZH] });
    await news.refresh("full");
    const { items, notices } = await news.current();
    expect([items.map(({ source }) => source), notices]).toEqual([["快讯"], []]);
  });

  test("keeps items that their feed does not list any more, until they are too old or too many", async () => {
    await writeAll();
    const news = world.news({ ...CONFIG, max_items: 3, max_age_days: 2 });
    await news.refresh("view");
    const fresh = { title: "Ferries return to service", link: "https://w.example/9", at: NOON };
    await world.write("en.xml", rss([fresh]));
    await news.refresh("view");
    expect((await news.current()).items.map(({ title }) => title)).toHaveLength(3);
    world.clock.advance(46.5 * HOUR);
    await news.refresh("view");
    expect((await news.current()).items.map(({ title }) => title)).toEqual([fresh.title, STORIES[0]!.title]);
  });

  test("dates an item without a date when it is first seen, and never again", async () => {
    await world.write("en.xml", rss([{ title: "undated" }, { title: "future", at: NOON + 1000 * HOUR }]));
    const news = world.news({ sources: [EN] });
    await news.refresh("view");
    world.clock.advance(HOUR);
    expect(await news.refresh("view")).toMatchObject({ news_updated_count: 0 });
    expect((await news.current()).items.map(({ published_at }) => published_at)).toEqual([
      "2026-11-20T12:00:00.000Z",
      "2026-11-20T12:00:00.000Z",
    ]);
  });

  test("puts what has no date behind what has one, and gives it no heat", async () => {
    const archive = Array.from({ length: 50 }, (_, n) => ({
      title: `Essay ${n} on poem ${n * 7}`,
      link: `https://w.example/a${n}`,
    }));
    const breaking = { title: "Dam opens its spillway", link: "https://w.example/b", at: NOON - HOUR };
    const old = { title: "Harbour museum closes", link: "https://w.example/o", at: NOON - 60 * HOUR };
    await world.write("en.xml", rss([...archive, old, breaking]));
    const news = world.news({ sources: [EN] });
    await news.refresh("view");
    const { news: listed, total } = await news.hot({ limit: 2, hours: 48 });
    expect([listed.map(({ title }) => title.replace(/\d+.*/, "")), total]).toEqual([[breaking.title, "Essay "], 51]);
    const { topics } = await news.topics({ limit: 3, lang: "en" });
    expect(topics.map(({ heat }) => heat > 0)).toEqual([true, true, false]);
  });

  test("lets what has no date neither move the mood nor make a story recent", async () => {
    const archive = Array.from({ length: 50 }, (_, n) => ({
      title: `Exchange ${n} hacked, ${n}00 investors ruined`,
      link: `https://w.example/a${n}`,
    }));
    const old = { title: "Harbour profit jumps to a record high", link: "https://w.example/o", at: NOON - 60 * HOUR };
    const copy = { title: old.title, link: "https://k.example/o" };
    await world.write("en.xml", rss([...archive, old]));
    await world.write("zh.xml", rss([copy]));
    const news = world.news({ sources: [EN, { ...ZH, lang: "en", url: "zh.xml" }] });
    await news.refresh("view");
    const { sentiment_overview } = await news.hotTopics({ days: 30, limit: 1 });
    expect(sentiment_overview).toMatchObject({ dominant: "positive", positive: 1, neutral: 0, negative: 0 });
    const [story] = (await news.topics({ limit: 50, lang: "en" })).topics.filter(({ title }) => title === old.title);
    expect(story).toMatchObject({ size: 2, last_seen_at: new Date(old.at).toISOString() });
    const { topics } = await news.hotTopics({ days: 1, limit: 50, lang: "en" });
    expect(topics.filter(({ topic }) => topic === old.title)).toEqual([]);
  });

  test("writes at most twice what is new, also after the worker was replaced", async () => {
    const story = (n: number): Story => ({
      title: `Report ${n} of ${n % 7} companies about project ${n * 37}`,
      summary: `What is known about matter ${n} so far: ${"and more of it ".repeat(12)}`,
      link: `https://w.example/${n}`,
      at: NOON - (1000 - n) * 60_000,
    });
    let bytes = 0;
    const counted =
      <T>(write: (key: Key, value: string) => Promise<T>) =>
      (key: Key, value: string): Promise<T> => {
        bytes += Buffer.byteLength(value);
        return write(key, value);
      };
    const { storage: all } = world;
    const storage = { ...all, create: counted(all.create.bind(all)), put: counted(all.put.bind(all)) };
    let stories = Array.from({ length: 300 }, (_, n) => story(n));
    await world.write("en.xml", rss(stories));
    await world.news({ sources: [EN], max_items: 300 }, { storage }).refresh("full");
    for (const round of [1, 2, 3]) {
      const fresh = Array.from({ length: 30 }, (_, n) => story(300 * round + n));
      stories = [...fresh, ...stories.slice(0, -30)];
      await world.write("en.xml", rss(stories));
      world.clock.advance(HOUR);
      bytes = 0;
      await world.news({ sources: [EN], max_items: 300 }, { storage }).refresh("full");
      const stored = await world.news({}).current();
      const isFresh = ({ url }: { url: string }): boolean => fresh.some(({ link }) => link === url);
      expect(stored.items.filter(isFresh)).toHaveLength(30);
      expect(bytes).toBeLessThan(2 * JSON.stringify(stored.items.filter(isFresh)).length);
    }
  });

  test("publishes the same bytes for the same input and clock", async () => {
    await writeAll();
    const texts = await Promise.all(
      [0, 1].map(async () => {
        const other = await createWorld();
        const news = createNews({
          config: newsConfig.parse(CONFIG),
          baseDir: world.folder,
          storage: other.storage,
          clock: world.clock,
          logger: silentLogger,
        });
        await news.refresh("full");
        const text = JSON.stringify([await news.current(), await news.topics({ limit: 50, lang: "zh" })]);
        await other.close();
        return text;
      }),
    );
    expect(texts[0]).toBe(texts[1]);
  });
});

describe("a source that fails", () => {
  test("keeps its last good items, is recorded and logged, and breaks nothing", async () => {
    let fails = false;
    server = await serve((_, response) => {
      if (fails) response.writeHead(500).end();
      else response.writeHead(200).end(rss(STORIES));
    });
    await writeAll();
    const news = world.news({ sources: [{ ...EN, allow_private: true, url: `${server.url}/feed` }, ZH] });
    await news.refresh("view");
    fails = true;
    world.clock.advance(HOUR);
    expect(await news.refresh("view")).toMatchObject({ news_updated_count: 0 });
    const status = await news.status();
    expect(status).toMatchObject({ items: 3, coverage: { news: { zh: 1, en: 2 } } });
    expect(
      status.sources.map(({ id, ok, items, last_ok_at, last_error }) => [id, ok, items, last_ok_at, last_error]),
    ).toEqual([
      ["en", false, 2, "2026-11-20T12:00:00.000Z", "the server answered 500"],
      ["zh", true, 1, "2026-11-20T13:00:00.000Z", null],
    ]);
    expect(world.log).toMatchObject([{ level: "warn", fields: { source: "en", failure: "status" } }]);
  });

  test("is asked once a day once it is gone, and the status says so", async () => {
    server = await serve((request, response) => {
      response.writeHead(request.url === "/gone" ? 410 : 503, { "retry-after": "3600" }).end();
    });
    const at = (path: string) => ({ ...EN, id: path, allow_private: true, url: `${server!.url}/${path}` });
    const news = world.news({ sources: [at("gone"), at("busy")] });
    for (const hours of [0, 0.5, 0.5, 0.5]) {
      world.clock.advance(hours * HOUR);
      await news.refresh("view");
    }
    expect(server.requests.map(({ url }) => url).sort()).toEqual(["/busy", "/busy", "/gone"]);
    expect((await news.status()).sources).toMatchObject([
      {
        ...{ id: "gone", ok: false, state: "disabled", failures: 1, http_status: 410 },
        ...{ last_error: "the server answered 410 (gone); it is asked again once a day" },
        next_try_at: "2026-11-21T12:00:00.000Z",
      },
      {
        ...{ id: "busy", ok: false, state: "failed", failures: 2, http_status: 503 },
        ...{ last_error: "the server answered 503", next_try_at: "2026-11-20T14:00:00.000Z" },
      },
    ]);
    world.clock.advance(24 * HOUR);
    await news.refresh("view");
    expect(server.requests).toHaveLength(5);
  });

  test("that is not a feed any more keeps its last good items", async () => {
    await writeAll();
    const news = world.news(CONFIG);
    await news.refresh("full");
    await world.write("en.xml", "<html>maintenance</html>");
    await world.write("notices.json", "oops");
    await world.write("help-zh.json", '{"articles": "none"}');
    expect(await news.refresh("full")).toMatchObject({ news_updated_count: 0, notice_updated_count: 0 });
    expect(await news.status()).toMatchObject({ items: 3, notices: 1, help: 2 });
  });

  test("drops an entry that is not valid, and logs it", async () => {
    await writeAll();
    await world.write("notices.json", JSON.stringify({ notices: [NOTICE, { id: "x" }, 7] }));
    const news = world.news(CONFIG);
    await news.refresh("full");
    expect((await news.current()).notices).toHaveLength(1);
    expect(world.log).toMatchObject([{ level: "warn", fields: { source: "notices", refused: 2 } }]);
  });

  test("that has not changed is read with its validators and keeps its items", async () => {
    server = await serve((request, response) => {
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"v1"' }).end(rss(STORIES));
    });
    const config = { sources: [{ ...EN, allow_private: true, url: `${server.url}/feed` }] };
    await world.news(config).refresh("view");
    const news = world.news(config);
    expect(await news.refresh("view")).toMatchObject({ news_updated_count: 0 });
    expect(server.requests[1]?.headers["if-none-match"]).toBe('"v1"');
    expect(await news.status()).toMatchObject({ items: 2, sources: [{ ok: true }] });
  });

  test("reports what became of the entries that it had last, and whether it had anything new", async () => {
    const entry = (n: number, at?: number): Story => {
      return { title: `Story ${n}`, link: `https://w.example/${n}`, ...(at !== undefined && { at }) };
    };
    const [old, none] = [NOON - 31 * 24 * HOUR, { title: "<br>" }];
    await world.write("en.xml", rss([entry(1, NOON), entry(2, NOON - HOUR), entry(3), entry(4, old), none]));
    await world.write(
      "notices.json",
      JSON.stringify({ notices: [NOTICE, { ...NOTICE, id: "n2", published_at: "?" }, {}] }),
    );
    const news = world.news({ sources: [EN], notices: "notices.json", help: { en: "none.json" }, max_items: 2 });
    await news.refresh("view");
    expect((await news.status()).sources.map(({ state }) => state)).toEqual(["ok", "unread", "unread"]);
    await news.refresh("full");
    expect((await news.status()).sources).toMatchObject([
      { unchanged: true, last_read: { read: 5, kept: 2, cut: 1, old: 1, undated: 1, refused: 1 } },
      { unchanged: false, last_read: { read: 3, kept: 2, cut: 0, old: 0, undated: 1, refused: 1 } },
      { state: "failed", failures: 1, next_try_at: null, http_status: null, last_read: null },
    ]);
  });

  test("gives another name and other categories to all of its items, those that it lists no more as well", async () => {
    await writeAll();
    await world.news({ sources: [{ ...EN, categories: ["old"] }] }).refresh("view");
    await world.write("en.xml", rss(STORIES.slice(0, 1)));
    const shown = async (settings: object) => {
      const news = world.news({ sources: [{ ...EN, ...settings }] });
      await news.refresh("view");
      return (await news.current()).items.map(({ source, categories }) => [source, categories]);
    };
    const renamed = ["Wire Service", ["new"]];
    expect(await shown({ name: "Wire Service", categories: ["new"] })).toEqual([renamed, renamed]);
    expect(await shown({})).toEqual([
      [EN.name, undefined],
      [EN.name, undefined],
    ]);
  });

  test("is read with its own zone, categories and weight, and again when they change", async () => {
    const story = rss([{ title: "Senate schedules a hearing on ZORB", link: "https://w.example/1" }]);
    const feed = story.replace("</item>", "<pubDate>20 Nov 2026 05:00:00</pubDate></item>");
    await world.write("en.xml", feed);
    const shown = async (settings: object) => {
      const news = world.news({ sources: [{ ...EN, ...settings }] });
      await news.refresh("view");
      const { published_at, categories, symbols } = (await news.current()).items[0]!;
      const { heat } = (await news.topics({ limit: 1, lang: "en" })).topics[0]!;
      return [published_at, categories, symbols, heat];
    };
    expect(await shown({})).toEqual(["2026-11-20T05:00:00.000Z", undefined, [], 0.667]);
    const settings = { timezone: "-05:00", categories: ["Regulation", "ZORB"], weight: 3 };
    const read = ["2026-11-20T10:00:00.000Z", settings.categories, ["ZORB"]];
    expect(await shown(settings)).toEqual([...read, 5.345]);
    expect(await shown({ ...settings, weight: undefined })).toEqual([...read, 0.891]);
  });

  test("does not give another source its validators when its URL changes", async () => {
    server = await serve((_, response) => {
      response.writeHead(200, { etag: '"v1"' }).end(rss(STORIES));
    });
    await world.news({ sources: [{ ...EN, allow_private: true, url: `${server.url}/a` }] }).refresh("view");
    await world.news({ sources: [{ ...EN, allow_private: true, url: `${server.url}/b` }] }).refresh("view");
    expect(server.requests[1]?.headers["if-none-match"]).toBeUndefined();
  });
});

test("the index is that of the day, also when the file stays", async () => {
  await writeAll();
  const news = world.news(CONFIG);
  const index = async (): Promise<number | null> => {
    await news.refresh("full");
    return (await news.hotTopics({ days: 1, limit: 1 })).sentiment_overview.index;
  };
  expect(await index()).toBe(63);
  world.clock.advance(12 * HOUR);
  expect(await index()).toBe(1);
});

describe("coverage", () => {
  test("counts items by kind and language; zero is a listing that is empty", async () => {
    await writeAll();
    const news = world.news(CONFIG);
    await news.refresh("full");
    expect((await news.status()).coverage).toEqual({
      news: { zh: 1, en: 2 },
      notice: { zh: 1, en: 0 },
      help: { zh: 2, en: 0 },
    });
  });

  test("is unknown where nothing could ever be listed", async () => {
    await writeAll();
    await world.write("help-zh.json", "oops");
    await world.write("en.xml", "oops");
    const news = world.news(CONFIG);
    await news.refresh("view");
    expect((await news.status()).coverage).toEqual({
      news: { zh: 1, en: "unknown" },
      notice: { zh: "unknown", en: "unknown" },
      help: { zh: "unknown", en: "unknown" },
    });
    await news.refresh("full");
    expect((await news.status()).coverage).toMatchObject({ notice: { zh: 1, en: 0 }, help: { zh: "unknown", en: 0 } });
  });
});

describe("a fixture's dates", () => {
  const anchor_ms = NOON - 2 * HOUR;
  const dates = async (at: number): Promise<(string | null)[]> => {
    await writeAll();
    world.clock.set(at);
    const news = world.news(CONFIG, { shift: { anchor_ms } });
    await news.refresh("full");
    const { items, notices } = await news.current();
    return [...items.map(({ published_at }) => published_at), ...notices.map(({ published_at }) => published_at)];
  };

  test("stay at the anchor, those after it held back to it", async () => {
    expect(await dates(anchor_ms)).toEqual([
      "2026-11-20T10:00:00.000Z",
      "2026-11-20T10:00:00.000Z",
      "2026-11-20T10:00:00.000Z",
      "2026-11-20T00:00:00.000Z",
    ]);
  });

  test("move by whole hours, never into the future", async () => {
    expect(await dates(anchor_ms + 26.5 * HOUR)).toEqual([
      "2026-11-21T12:00:00.000Z",
      "2026-11-21T12:00:00.000Z",
      "2026-11-21T12:00:00.000Z",
      "2026-11-21T02:00:00.000Z",
    ]);
  });

  test("shifted are not an update, and shift on without a refresh", async () => {
    await dates(anchor_ms);
    world.clock.advance(1000 * HOUR);
    const news = world.news(CONFIG, { shift: { anchor_ms } });
    expect((await news.hot({ limit: 10, hours: 48 })).total).toBe(3);
    expect(await news.refresh("full")).toMatchObject({
      news_updated_count: 0,
      notice_updated_count: 0,
      topic_rebuild_count: 0,
    });
  });

  test("of remote sources stay", async () => {
    server = await serve((_, response) => {
      response.writeHead(200).end(rss(STORIES));
    });
    world.clock.set(NOON + 5 * HOUR);
    const news = world.news({ sources: [{ ...EN, allow_private: true, url: server.url }] }, { shift: { anchor_ms } });
    await news.refresh("view");
    expect((await news.current()).items[0]?.published_at).toBe(new Date(NOON - HOUR).toISOString());
  });
});
