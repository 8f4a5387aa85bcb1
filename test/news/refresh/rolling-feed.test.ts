import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serve, type TestServer } from "../server.ts";
import { createWorld, HOUR, NOON, rss, type Story, type World } from "../world.ts";

let world: World;
let server: TestServer;
const feeds = new Map<string, string>();
beforeEach(async () => {
  world = await createWorld();
  server = await serve((request, response) => response.end(feeds.get(request.url!)));
});
afterEach(async () => {
  await server.close();
  await world.close();
});

const open = (...ids: string[]) =>
  world.news({
    sources: ids.map((id) => ({ id, name: id, lang: "en", url: `${server.url}/${id}`, allow_private: true })),
  });
const PAGE = "https://flash.example/live";
const story = (n: number, more: Partial<Story> = {}): Story => ({
  ...{ title: ["Ferry returns", "Bank fails", "Oil rises"][n]!, guid: `g${n}`, link: PAGE, at: NOON - (3 - n) * HOUR },
  ...more,
});

/** Refreshes with each document of the feed in turn. */
async function roll(news: ReturnType<World["news"]>, id: string, ...documents: Story[][]) {
  const updated: number[] = [];
  for (const stories of documents) {
    feeds.set(`/${id}`, rss(stories));
    updated.push((await news.refresh("view")).news_updated_count);
  }
  return { updated, titles: (await news.current()).items.map(({ title }) => title) };
}

describe("a feed of one entry at a time", () => {
  it.for([
    ["a page for all", PAGE],
    ["the front page", "https://flash.example/"],
  ] as const)("keeps each under its identifier where all link to %s", async ([, link]) => {
    const [one, two, three] = [0, 1, 2].map((n) => story(n, { link }));
    const { updated, titles } = await roll(open("a"), "a", [one!], [two!], [three!], [three!], [two!, three!], [one!]);
    expect(titles).toEqual(["Oil rises", "Bank fails", "Ferry returns"]);
    expect(updated).toEqual([1, 1, 1, 0, 0, 0]);
  });

  it("keeps entries without an identifier where they link to the front page", async () => {
    const link = "https://flash.example";
    const { titles } = await roll(open("a"), "a", ...[0, 1, 1].map((n) => [story(n, { link, guid: "" })]));
    expect(titles).toEqual(["Bank fails", "Ferry returns"]);
  });

  it("keeps a column of one title", async () => {
    const column = (n: number) => [story(0, { guid: `g${n}`, at: NOON - (3 - n) * 24 * HOUR })];
    expect((await roll(open("a"), "a", column(0), column(1), column(1))).titles).toHaveLength(2);
  });

  it.for([["links"], ["no links"]] as const)(
    "keeps what had an identifier that it gives to several, with %s",
    async ([links]) => {
      const one = (n: number, title: string): Story => {
        const { link: _, ...linkless } = story(0, { title, guid: "x", at: NOON - (9 - n) * HOUR });
        return links === "links" ? { ...linkless, link: `https://flash.example/p/${n}` } : linkless;
      };
      const [rome, paris, oslo] = [one(1, "One in Rome"), one(2, "Two in Paris"), one(3, "Three in Oslo")];
      const [riga, lima] = [one(4, "Four in Riga"), one(5, "Five in Lima")];
      const { titles } = await roll(open("a"), "a", [rome, paris], [paris, oslo], [riga], [lima]);
      expect(titles.sort()).toEqual(["Five in Lima", "Four in Riga", "One in Rome", "Three in Oslo", "Two in Paris"]);
    },
  );

  it("keeps two pages of one title that it lists together", async () => {
    const wrap = (n: number): Story =>
      story(0, { guid: "", link: `https://flash.example/p/${n}`, at: NOON - n * HOUR });
    const { titles } = await roll(open("a"), "a", [wrap(5)], [wrap(5), wrap(1)], [wrap(5), wrap(1)]);
    expect(titles).toHaveLength(2);
  });

  it("keeps what has no date once, at the time when it was first seen", async () => {
    const undated = (n: number): Story => {
      const { at: _, guid: __, ...rest } = story(n);
      return rest;
    };
    const news = open("a");
    await roll(news, "a", [undated(0)]);
    world.clock.advance(14 * HOUR);
    await roll(news, "a", [undated(1), undated(0)]);
    const items = (await news.current()).items.map(({ title, published_at }) => [title, published_at]);
    expect(items).toEqual([
      ["Bank fails", new Date(NOON + 14 * HOUR).toISOString()],
      ["Ferry returns", new Date(NOON).toISOString()],
    ]);
  });

  it("keeps the date of what is listed later without it", async () => {
    const { at: _, ...undated } = story(0);
    const news = open("a");
    await roll(news, "a", [story(0)], [undated]);
    feeds.set("/a", rss([undated, story(1, { at: NOON - 18 * HOUR, link: "https://flash.example/2" })]));
    await news.refresh("view");
    expect((await news.current()).items.map(({ title }) => title)).toEqual(["Ferry returns", "Bank fails"]);
  });

  it("does not hide the same link of another source from then on", async () => {
    const news = open("a", "b");
    feeds.set("/b", rss([story(2, { guid: "other" })]));
    const { titles } = await roll(news, "a", [story(0)], [story(1)], [story(1)]);
    expect(titles.sort()).toEqual(["Bank fails", "Ferry returns"]);
    const after = await roll(news, "b", [{ ...story(2, { guid: "third" }), title: "Rain falls" }]);
    expect(after.titles).toContain("Rain falls");
  });
});

describe("one article is one item", () => {
  it("by its link from two sources, whatever their titles and identifiers, refresh after refresh", async () => {
    const news = open("a", "b");
    feeds.set("/b", rss([story(1, { guid: "b1" })]));
    const { titles } = await roll(news, "a", [story(0)], [story(0)]);
    expect(titles).toEqual(["Ferry returns"]);
    expect((await roll(news, "b", [story(2, { guid: "b2" })])).titles).toEqual(["Ferry returns"]);
  });

  it("which counts for the source that shows it, and is counted apart for the other", async () => {
    feeds.set("/b", rss([story(0), story(1, { link: "https://flash.example/2" })]));
    const news = open("a", "b");
    await roll(news, "a", [story(0, { at: NOON - 9 * HOUR })]);
    const { sources } = await news.status();
    expect(sources).toMatchObject([
      { id: "a", items: 1, elsewhere: 0 },
      { id: "b", items: 2, elsewhere: 1 },
    ]);
  });

  it("when its feed counts revisions in the identifier", async () => {
    const guid = "https://flash.example/live";
    const { titles } = await roll(open("a"), "a", [story(0, { guid: `${guid}#0` })], [story(1, { guid: `${guid}#1` })]);
    expect(titles).toEqual(["Bank fails"]);
  });
});

it("an item counts as updated only when its words change", async () => {
  const one = story(0, { summary: "A ferry is back." });
  const { updated, titles } = await roll(
    open("a"),
    "a",
    [one],
    [{ ...one, at: NOON - HOUR / 2 }],
    [{ ...one, link: "https://flash.example/other" }],
    [{ ...one, title: "FERRY  returns" }],
    [{ ...one, title: "Ferry returns −5%" }],
    [{ ...one, title: "Ferry returns +5%" }],
  );
  expect([updated, titles]).toEqual([[1, 0, 0, 0, 1, 1], ["Ferry returns +5%"]]);
});

describe("an item of one text and date is one, whatever its link and identifier are", () => {
  const shown = async () => (await world.news({ sources: [] }).current()).items;
  const many = [0, 1].map((n) => story(n, { link: `https://old.example/${n}`, summary: `Text ${n}` }));
  const linkless = (guid: string) =>
    many.map((one, n) => {
      const { link: _, ...rest } = one;
      return { ...rest, guid: `${guid}${n}` };
    });

  it("without a link, under an identifier that is new at each fetch", async () => {
    const { updated } = await roll(open("a"), "a", linkless("1"), linkless("2"), linkless("3"), linkless("4"));
    expect(updated).toEqual([2, 0, 0, 0]);
    expect(await shown()).toHaveLength(2);
  });

  it("on another host, with other identifiers: its id and date stay, its link does not", async () => {
    const moved = many.map((one, n) => ({ ...one, guid: `new${n}`, link: `https://new.example/${9 - n}` }));
    const news = open("a");
    await roll(news, "a", many);
    const before = await shown();
    const { updated } = await roll(news, "a", moved, moved, moved.toReversed());
    expect(updated).toEqual([0, 0, 0]);
    const links = ["https://new.example/8", "https://new.example/9"];
    expect(await shown()).toMatchObject(
      before.map(({ id, published_at }, n) => ({ id, published_at, url: links[n] as string })),
    );
  });

  it("but two that its feed lists together stay two, also where both are given other links", async () => {
    const live = (host: string) => (n: number) =>
      story(0, { title: "Live: markets today", guid: `${host}${n}`, link: `https://${host}.example/${n}` });
    const [old, next] = [live("old"), live("new")];
    const news = open("a");
    const counts: number[] = [];
    for (const listing of [[old(1)], [old(1), old(2)], [old(2)], [old(2), old(1)], [next(1), next(2)], [next(2)]]) {
      await roll(news, "a", listing);
      counts.push((await shown()).length);
    }
    expect(counts).toEqual([1, 2, 2, 2, 2, 2]);
  });

  it("but other summaries, dates and sources are other items", async () => {
    const [one] = many as [Story];
    const other = { ...one, guid: "x", link: "https://other.example/" };
    await roll(open("a"), "a", [one]);
    await roll(open("a"), "a", [one], [{ ...other, summary: "Another" }]);
    feeds.set("/b", rss([other]));
    await roll(open("a", "b"), "a", [one]);
    expect((await shown()).map(({ source }) => source).sort()).toEqual(["a", "a", "b"]);
  });
});

it("a link that several items share without its mark is shown with it, also when it is listed alone", async () => {
  const marked = [0, 1, 2].map((n) => {
    return story(n, { guid: "", link: `https://gov.example/a?ref=${n}&utm_source=x` });
  });
  const news = open("a");
  const links = async () => (await news.current()).items.map(({ url }) => url);
  await roll(news, "a", marked);
  const all = [2, 1, 0].map((n) => `https://gov.example/a?ref=${n}`);
  expect(await links()).toEqual(all);
  const { updated } = await roll(news, "a", [marked[1]!], marked.slice(1), [marked[2]!]);
  expect([updated, await links()]).toEqual([[0, 0, 0], all]);
  await roll(news, "a", [story(0, { link: "https://gov.example/b?ref=rss" })]);
  expect(await links()).toContain("https://gov.example/b");
});

describe("the date of an item whose text stays", () => {
  const dateAfter = async (...dates: (number | string)[]) => {
    const news = open("a");
    for (const at of dates) {
      world.clock.advance(HOUR / 4);
      const text = typeof at === "string" ? `<updated>${at}</updated>` : "";
      const { at: _, ...undated } = story(0);
      feeds.set(
        "/a",
        rss([typeof at === "number" ? { ...undated, at } : undated]).replace("</item>", `${text}</item>`),
      );
      await news.refresh("view");
    }
    return Date.parse((await news.current()).items[0]!.published_at) - NOON;
  };

  it("is the first, where its feed dates all to the present", async () => {
    expect(await dateAfter(...[1, 2, 3].map((n) => NOON + (n * HOUR) / 4))).toBe(HOUR / 4);
    await dateAfter(NOON + HOUR);
    expect((await open("a").refresh("view")).topic_rebuild_count).toBe(0);
  });

  it("is an earlier one that its feed gives later", async () => {
    expect(await dateAfter(NOON, NOON - HOUR)).toBe(-HOUR);
  });

  it("is not when its feed updated it", async () => {
    const iso = (at: number) => new Date(at).toISOString();
    expect(await dateAfter(iso(NOON - HOUR), iso(NOON), iso(NOON + HOUR / 2))).toBe(-HOUR);
  });
});
