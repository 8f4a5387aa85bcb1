import { describe, expect, test } from "vitest";
import { feedItems } from "../../../src/news/items/feed-item.ts";
import type { ListedItem } from "../../../src/news/items/stored-items.ts";
import { buildTopics, countRebuilt } from "../../../src/news/topics/build-topics.ts";
import { NOON } from "../world.ts";

const SOURCE = { id: "s", kind: "news", name: "S", location: "https://s.example/feed", lang: "en" } as const;
const item = (title: string): ListedItem => {
  const entry = { guid: title, link: "", title, summary: "", author: "", published: NOON, categories: [] };
  return feedItems(SOURCE, [entry], NOON)[0]!;
};
const at = ({ published_ms }: ListedItem): number => published_ms;
const ids = (items: readonly ListedItem[]): string[] => items.map(({ id }) => id);

const BRIDGE = [
  "Attacker drains $87 million from Tidepool bridge",
  "Tidepool bridge drained of $87 million",
  "Tidepool bridge attacker took $87 million",
].map(item);
const MERGER = ["Ridgeline Mining and Cobalt Hash merge", "Cobalt Hash and Ridgeline Mining to merge"].map(item);

describe("a topic", () => {
  test("keeps the id of the earlier one that it shares most members with", async () => {
    const earlier = [
      { id: "t-small", item_ids: ids(BRIDGE).slice(0, 1) },
      { id: "t-large", item_ids: ids(BRIDGE).slice(1) },
      { id: "t-gone", item_ids: ["n0"] },
    ];
    const topics = await buildTopics([...BRIDGE, ...MERGER], at, earlier);
    expect(topics).toHaveLength(2);
    expect(topics[0]!.id).toBe("t-large");
    expect(topics[1]!.id).not.toMatch(/^t-/);
  });

  test("counts as rebuilt when it is new or its members changed, in whatever order", async () => {
    const topics = await buildTopics([...BRIDGE, ...MERGER], at, []);
    expect(countRebuilt(topics, [])).toBe(2);
    expect(
      countRebuilt(
        topics,
        topics.map((topic) => ({ ...topic, item_ids: topic.item_ids.toReversed() })),
      ),
    ).toBe(0);
    const grown = await buildTopics([...BRIDGE, ...MERGER.slice(0, 1)], at, topics);
    expect(countRebuilt(grown, topics)).toBe(0);
    expect(countRebuilt(await buildTopics([...BRIDGE.slice(1), ...MERGER], at, topics), topics)).toBe(1);
  });
});
