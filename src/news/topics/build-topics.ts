import type { Step } from "../../compute/job-runner.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { clusterHeadlines } from "./cluster.ts";
import type { HeadlineMemory } from "./headline-memory.ts";
import { sha256 } from "../../runtime/json/canonical-json.ts";
import type { ListedItem, StoredTopic } from "../items/stored-items.ts";

/** Stories that several items report; if none, each item is a topic, for small feeds. A topic keeps its id while it
 * shares more members with the earlier topic of that id than any other. @param items newest first @param at when an item
 * was published, shifted if it is a fixture's @param earlier topics of the previous snapshot @param fresh ids of the items
 * that these do not know, by which they are continued; without, all items are clustered anew */
export async function buildTopics(
  items: readonly ListedItem[],
  at: (item: ListedItem) => number,
  earlier: readonly StoredTopic[],
  step?: Step,
  memory?: HeadlineMemory,
  fresh?: ReadonlySet<string>,
): Promise<StoredTopic[]> {
  const headlines = items.map((item) => ({ ...item, assets: item.symbols, at: at(item) }));
  const before = new Map(earlier.flatMap(({ id, item_ids }) => item_ids.map((item) => [item, id] as const)));
  const known = fresh && items.map(({ id }) => (fresh.has(id) ? undefined : (before.get(id) ?? id)));
  const groups = await clusterHeadlines(headlines, step, memory, known);
  const shared = groups.filter((members) => members.length > 1);
  return withIds(shared.length > 0 ? shared : groups, items, before);
}

/** @param before the topic that each item was in */
function withIds(groups: readonly number[][], items: readonly ListedItem[], before: ReadonlyMap<string, string>) {
  const clusters = groups.map((members) => members.map((index) => items[index]!.id));
  const claims = clusters.flatMap((ids, index) => {
    const shared = groupBy(
      ids.flatMap((item) => before.get(item) ?? []),
      String,
    );
    return Array.from(shared, ([id, { length: count }]) => ({ index, id, count }));
  });
  claims.sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.index - b.index));
  const named = new Map<number, string>();
  const taken = new Set<string>();
  for (const { index, id } of claims) {
    if (named.has(index) || taken.has(id)) continue;
    named.set(index, id);
    taken.add(id);
  }
  return clusters.map((item_ids, index): StoredTopic => {
    const oldest = items[Math.max(...groups[index]!)]!;
    const id = named.get(index) ?? newId([oldest.id, ...item_ids.toSorted()], taken);
    taken.add(id);
    return { id, item_ids };
  });
}

/** Of the oldest item: a topic that has grown would get the same id. */
function newId(ids: readonly string[], taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const parts = attempt === 0 ? ids.slice(0, 1) : [...ids, String(attempt)];
    const id = `t${sha256(JSON.stringify(parts)).slice(0, 12)}`;
    if (!taken.has(id)) return id;
  }
}

/** How many topics have other members than before, or are new. */
export function countRebuilt(topics: readonly StoredTopic[], earlier: readonly StoredTopic[]): number {
  const members = (topic: StoredTopic): string => topic.item_ids.toSorted().join(" ");
  const before = new Map(earlier.map((topic) => [topic.id, members(topic)]));
  return topics.filter((topic) => before.get(topic.id) !== members(topic)).length;
}
