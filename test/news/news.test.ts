import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hotTopics, newsList, refreshResult, topicList } from "../../src/contract/schemas/news-schemas.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { createWorld, HOUR, NOON, rss, type Story, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.close();
});

const EN = { id: "en", name: "Wire", lang: "en", url: "en.xml" };
const ZH = { id: "zh", name: "快讯", lang: "zh", url: "zh.xml" };
const CONFIG = { sources: [EN, ZH] };
const ATTACK: Story = {
  title: "Attacker drains about $87 million from Tidepool bridge",
  link: "https://w.example/1",
  at: NOON - HOUR,
};
const ATTACK_ZH: Story = {
  title: "跨链桥 Tidepool 遭攻击，损失约 8700 万美元",
  link: "https://k.example/1",
  at: NOON - 2 * HOUR,
};
const MERGER: Story[] = [
  {
    title: "Ridgeline Mining and Cobalt Hash merge in a $2.3 billion deal",
    link: "https://w.example/2",
    at: NOON - 30 * HOUR,
  },
  {
    title: "Ridgeline Mining, Cobalt Hash merge in $2.3 billion deal",
    link: "https://w.example/3",
    at: NOON - 30 * HOUR,
  },
];

async function write(en: readonly Story[] = [ATTACK, ...MERGER], zh: readonly Story[] = [ATTACK_ZH]): Promise<void> {
  await world.write("en.xml", rss(en));
  await world.write("zh.xml", rss(zh));
}

/** The storage, broken on demand. */
function breakable(storage: Storage): Storage & { broken: boolean; reads: number } {
  const fail = (): void => {
    if (face.broken) throw new StorageError("the storage is gone");
  };
  const face = {
    ...storage,
    broken: false,
    reads: 0,
    async get(key: Parameters<Storage["get"]>[0]) {
      face.reads += 1;
      fail();
      return storage.get(key);
    },
    async has(key: Parameters<Storage["has"]>[0]) {
      face.reads += 1;
      fail();
      return storage.has(key);
    },
    async getMany(keys: Parameters<Storage["getMany"]>[0]) {
      fail();
      return storage.getMany(keys);
    },
  };
  return face;
}

describe("hot news", () => {
  test("is newest first, and its total is all of the window", async () => {
    await write();
    const news = world.news(CONFIG);
    await news.refresh("view");
    const list = await news.hot({ limit: 1, hours: 24 });
    expect(newsList.parse(list)).toMatchObject({ total: 2, news: [{ title: ATTACK.title }] });
    expect((await news.hot({ limit: 10, hours: 48 })).total).toBe(4);
  });

  test("names the author where the feed does, on one line and no longer than a name", async () => {
    const item = (title: string, author: string): string => `<item><title>${title}</title>${author}</item>`;
    const items = [
      item("Ferries return", "<dc:creator><![CDATA[ Ada\u202e <b>Lovelace</b>\n]]></dc:creator>"),
      item("Mining slows", "<author>desk@wire.example (Jo Byte)</author>"),
      item("Bridges close", `<author>${"A".repeat(5000)}</author>`),
      item("Rates stay", ""),
    ];
    await world.write("en.xml", `<rss><channel>${items.join("")}</channel></rss>`);
    const news = world.news({ sources: [EN] });
    await news.refresh("view");
    const list = newsList.parse(await news.hot({ limit: 10, hours: 24 })).news;
    expect(Object.fromEntries(list.map(({ title, author }) => [title, author]))).toEqual({
      "Ferries return": "Ada Lovelace",
      "Mining slows": "Jo Byte",
      "Bridges close": `${"A".repeat(119)}…`,
      "Rates stay": undefined,
    });
    expect(list.find(({ title }) => title === "Rates stay")).not.toHaveProperty("author");
  });

  test("is the same frozen object until an item leaves the window", async () => {
    await write();
    const news = world.news(CONFIG);
    await news.refresh("view");
    const query = { limit: 10, hours: 3 };
    const list = await news.hot(query);
    expect(Object.isFrozen(list) && Object.isFrozen(list.news) && Object.isFrozen(list.news[0])).toBe(true);
    world.clock.advance(HOUR - 1);
    expect(await news.hot(query)).toBe(list);
    world.clock.advance(1);
    const later = await news.hot(query);
    expect(later).not.toBe(list);
    expect([list.total, later.total]).toEqual([2, 1]);
    world.clock.advance(-HOUR);
    expect((await news.hot(query)).total).toBe(2);
  });

  test.each([
    [{ symbol: "btc" }, ["ETF inflows lift Bitcoin", "比特幣現貨 ETF 淨流入創新高"], 1],
    [{ source: "WIRE" }, ["ETF inflows lift Bitcoin", ATTACK.title], 1],
    [{ category: "市场" }, ["比特幣現貨 ETF 淨流入創新高"], 1],
    [{ q: "比特币 etf" }, ["比特幣現貨 ETF 淨流入創新高"], 1],
    [{ q: "ＬÍFT record" }, ["ETF inflows lift Bitcoin"], 1],
    [{ q: "etf", source: "wire", symbol: "" }, ["ETF inflows lift Bitcoin"], 1],
    [{ q: "etf", source: "Wire", category: "市场" }, [], 0],
  ])("and topics are those with %j", async (filter, titles, topics) => {
    await write(
      [{ title: "ETF inflows lift Bitcoin", summary: "A record week.", link: "https://w.example/4", at: NOON }, ATTACK],
      [{ title: "比特幣現貨 ETF 淨流入創新高", link: "https://k.example/4", at: NOON - 3 * HOUR }],
    );
    const news = world.news({ sources: [EN, { ...ZH, categories: ["市场"] }] });
    await news.refresh("view");
    const list = await news.hot({ limit: 10, hours: 48, ...filter });
    expect(list.news.map(({ title }) => title)).toEqual(titles);
    expect(list.total).toBe(titles.length);
    expect(await news.hot({ limit: 10, hours: 48, ...filter })).toBe(list);
    expect((await news.hot({ limit: 10, hours: 2, ...filter })).total).toBe(
      titles.filter((title) => !title.startsWith("比")).length,
    );
    expect(await news.topics({ limit: 10, lang: "en", ...filter })).toMatchObject({ total: topics });
    expect((await news.hot({ limit: 10, hours: 48 })).total).toBe(3);
  });

  test("with a filter count only topics that can be listed", async () => {
    const name = (n: number): string => `${"BDFGKLMN"[n % 8]}a${"rstvzpnm"[Math.floor(n / 8)]}o`;
    const titles = Array.from({ length: 60 }, (_, n) =>
      ["vel", "mund", "grad", "tor"].map((end) => name(n) + end).join(" "),
    );
    await write(titles.map((title, n) => ({ title, link: `https://w.example/${n}`, at: NOON - n * 1000 })));
    const news = world.news({ sources: [EN, ZH] });
    await news.refresh("view");
    const all = await news.topics({ limit: 100, lang: "en", source: "wire" });
    expect(all.topics.length).toBeGreaterThan(10);
    expect(all.total).toBe(all.topics.length);
    expect((await news.topics({ limit: 1, lang: "en", source: "wire" })).total).toBe(all.total);
    expect((await news.topics({ limit: 1, lang: "en" })).total).toBeGreaterThan(all.total);
  });

  test("with a filter does not hold up other work, however much there is", async () => {
    await write(
      Array.from({ length: 500 }, (_, n) => ({ title: `Story ${n}`, link: `https://w.example/${n}`, at: NOON })),
    );
    const news = world.news(CONFIG);
    await news.refresh("view");
    let breaks = 0;
    const tick = () => setImmediate(() => (breaks++, isOver || tick()));
    let isOver = false;
    tick();
    expect((await news.hot({ limit: 1, hours: 48, q: "story 7" })).total).toBe(95);
    isOver = true;
    expect(breaks).toBeGreaterThanOrEqual(5);
  });

  test("of a world without news is empty", async () => {
    expect(await world.news({}).hot({ limit: 10, hours: 48 })).toEqual({ news: [], total: 0 });
    expect(await world.news({}).topics({ limit: 10, lang: "zh" })).toEqual({ topics: [], total: 0 });
  });
});

describe("topics", () => {
  test("come by heat, in the language asked for", async () => {
    await write();
    const news = world.news(CONFIG);
    await news.refresh("full");
    const list = await news.topics({ limit: 10, lang: "zh-TW" });
    expect(topicList.parse(list)).toMatchObject({
      total: 2,
      topics: [
        { title: ATTACK_ZH.title, lang: "zh", size: 2, sources: expect.arrayContaining(["Wire", "快讯"]) as string[] },
        { lang: "en", size: 2 },
      ],
    });
    expect(list.topics[0]!.outlets).toHaveLength(2);
    expect(list.topics[0]!.outlets).toEqual(
      expect.arrayContaining([
        { source: "Wire", lang: "en" },
        { source: "快讯", lang: "zh" },
      ]),
    );
    expect(list.topics[1]!.outlets).toEqual([{ source: "Wire", lang: "en" }]);
    expect((await news.topics({ limit: 1, lang: "fr" })).topics).toMatchObject([{ title: ATTACK.title, lang: "en" }]);
    expect(list.topics[0]!.question_suggestions[0]).toBe("跨链桥 Tidepool 遭攻击，损失多少美元？");
  });

  test("without an item in the language come last, whatever their heat", async () => {
    await write(
      [{ ...ATTACK, at: NOON - 20 * HOUR }, ...MERGER.map((story) => ({ ...story, at: NOON }))],
      [{ ...ATTACK_ZH, at: NOON - 20 * HOUR }],
    );
    const news = world.news(CONFIG);
    await news.refresh("full");
    const heats = async (lang: string): Promise<number[]> =>
      (await news.topics({ limit: 10, lang })).topics.map(({ heat }) => heat);
    expect((await news.topics({ limit: 10, lang: "zh" })).topics.map(({ lang }) => lang)).toEqual(["zh", "en"]);
    expect(await heats("en")).toEqual((await heats("en")).toSorted((a, b) => b - a));
  });

  test("are the same frozen object within a minute", async () => {
    await write();
    const news = world.news(CONFIG);
    await news.refresh("full");
    const list = await news.topics({ limit: 10, lang: "zh" });
    expect(Object.isFrozen(list.topics[0]!.items)).toBe(true);
    world.clock.advance(59_999);
    expect(await news.topics({ limit: 10, lang: "zh-CN" })).toBe(list);
    world.clock.advance(1);
    expect((await news.topics({ limit: 10, lang: "zh" })).topics[0]!.heat).toBeLessThan(list.topics[0]!.heat);
  });

  test("keep their ids while they grow", async () => {
    await write();
    const news = world.news(CONFIG);
    await news.refresh("full");
    const before = await news.topics({ limit: 10, lang: "zh" });
    await write([
      { title: "Tidepool bridge drained of $87 million by attacker", link: "https://w.example/8", at: NOON },
      ATTACK,
      ...MERGER,
    ]);
    expect(await news.refresh("view")).toMatchObject({ topic_rebuild_count: 1 });
    const after = await news.topics({ limit: 10, lang: "zh" });
    expect(after.topics.map(({ id }) => id)).toEqual(before.topics.map(({ id }) => id));
    expect(after.topics[0]!.size).toBe(3);
  });

  test("of a small feed are its single items", async () => {
    await write([ATTACK], []);
    const news = world.news(CONFIG);
    await news.refresh("full");
    expect(await news.topics({ limit: 10, lang: "en" })).toMatchObject({ total: 1, topics: [{ size: 1 }] });
  });
});

describe("hot topics", () => {
  const query = { days: 1, limit: 6 };

  test("are live after a refresh", async () => {
    await write();
    await world.write("fear-greed.json", JSON.stringify({ series: [{ date: "2026-11-20", value: 63 }] }));
    const news = world.news({ ...CONFIG, fear_greed: "fear-greed.json" });
    await news.refresh("full");
    const answer = await news.hotTopics(query);
    expect(hotTopics.parse({ ...answer, user_hot_questions: [] })).toMatchObject({
      topics: [{ topic: ATTACK_ZH.title }],
      sentiment_overview: { dominant: "negative", positive: 0, neutral: 0, negative: 2, index: 63 },
      refresh_meta: { source: "live", stale: false, last_full_sync_at: "2026-11-20T12:00:00.000Z" },
    });
    expect((await news.hotTopics({ ...query, days: 2, lang: "en" })).topics).toHaveLength(2);
  });

  test("rise for an hour after the last report, then fall, without another refresh", async () => {
    await write([{ ...ATTACK, at: NOON - 40 * 60_000 }], []);
    const news = world.news(CONFIG);
    await news.refresh("full");
    const trend = async () => (await news.hotTopics(query)).topics[0]!.trend;
    expect(await trend()).toBe("rising");
    world.clock.advance(19 * 60_000);
    expect(await trend()).toBe("rising");
    world.clock.advance(60_000);
    expect(await trend()).toBe("falling");
  });

  test("grow stale after three intervals", async () => {
    await write();
    const news = world.news({ ...CONFIG, refresh_interval_s: 60 });
    await news.refresh("full");
    world.clock.advance(180_000);
    expect((await news.hotTopics(query)).refresh_meta.stale).toBe(false);
    world.clock.advance(1);
    expect((await news.hotTopics(query)).refresh_meta).toMatchObject({ stale: true, source: "live" });
  });

  test("are the bundled ones before any refresh, in either language", async () => {
    const news = world.news(CONFIG);
    const answer = await news.hotTopics({ ...query, limit: 2, lang: "en" });
    expect(hotTopics.parse({ ...answer, user_hot_questions: [] })).toMatchObject({
      topics: [{ topic: expect.stringMatching(/^[\x20-\x7e]+$/) as string }, {}],
      refresh_meta: { source: "fallback", stale: true, last_refresh_at: null },
    });
    expect((await news.hotTopics(query)).topics[0]!.topic).toMatch(/\p{Script=Han}/u);
  });

  test("are the bundled ones when every source fails, and show the coverage", async () => {
    const news = world.news(CONFIG);
    expect(refreshResult.parse(await news.refresh("full"))).toMatchObject({ news_updated_count: 0 });
    expect((await news.hotTopics(query)).refresh_meta).toMatchObject({
      source: "fallback",
      coverage: { news: { zh: "unknown", en: "unknown" } },
    });
  });

  test("are none, and live, where no source of news is configured", async () => {
    const news = world.news({ sources: [] });
    await news.refresh("full");
    expect(await news.hotTopics(query)).toMatchObject({
      topics: [],
      refresh_meta: { source: "live", stale: false, last_full_sync_at: expect.not.stringContaining("1970") as string },
    });
  });

  test("are the last in memory when the storage fails", async () => {
    await write();
    const storage = breakable(world.storage);
    let now = 0;
    const news = world.news(CONFIG, { storage, monotonic: () => now });
    await news.refresh("full");
    storage.broken = true;
    now = 5000;
    expect(await news.hotTopics(query)).toMatchObject({
      topics: [{ topic: ATTACK_ZH.title }],
      refresh_meta: { source: "fallback", stale: false },
    });
    expect((await news.hot({ limit: 10, hours: 24 })).total).toBe(2);
    storage.broken = false;
    now = 10_000;
    expect((await news.hotTopics(query)).refresh_meta.source).toBe("live");
  });

  test("are the bundled ones when the storage fails and nothing is in memory", async () => {
    const storage = breakable(world.storage);
    storage.broken = true;
    const news = world.news(CONFIG, { storage });
    expect((await news.hotTopics(query)).refresh_meta.source).toBe("fallback");
    await expect(news.hot({ limit: 10, hours: 24 })).rejects.toThrow(StorageError);
  });

  test("are none, and no failure, when the bundled snapshot is missing too", async () => {
    await write();
    const news = world.news(CONFIG, { bundledFile: new URL("file:///none/hot-topics.json") });
    expect(await news.hotTopics(query)).toMatchObject({ topics: [], refresh_meta: { source: "fallback" } });
    expect(await news.refresh("view")).toMatchObject({ last_full_sync_at: "1970-01-01T00:00:00.000Z" });
  });

  test("are the last stored ones that can be read when the newest snapshot is damaged", async () => {
    await write();
    const news = world.news(CONFIG);
    await news.refresh("full");
    await world.storage.put(["news", "snapshot", "2"], "{torn");
    let now = 0;
    const other = world.news(CONFIG, { monotonic: () => now });
    for (; now < 5000; now += 1000) {
      expect(await other.hotTopics(query)).toMatchObject({
        topics: [{ topic: ATTACK_ZH.title }],
        refresh_meta: { source: "fallback" },
      });
    }
    expect(world.log.filter(({ level }) => level === "error")).toMatchObject([
      { fields: { version: 2 }, message: "a news snapshot is damaged" },
    ]);
    await other.refresh("full");
    expect((await other.hotTopics(query)).refresh_meta.source).toBe("live");
  });
});

test("a refresh fails as a whole when the storage does, and the next one works", async () => {
  await write();
  const storage = breakable(world.storage);
  const news = world.news(CONFIG, { storage });
  storage.broken = true;
  await expect(news.refresh("view")).rejects.toThrow(StorageError);
  storage.broken = false;
  expect(await news.refresh("view")).toMatchObject({ news_updated_count: 4 });
});

describe("the newest snapshot", () => {
  test("of another process is found within a second, and not looked for more often", async () => {
    await write();
    const storage = breakable(world.storage);
    let now = 0;
    const reader = world.news(CONFIG, { storage, monotonic: () => now });
    expect((await reader.current()).version).toBe(0);
    await world.news(CONFIG).refresh("view");
    const reads = storage.reads;
    now = 999;
    expect((await reader.current()).version).toBe(0);
    expect(storage.reads).toBe(reads);
    now = 1000;
    expect((await reader.current()).version).toBeGreaterThan(0);
  });

  test("is the same object while it is the newest, and its arrays while their content stays", async () => {
    await write();
    await world.write("notices.json", JSON.stringify({ notices: [{ id: "1", lang: "zh", title: "公告" }] }));
    const news = world.news({ ...CONFIG, notices: "notices.json" });
    await news.refresh("full");
    const first = await news.current();
    expect(await news.current()).toBe(first);
    await world.write("notices.json", JSON.stringify({ notices: [{ id: "1", lang: "zh", title: "新公告" }] }));
    await news.refresh("full");
    const second = await news.current();
    expect(second.version).toBeGreaterThan(first.version);
    expect([second.items === first.items, second.help === first.help]).toEqual([true, true]);
    expect(second.notices).toMatchObject([{ title: "新公告" }]);
  });

  test("has other arrays when a fixture's dates move on", async () => {
    await write();
    const news = world.news(CONFIG, { shift: { anchor_ms: NOON } });
    await news.refresh("view");
    const first = await news.current();
    world.clock.advance(HOUR);
    const second = await news.current();
    expect(second.items).not.toBe(first.items);
    expect(Date.parse(second.items[0]!.published_at) - Date.parse(first.items[0]!.published_at)).toBe(HOUR);
  });

  test("is looked for once by many callers at once", async () => {
    await write();
    await world.news(CONFIG).refresh("view");
    const storage = breakable(world.storage);
    const news = world.news(CONFIG, { storage });
    await Promise.all(Array.from({ length: 50 }, () => news.hot({ limit: 10, hours: 24 })));
    expect(storage.reads).toBeLessThan(12);
  });
});

test("a warm answer costs microseconds", async () => {
  await write();
  const news = world.news(CONFIG);
  await news.refresh("full");
  await news.topics({ limit: 5, lang: "zh" });
  const started = process.cpuUsage();
  for (let call = 0; call < 10_000; call++) await news.topics({ limit: 5, lang: "zh" });
  for (let call = 0; call < 10_000; call++) await news.hot({ limit: 5, hours: 48 });
  expect(process.cpuUsage(started).user / 20_000).toBeLessThan(200);
});

test("status names no credentials", async () => {
  const news = world.news({ sources: [{ ...EN, url: "http://user:pass@127.0.0.1:1/feed" }] });
  await news.refresh("view");
  expect(JSON.stringify([await news.status(), world.log])).not.toContain("pass");
});

describe("an outlet that publishes one text again", () => {
  const first = { title: "Regulator opens a review of exchange fees", link: "https://w.example/a", guid: "a" };
  const again = {
    ...first,
    title: "Regulator opens a review of exchange fees.",
    link: "https://w.example/b",
    guid: "b",
  };
  const shown = async (...stories: Story[]) => {
    const own = await createWorld();
    await own.write("en.xml", rss([...stories, ...MERGER]));
    const news = own.news({ sources: [EN] });
    await news.refresh("full");
    const { topics } = await news.topics({ limit: 5, lang: "en" });
    const { total } = await news.hot({ limit: 10, hours: 48 });
    await own.close();
    return { topics, items: total };
  };

  test("counts once in a topic, in its list and its heat, though every item is kept", async () => {
    const other = { title: "Exchange fees come under regulator's review", link: "https://w.example/c", guid: "c" };
    const [one, later] = [
      { ...first, at: NOON - 3 * HOUR },
      { ...again, at: NOON - HOUR },
    ];
    const { topics, items } = await shown(one, later, { ...other, at: NOON - 4 * HOUR });
    expect(items).toBe(5);
    expect(topics[0]!).toMatchObject({ size: 2, sources: ["Wire"], items: [{ url: later.link }, { url: other.link }] });
    const alone = await shown(later, { ...other, at: NOON - 4 * HOUR });
    expect(topics[0]!.heat).toBe(alone.topics[0]!.heat);
  });

  test("does not make a story of it, unless it comes on another day", async () => {
    const one = await shown({ ...first, at: NOON - 3 * HOUR }, { ...again, at: NOON - HOUR });
    expect(one).toMatchObject({ items: 4, topics: [{ size: 2 }] });
    const daily = await shown({ ...first, at: NOON - 25 * HOUR }, { ...again, at: NOON - HOUR });
    expect(daily.topics.map(({ size }) => size)).toEqual([2, 2]);
  });
});
