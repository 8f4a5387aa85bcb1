import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

let world: World;
const servers: TestServer[] = [];
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await world.close();
});

const FIVE = [1, 2, 3, 4, 5].map((n) => ({ title: `Story ${n} of x${n}`, guid: `g${n}`, at: NOON - n * 24 * HOUR }));
const serveFeed = async (body: string) => {
  const server = await serve((request, response) => {
    response.setHeader("etag", '"1"');
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.end(body);
  });
  servers.push(server);
  return server;
};

it.for([
  ["max_items", { max_items: 2 }, {}, 2, 5],
  ["max_age_days", { max_age_days: 3 }, {}, 3, 5],
  ["lang", {}, { lang: "zh" }, 5, 5],
  ["timezone", {}, { timezone: "Europe/London" }, 5, 5],
] as const)("an unchanged feed is read again once %s has changed", async ([, config, source, before, after]) => {
  const { url, requests } = await serveFeed(rss(FIVE));
  const refresh = async (settings: object, more: object) => {
    const news = world.news({
      ...settings,
      sources: [{ id: "a", name: "A", lang: "en", url, allow_private: true, ...more }],
    });
    await news.refresh("view");
    return (await news.current()).items.length;
  };
  expect(await refresh(config, source)).toBe(before);
  expect(await refresh(config, source)).toBe(before);
  expect(await refresh({}, {})).toBe(after);
  expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', undefined]);
});

it("an unchanged help center is read again where another build has read it otherwise", async () => {
  const { url, requests } = await serveFeed(JSON.stringify({ articles: [{ id: "a", title: "A", body: "B." }] }));
  const storage = await openStorage("memory:");
  const refresh = (): Promise<unknown> =>
    world.news({ sources: [], help: { en: url }, allow_private: true }, { storage }).refresh("full");
  await refresh();
  await refresh();
  for await (const key of storage.keys(["news", "snapshot"])) {
    const text = (await storage.get(key))!;
    await storage.put(key, text.replace(/"settings":"\{\\"reader\\":\d+\}",?/, ""));
  }
  await refresh();
  expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', undefined]);
});

it.for(["RSS", "JSON Feed"])(
  "entries of %s beyond the bound are counted apart, and the source is named",
  async (format) => {
    const many = Array.from({ length: 1300 }, (_, n) => ({
      title: `Story ${n}`,
      id: `g${n}`,
      guid: `g${n}`,
      at: NOON - HOUR,
    }));
    const { url } = await serveFeed(format === "RSS" ? rss(many) : JSON.stringify({ items: many }));
    const news = world.news({ sources: [{ id: "wire", name: "A", lang: "en", url, allow_private: true }] });
    await news.refresh("view");
    const [source] = (await news.status()).sources;
    expect(source!.last_read).toMatchObject({ read: 1300, kept: 1000, excess: 300, cut: 0 });
    const message = "the news source wire: 300 not kept, as a feed's 1000 newest are";
    expect(world.log).toMatchObject([{ level: "warn", fields: { source: "wire", excess: 300 }, message }]);
  },
);

it("healthy sources are read while many others drip", async () => {
  const drip = await Promise.all(
    Array.from({ length: 30 }, () => serve((_, response) => void response.writeHead(200).write("<"))),
  );
  servers.push(...drip);
  const { url } = await serveFeed(rss(FIVE));
  const sourceOf = (id: string, at: string) => ({ id, name: id, lang: "en", url: at, allow_private: true });
  const news = world.news(
    {
      sources: [...drip.map((server, n) => sourceOf(`d${n}`, server.url)), sourceOf("healthy", url)],
      timeout_ms: 60_000,
    },
    { slowMs: 20 },
  );
  const refreshed = news.refresh("view").catch(() => undefined);
  await expect.poll(() => news.reading()?.read, { timeout: 20_000 }).toBe(1);
  await news.close();
  await refreshed;
});

/** Serves with validators, or writes a file: a feed that stays the same byte for byte. */
const FEED_KINDS = ["over HTTP", "in a file"] as const;

describe.each(FEED_KINDS)("an unchanged feed %s", (kind) => {
  const openFeed = async (body: string) => {
    if (kind === "over HTTP") return { url: (await serveFeed(body)).url, allow_private: true };
    await world.write("wire.xml", body);
    return { url: "wire.xml" };
  };
  const refreshAt = async (source: object, at: number) => {
    world.clock.set(at);
    const news = world.news({ sources: [{ id: "a", name: "A", lang: "en", ...source }] });
    await news.refresh("full");
    const items = (await news.current()).items.map(({ title, published_at }) => [title, published_at] as const);
    return { items, ...(await news.status()).sources[0]!.last_read };
  };
  const DATED = FIVE.map(({ title, at }) => [title, new Date(at).toISOString()]);

  it.for([
    ["100 days ahead", NOON + 100 * 24 * HOUR],
    ["100 days behind", NOON - 100 * 24 * HOUR],
    ["31 days behind, then ahead", NOON - 31 * 24 * HOUR, NOON + 31 * 24 * HOUR],
  ] as const)("is dated and aged by the present clock after one that was %s", async ([, ...wrong]) => {
    const source = await openFeed(rss(FIVE));
    for (const at of wrong) await refreshAt(source, at);
    expect(await refreshAt(source, NOON)).toMatchObject({ items: DATED, read: 5, kept: 5, old: 0 });
    expect(await refreshAt(source, NOON + HOUR)).toMatchObject({ items: DATED, kept: 5 });
  });

  it("keeps its items where a clock was ahead between two right ones", async () => {
    const source = await openFeed(rss(FIVE));
    await refreshAt(source, NOON);
    expect((await refreshAt(source, NOON + 100 * 24 * HOUR)).items).toEqual([]);
    expect((await refreshAt(source, NOON + HOUR)).items).toEqual(DATED);
  });

  it("has no undated items of the future once the clock is right", async () => {
    const source = await openFeed(rss([{ title: "Undated", guid: "u" }]));
    await refreshAt(source, NOON + 100 * 24 * HOUR);
    expect((await refreshAt(source, NOON)).items).toEqual([["Undated", new Date(NOON).toISOString()]]);
  });
});

it("a feed that failed under a clock ahead is read anew under the right one, once it answers", async () => {
  let isUp = true;
  const server = await serve((request, response) => {
    response.setHeader("etag", '"1"');
    if (!isUp) response.writeHead(500).end();
    else if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.end(rss(FIVE));
  });
  servers.push(server);
  const source = { id: "a", name: "A", lang: "en", url: server.url, allow_private: true };
  const countAt = async (at: number, up: boolean) => {
    world.clock.set(at);
    isUp = up;
    const news = world.news({ sources: [source] });
    await news.refresh("view");
    return (await news.current()).items.length;
  };
  expect(await countAt(NOON, true)).toBe(5);
  expect(await countAt(NOON + 100 * 24 * HOUR, false)).toBe(0);
  expect(await countAt(NOON, false)).toBe(0);
  expect(await countAt(NOON + HOUR, true)).toBe(5);
});
