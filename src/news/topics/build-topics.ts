import type { Step } from "../../compute/job-runner.ts";
import { clusterHeadlines } from "./cluster.ts";
import type { HeadlineMemory } from "./headline-memory.ts";
import { sha256 } from "../../runtime/json/canonical-json.ts";
import type { ListedItem, StoredTopic } from "../items/stored-items.ts";

/** Stories that several items report; if none, each item is a topic, for small feeds. A topic keeps its id while it
 * shares more members with the earlier topic of that id than any other. @param at when an item was published, shifted
 * if it is a fixture's @param earlier topics of the previous snapshot */
export async function buildTopics(
  items: readonly ListedItem[],
  at: (item: ListedItem) => number,
  earlier: readonly StoredTopic[],
  step?: Step,
  memory?: HeadlineMemory,
): Promise<StoredTopic[]> {
  const headlines = items.map((item) => ({ ...item, assets: item.symbols, at: at(item) }));
  const groups = await clusterHeadlines(headlines, step, memory);
  const clusters = groups.map((members) => members.map((index) => items[index]!.id));
  const shared = clusters.filter((ids) => ids.length > 1);
  const times = new Map(headlines.map((headline) => [headline.id, headline.at]));
  const firstOf = (ids: readonly string[]): string =>
    ids.reduce((a, b) => ((times.get(b)! - times.get(a)! || (b < a ? -1 : 1)) < 0 ? b : a));
  return withIds(shared.length > 0 ? shared : clusters, earlier, firstOf);
}

function withIds(
  clusters: readonly string[][],
  earlier: readonly StoredTopic[],
  firstOf: (ids: readonly string[]) => string,
): StoredTopic[] {
  const before = new Map(earlier.flatMap(({ id, item_ids }) => item_ids.map((item) => [item, id] as const)));
  const claims = clusters.flatMap((ids, index) => {
    const common = new Map<string, number>();
    for (const item of ids) {
      const id = before.get(item);
      if (id !== undefined) common.set(id, (common.get(id) ?? 0) + 1);
    }
    return Array.from(common, ([id, count]) => ({ index, id, count }));
  });
  claims.sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.index - b.index));
  const named = new Map<number, string>();
  const taken = new Set<string>();
  for (const { index, id } of claims) {
    if (named.has(index) || taken.has(id)) continue;
    named.set(index, id);
    taken.add(id);
  }
  return clusters.map((ids, index) => {
    const id = named.get(index) ?? newId([firstOf(ids), ...ids.toSorted()], taken);
    taken.add(id);
    return { id, item_ids: ids };
  });
}

/** Of the item that was published first: a topic that grows would get the same id again. */
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
