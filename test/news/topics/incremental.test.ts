import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeadlineMemory } from "../../../src/news/topics/headline-memory.ts";
import { buildTopics } from "../../../src/news/topics/build-topics.ts";
import type { ListedItem, StoredTopic } from "../../../src/news/items/stored-items.ts";
import { clusterHeadlines } from "../../../src/news/topics/cluster.ts";
import { detectLanguage } from "../../../src/language/detect-language.ts";
import { assetsInNews } from "../../../src/language/assets.ts";
import { HOUR, NOON } from "../world.ts";

const NAMES = ["Tidepool", "Ridgeline", "Cobalt", "Brill", "Tannic", "Sorrel", "Arbory", "Peridot"];
const EVENTS = [
  (name: string, n: number) => `Attacker drains $${n} million from ${name} bridge`,
  (name: string, n: number) => `${name} bridge exploit: $${n}M stolen by attacker`,
  (name: string, n: number) => `跨链桥 ${name} 遭攻击，损失约 ${n}00 万美元`,
  (name: string, n: number) => `${name} reports record quarterly profit of $${n} million`,
  (name: string, n: number) => `${name} profit rises to $${n} million in the quarter`,
];

function itemOf(title: string, hours: number): ListedItem {
  return {
    ...{ id: `n-${title}`, source_ids: ["s"], source: "S", guid: title, title, summary: "", url: "" },
    ...{ lang: detectLanguage(title, "en"), published_ms: NOON - hours * HOUR, dated: true, movable: false },
    ...{ symbols: assetsInNews(title), digest: title },
  };
}

const headline = fc
  .tuple(fc.constantFrom(...EVENTS), fc.constantFrom(...NAMES), fc.integer({ min: 10, max: 13 }), fc.nat(60))
  .map(([write, name, n, hours]) => itemOf(write(name, n), hours));
const headlines = fc.uniqueArray(headline, { minLength: 2, maxLength: 80, selector: ({ id }) => id });
const at = ({ published_ms }: ListedItem): number => published_ms;
const members = (topics: readonly StoredTopic[]) => topics.map(({ item_ids }) => item_ids.join("\n")).sort();

/** The topics after each of several refreshes, in which the items come and go. */
async function refreshed(states: readonly (readonly ListedItem[])[]): Promise<StoredTopic[]> {
  const memory = new HeadlineMemory();
  let topics: StoredTopic[] = [];
  for (const items of states) topics = await buildTopics(items, at, topics, undefined, memory);
  return topics;
}

/** The same, each continued from the one before. @param memory of a process that lives on; without, each is made by a new one */
async function continued(states: readonly (readonly ListedItem[])[], memory: HeadlineMemory | undefined) {
  let topics: StoredTopic[] = [];
  for (const [refresh, items] of states.entries()) {
    const before = new Set((states[refresh - 1] ?? []).map(({ id }) => id));
    const fresh = new Set(items.flatMap(({ id }) => (before.has(id) ? [] : id)));
    topics = await buildTopics(items, at, topics, undefined, memory, refresh === 0 ? undefined : fresh);
  }
  return topics;
}

describe("topics", () => {
  test("are the same whatever came before, and in which order", async () => {
    const arrivals = headlines.chain((items) =>
      fc.record({
        items: fc.constant(items),
        shuffled: fc.shuffledSubarray(items, { minLength: items.length }),
        before: fc.array(fc.shuffledSubarray(items), { maxLength: 3 }),
        gone: fc.uniqueArray(headline, { maxLength: 10, selector: ({ id }) => id }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ items, shuffled, before, gone }) => {
        const topics = await refreshed([gone, ...before, shuffled]);
        expect(members(topics)).toEqual(members(await refreshed([items])));
      }),
      { numRuns: 40 },
    );
  });

  test("that are continued are the same in whichever order their items come, and in each process", async () => {
    const arrivals = headlines.chain((items) =>
      fc.record({
        items: fc.constant(items),
        shuffled: fc.shuffledSubarray(items, { minLength: items.length }),
        moments: fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 5 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ items, shuffled, moments }) => {
        const hours = [...moments.sort((a, b) => b - a), 0];
        const states = (from: readonly ListedItem[]) =>
          hours.map((hour) => from.filter((item) => at(item) <= NOON - hour * HOUR));
        const topics = await continued(states(items), new HeadlineMemory());
        expect(members(await continued(states(shuffled), new HeadlineMemory()))).toEqual(members(topics));
        expect(await continued(states(items), undefined)).toEqual(topics);
        const grouped = topics.flatMap(({ item_ids }) => item_ids);
        expect(new Set(grouped).size).toBe(grouped.length);
      }),
      { numRuns: 40 },
    );
  });

  test("that are continued keep their members and take up what is new", async () => {
    const items = NAMES.flatMap((name, n) =>
      EVENTS.slice(0, 3).map((write, hour) => itemOf(write(name, 9 + n), 5 - hour)),
    );
    const states = [4, 3].map((hours) => items.filter((item) => at(item) <= NOON - hours * HOUR));
    const [before, after] = [await continued(states.slice(0, 1), undefined), await continued(states, undefined)];
    expect(members(after)).toEqual(members(await refreshed([items])));
    expect(before.map(({ id, item_ids }) => [id, item_ids.length])).toEqual(before.map(({ id }) => [id, 2]));
    expect(after.map(({ id, item_ids }) => [id, item_ids.length])).toEqual(before.map(({ id }) => [id, 3]));
  });

  test("have the same ids when they are built anew, if their items came in the order of publication", async () => {
    const items = NAMES.flatMap((name, n) =>
      EVENTS.slice(0, 3).map((write, hour) => itemOf(write(name, 9 + n), 5 - hour)),
    );
    const newestFirst = items.toSorted((a, b) => at(b) - at(a));
    const states = [5, 4, 3].map((hours) => newestFirst.filter((item) => at(item) <= NOON - hours * HOUR));
    const ids = (topics: readonly StoredTopic[]) => topics.map(({ id }) => id).sort();
    const rebuilt = await refreshed([newestFirst]);
    expect(rebuilt).toHaveLength(NAMES.length);
    expect(ids(await refreshed(states))).toEqual(ids(rebuilt));
  });

  test("read a headline again whose summary, language or assets have changed", async () => {
    const memory = new HeadlineMemory();
    const one = { title: "Bridge drained", summary: "", lang: "en", assets: [], at: NOON } as const;
    const states = [[], ["BTC"]].flatMap((assets) =>
      ["", "Tidepool lost $87 million"].map((summary) => [
        { ...one, assets, summary },
        { ...one, title: "Tidepool lost $87 million BTC", assets },
      ]),
    );
    for (const state of states) {
      expect(await clusterHeadlines(state, undefined, memory)).toEqual(await clusterHeadlines(state));
    }
  });
});
