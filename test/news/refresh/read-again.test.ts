import { afterEach, beforeEach, expect, it } from "vitest";
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
  "entries of %s beyond the bound are counted as cut, and the source is named",
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
    expect(source!.last_read).toMatchObject({ read: 1300, kept: 1000, cut: 300 });
    const message = "the news source wire: 300 more than are read";
    expect(world.log).toMatchObject([{ level: "warn", fields: { source: "wire", cut: 300 }, message }]);
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
