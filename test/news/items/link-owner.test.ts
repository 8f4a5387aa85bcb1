import { describe, expect, it } from "vitest";
import { mergeItems } from "../../../src/news/items/dedupe.ts";
import { feedItems } from "../../../src/news/items/feed-item.ts";
import type { ListedItem } from "../../../src/news/items/stored-items.ts";
import type { Source } from "../../../src/news/sources/sources.ts";
import { HOUR, NOON, type Story } from "../world.ts";

describe("the owner of a link", () => {
  const source = (id: string, location: string): Source => ({ id, name: id, kind: "news", location, lang: "en" });
  const listed = (from: Source, ...stories: Story[]): ListedItem[] =>
    feedItems(
      from,
      stories.map(({ title, link = "", at = NOON }) => {
        return { title, link, summary: "", guid: "", author: "", published: at, categories: [] };
      }),
      NOON,
    );
  const story = (title: string, link: string, hours: number): Story => ({ title, link, at: NOON - hours * HOUR });

  it.each([
    ["its site under a country", "https://feeds.gazette.co.uk/all.xml", "https://www.gazette.co.uk/a"],
    ["its site with a port", "http://gazette.example:8080/rss", "https://news.gazette.example/a"],
    ["its blog at a host of many", "https://gazette.github.io/feed", "https://gazette.github.io/a"],
  ])("is the feed of %s, though another lists more of its links", (_, location, link) => {
    const [evil, gazette] = [source("evil", "https://rival.github.io/feed"), source("gazette", location)];
    const claims = [1, 2, 3].map((n) => story(`False title ${n}`, `${link}${n}`, 9));
    const items = mergeItems(
      [],
      [...listed(evil, ...claims), ...listed(gazette, story("True title", `${link}1`, 1))],
      undefined,
      new Map([evil, gazette].map(({ id, location: url }) => [id, url])),
    );
    expect(items.map(({ title, source_ids }) => [title, source_ids])).toEqual([
      ["True title", ["gazette", "evil"]],
      ["False title 2", ["evil"]],
      ["False title 3", ["evil"]],
    ]);
    expect(items[0]!.id).toBe(listed(evil, claims[0]!)[0]!.id);
  });

  it("is the first that lists it where no feed is of its site", () => {
    const [one, two] = [source("one", "https://one.example/f"), source("two", "https://two.example/f")];
    const link = "https://elsewhere.example/a";
    const both = [...listed(two, story("Later", link, 1)), ...listed(one, story("Earlier", link, 2))];
    const items = mergeItems(
      [],
      both,
      undefined,
      new Map([
        ["one", one.location],
        ["two", two.location],
      ]),
    );
    expect(items).toMatchObject([{ title: "Earlier", source_ids: ["one", "two"] }]);
  });

  it("takes it over from one that listed it before, whichever is read first, and keeps it", () => {
    const [evil, honest] = [source("evil", "https://evil.example/f"), source("honest", "https://www.honest.example/f")];
    const urls = new Map([evil, honest].map(({ id, location }) => [id, location]));
    const link = "https://honest.example/story";
    const [theirs, own] = [listed(evil, story("False", link, 5)), listed(honest, story("True", link, 2))];
    const before = mergeItems([], theirs, undefined, urls);
    expect(before).toMatchObject([{ title: "False", source_ids: ["evil"] }]);
    const after = mergeItems(before, [...theirs, ...own], undefined, urls);
    expect(after).toMatchObject([
      { id: before[0]!.id, title: "True", source_ids: ["honest", "evil"], published_ms: NOON - 2 * HOUR },
    ]);
    expect(mergeItems([], [...own, ...theirs], undefined, urls)).toEqual(after);
    expect(mergeItems(after, theirs, undefined, urls)).toEqual(after);
  });
});
