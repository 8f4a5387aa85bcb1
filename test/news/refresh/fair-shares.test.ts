import { afterEach, beforeEach, expect, test } from "vitest";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

let world: World;
let server: TestServer;
const feeds = new Map<string, string>();
beforeEach(async () => {
  world = await createWorld();
  feeds.clear();
  server = await serve((request, response) => {
    const tag = `"${(feeds.get(request.url!) ?? "").length}-${feeds.get(request.url!)?.slice(-80)}"`.replace(
      /[^\w"-]/g,
      "",
    );
    if (request.headers["if-none-match"] === tag) response.writeHead(304).end();
    else response.setHeader("etag", tag).end(feeds.get(request.url!));
  });
});
afterEach(async () => {
  await server.close();
  await world.close();
});

const open = (ids: readonly string[], max_items: number) =>
  world.news({
    sources: ids.map((id) => ({ id, name: id, lang: "en", url: `${server.url}/${id}`, allow_private: true })),
    max_items,
  });
const list = (id: string, count: number, from = 0, at = NOON - 30 * HOUR) =>
  feeds.set(
    `/${id}`,
    rss(
      Array.from({ length: count }, (_, n) => ({
        title: `${id} reports number ${from + n} of its stories`,
        link: `https://${id}.example/${from + n}`,
        at: at - n * 60_000,
      })),
    ),
  );

type News = ReturnType<typeof open>;
async function counts(news: News) {
  const { sources } = await news.status();
  return Object.fromEntries(sources.map(({ id, items, last_read }) => [id, [items, last_read?.kept, last_read?.cut]]));
}

test("a feed that lists a thousand new items at each poll leaves the others theirs", async () => {
  const honest = ["a", "b", "c"];
  for (const id of honest) list(id, 4);
  const news = open([...honest, "evil"], 300);
  for (let poll = 0; poll < 3; poll++) {
    list("evil", 200, 200 * poll, NOON - (2 - poll) * 5 * HOUR);
    await news.refresh("view");
    expect(await counts(news)).toMatchObject({ a: [4, 4, 0], b: [4, 4, 0], c: [4, 4, 0] });
  }
  expect(await counts(news)).toMatchObject({ evil: [288, 200, 0] });
  await news.close();
});

test.each([[["a", "b", "c"]], [["c", "a", "b"]], [["b", "c", "a"]]])(
  "the largest sources are cut first, in any order: %s",
  async (ids) => {
    list("a", 2);
    list("b", 9, 0, NOON);
    list("c", 12, 0, NOON - HOUR);
    const news = open(ids, 13);
    await news.refresh("view");
    expect(await counts(news)).toEqual({ a: [2, 2, 0], b: [6, 6, 3], c: [5, 5, 7] });
    const { items } = await news.current();
    expect(items.filter(({ source }) => source === "c").map(({ title }) => title)).toEqual(
      [0, 1, 2, 3, 4].map((n) => `c reports number ${n} of its stories`),
    );
    await news.close();
  },
);

test("what an unchanged feed lost is counted, and comes back when there is room", async () => {
  list("a", 8);
  const alone = open(["a"], 10);
  await alone.refresh("view");
  await alone.close();
  list("evil", 50, 0, NOON);
  const news = open(["a", "evil"], 10);
  await news.refresh("view");
  expect(await counts(news)).toEqual({ a: [5, 5, 3], evil: [5, 5, 45] });
  await news.refresh("view");
  expect(await counts(news)).toEqual({ a: [5, 5, 3], evil: [5, 5, 45] });
  expect((await news.status()).sources.map(({ unchanged }) => unchanged)).toEqual([true, true]);
  await news.close();
  const after = open(["a"], 10);
  await after.refresh("view");
  await after.refresh("view");
  expect(await counts(after)).toEqual({ a: [8, 8, 0] });
  await after.refresh("view");
  expect((await after.status()).sources).toMatchObject([{ unchanged: true }]);
  await after.close();
});

test("a single feed of more than the limit is not read again while it is unchanged", async () => {
  list("a", 20);
  const news = open(["a"], 10);
  for (const unchanged of [false, true, true]) {
    await news.refresh("view");
    expect(await counts(news)).toEqual({ a: [10, 10, 10] });
    expect((await news.status()).sources).toMatchObject([{ unchanged }]);
  }
  await news.close();
});
