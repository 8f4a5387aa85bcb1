import { describe, expect, test } from "vitest";
import { mergeItems } from "../../../src/news/items/dedupe.ts";
import { feedItems } from "../../../src/news/items/feed-item.ts";
import type { Source } from "../../../src/news/sources/sources.ts";
import type { ListedItem } from "../../../src/news/items/stored-items.ts";
import { HOUR, NOON } from "../world.ts";

const source = (id: string, name = id): Source => ({
  id,
  name,
  kind: "news",
  location: `https://${id}.example/feed`,
  lang: "en",
});
const A = source("a");
interface Told {
  title: string;
  summary?: string;
  link?: string;
  guid?: string;
  at?: number | null;
}
const listed = (from: Source, ...told: Told[]): ListedItem[] =>
  feedItems(
    from,
    told.map(({ title, summary = "", link = "", guid = "", at = NOON - HOUR }) => ({
      title,
      summary,
      link,
      guid,
      author: "",
      published: at,
      categories: [],
    })),
    NOON,
  );
const titles = (items: readonly ListedItem[]): string[] => items.map(({ title }) => title);

const LONG = "Bitcoin climbs above one hundred five thousand dollars in early trading";
const SUMMARY = "The asset rose by four percent as short sellers covered their positions on several venues.";

test("an entry that is listed again makes the same item, unless its feed, its settings or the entries beside it changed", () => {
  const entry = { title: "x", summary: "", link: "https://n.example/1", guid: "g", author: "", categories: [] };
  const one = { ...entry, published: NOON - HOUR };
  const [first] = feedItems(A, [one], NOON);
  expect(feedItems({ ...A }, [one], NOON + HOUR)[0]).toBe(first);
  expect(feedItems(source("b"), [one], NOON)).toMatchObject([{ id: first!.id, source_ids: ["b"], source: "b" }]);
  expect(feedItems(source("a", "Renamed"), [one], NOON)).toMatchObject([{ source: "Renamed" }]);
  const [beside] = feedItems(A, [one, { ...one, title: "y" }], NOON);
  expect(beside!.id).not.toBe(first!.id);
  expect(feedItems(A, [one], NOON)).toEqual([first]);
  const undated = { ...entry, published: null };
  expect([NOON, NOON + HOUR].map((now) => feedItems(A, [undated], now)[0]!.published_ms)).toEqual([NOON, NOON + HOUR]);
  const ahead = { ...entry, published: NOON + HOUR / 2 };
  const seen = [NOON, NOON + HOUR].map((now) => feedItems(A, [ahead], now)[0]!.published_ms);
  expect(seen).toEqual([NOON, NOON + HOUR / 2]);
});

test("an item that its feed lists unchanged stays the same object, and one with any other field does not", () => {
  const [item] = listed(A, { title: "x", link: "https://n.example/1" }) as [ListedItem];
  const known: ListedItem = { ...item, sentiment: "positive" };
  expect(mergeItems([known], [{ ...item }])[0]).toBe(known);
  for (const change of [{ author: "Ann" }, { symbols: ["BTC"] }, { categories: ["c"] }, { guid: "g" }, { url: "" }])
    expect(mergeItems([known], [{ ...item, ...change }])).toEqual([{ ...known, ...change }]);
});

describe("one story is one item", () => {
  test("when a feed links to one page twice", () => {
    const items = mergeItems(
      [],
      listed(
        A,
        { title: "x", link: "https://n.example/1?utm_source=a" },
        { title: "x", link: "https://www.n.example/1" },
      ),
    );
    expect(titles(items)).toEqual(["x"]);
  });

  test("when a feed lists it twice; the first listing stays", () => {
    const twice = listed(
      A,
      { title: "x", summary: "one", link: "https://n.example/1" },
      { title: "x", summary: "two", link: "https://n.example/1" },
    );
    const items = mergeItems([], twice);
    expect(items).toMatchObject([{ summary: "one" }]);
    expect(mergeItems(items, twice)).toEqual(items);
  });

  test("when another feed lists the same page; the first to publish keeps showing it", () => {
    const first = listed(A, { title: "original", link: "https://n.example/1", at: NOON - 2 * HOUR });
    const copy = listed(source("b"), { title: "copy", link: "https://n.example/1?utm_source=b" });
    const items = mergeItems([], [...copy, ...first]);
    expect(items).toMatchObject([{ title: "original", source: "a", source_ids: ["a", "b"] }]);
    expect(mergeItems(items, [...copy, ...first])).toEqual(items);
  });

  test("when a feed moves it to another page under the same identifier; the id and the date stay", () => {
    const before = mergeItems([], listed(A, { title: "x", guid: "g", link: "https://n.example/1", at: null }));
    const after = mergeItems(before, listed(A, { title: "x!", guid: "g", link: "https://n.example/2", at: null }));
    expect(after).toMatchObject([{ id: before[0]!.id, title: "x!", published_ms: before[0]!.published_ms }]);
  });

  test("when two feeds of an outlet have it under the same title", () => {
    const items = listed(A, { title: LONG, summary: SUMMARY, link: "https://n.example/1" });
    const again = listed(source("a2", "a"), { title: `${LONG.toUpperCase()}!`, link: "https://n.example/2" });
    expect(mergeItems([], [...items, ...again])).toHaveLength(1);
  });
});

describe("two stories stay two items", () => {
  test("when two outlets report them in the same words", () => {
    const items = listed(A, { title: LONG, summary: SUMMARY, link: "https://n.example/1" });
    const other = listed(source("b"), { title: LONG, summary: SUMMARY, link: "https://m.example/1" });
    expect(mergeItems([], [...items, ...other])).toHaveLength(2);
  });

  test("when one feed gives them identifiers and links of their own, however alike they are", () => {
    const told = (coin: string): Told => ({
      title: `Notice on the upcoming removal of selected cross margin trading pairs for ${coin}`,
      ...{ link: `https://n.example/${coin}`, guid: coin, summary: SUMMARY },
    });
    const both = mergeItems([], listed(A, told("AAVE"), told("LINK")));
    expect(titles(both)).toHaveLength(2);
    expect(titles(mergeItems(mergeItems([], listed(A, told("AAVE"))), listed(A, told("LINK"))))).toHaveLength(2);
    const wrap = { title: "Daily market wrap", link: "https://n.example/1", guid: "1" };
    const later = { ...wrap, link: "https://n.example/2", guid: "2", at: NOON };
    expect(mergeItems(mergeItems([], listed(A, wrap)), listed(A, wrap, later))).toHaveLength(2);
  });

  test("when an outlet words them nearly alike", () => {
    const items = listed(A, { title: LONG, summary: SUMMARY, link: "https://n.example/1" });
    const other = listed(source("a2", "a"), { title: `${LONG} hours`, summary: SUMMARY, link: "https://n.example/2" });
    expect(mergeItems([], [...items, ...other])).toHaveLength(2);
  });

  test("when the titles differ in a number", () => {
    const one = {
      title: "Bitcoin ETFs take in 300 million dollars on Monday in New York",
      summary: SUMMARY,
      link: "https://n.example/1",
    };
    expect(
      mergeItems([], listed(A, one, { ...one, title: one.title.replace("300", "500"), link: "https://n.example/2" })),
    ).toHaveLength(2);
  });

  test("when a column of the same title comes every morning", () => {
    const column = { title: "Morning brief: what to watch", at: NOON - 24 * HOUR, link: "https://n.example/1" };
    const items = listed(A, column, { ...column, at: NOON, link: "https://n.example/2" });
    expect(mergeItems([], items)).toHaveLength(2);
  });

  test("when a feed gives all entries one link or one identifier", () => {
    const one = listed(
      A,
      { title: "x", link: "https://n.example/", guid: "1" },
      { title: "y", link: "https://n.example/", guid: "2" },
    );
    expect(mergeItems([], one)).toHaveLength(2);
    const same = listed(
      A,
      { title: "x", link: "https://n.example/1", guid: "g" },
      { title: "y", link: "https://n.example/2", guid: "g" },
    );
    expect(mergeItems(mergeItems([], same), same)).toHaveLength(2);
  });
});

describe("entries without a link", () => {
  const entry = (title: string, guid = "") => ({
    title,
    guid,
    link: "",
    summary: "",
    author: "",
    published: NOON - HOUR,
    categories: [],
  });
  const feed = (...entries: ReturnType<typeof entry>[]): ListedItem[] => feedItems(A, entries, NOON);

  test("that come one at a time are different items", () => {
    const items = mergeItems(feed(entry("Ferries return")), feed(entry("Museum opens")));
    expect(items.map(({ title, url }) => [title, url])).toEqual([
      ["Ferries return", ""],
      ["Museum opens", ""],
    ]);
  });

  test("that share an identifier are all kept, again and again", () => {
    const four = () => feed(...["Ferries", "Museum", "Pensions", "Harbour"].map((title) => entry(title, "same")));
    const once = mergeItems([], four());
    expect(titles(once)).toEqual(["Ferries", "Museum", "Pensions", "Harbour"]);
    expect(mergeItems(once, four())).toEqual(once);
  });
});

test.each([
  ["a year ahead", NOON + 365 * 24 * HOUR],
  ["hours ahead", NOON + 2 * HOUR],
  ["a placeholder", Date.UTC(1970)],
])("a date that cannot be is none: %s", (_, at) => {
  expect(listed(A, { title: "x", at })).toMatchObject([{ dated: false, published_ms: NOON }]);
  expect(listed(A, { title: "x", at: NOON + HOUR / 2 })).toMatchObject([{ dated: true, published_ms: NOON }]);
});

test("an item that is listed again unchanged stays the same", () => {
  const items = mergeItems(
    [],
    listed(A, { title: "x", link: "https://n.example/1", at: null }, { title: "y", guid: "y" }),
  );
  const later = feedItems(
    A,
    [{ title: "x", link: "https://n.example/1", guid: "", summary: "", author: "", published: null, categories: [] }],
    NOON + HOUR,
  );
  expect(mergeItems(items, later)).toEqual(items);
});

test("the sentiment of a known item stays until its text changes", () => {
  const known = listed(A, { title: LONG, guid: "1" }).map((item) => ({ ...item, sentiment: "negative" as const }));
  const sentiments = (title: string) =>
    mergeItems(known, listed(A, { title, guid: "1" })).map((item) => item.sentiment);
  expect(sentiments(LONG)).toEqual(["negative"]);
  expect(sentiments(`${LONG} today`)).toEqual([undefined]);
});
