import type { Step } from "../../compute/job-runner.ts";
import { clusterHeadlines } from "./cluster.ts";
import type { Headline, HeadlineMemory } from "./headline-memory.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { sha256 } from "../../runtime/json/canonical-json.ts";
import { withoutRepeats } from "../items/dedupe.ts";
import type { ListedItem, StoredTopic } from "../items/stored-items.ts";

/** Builds topics: the stories with several reports or, if there are none (small feeds), one topic per item. A topic keeps its
 * id while it shares more members with the earlier topic of that id than any other. @param items newest first @param at
 * publication time of an item, shifted for fixtures @param earlier topics of the previous snapshot @param fresh ids of the
 * items to add to these topics; if absent, all items are clustered again */
export async function buildTopics(
  items: readonly ListedItem[],
  at: (item: ListedItem) => number,
  earlier: readonly StoredTopic[],
  step?: Step,
  memory?: HeadlineMemory,
  fresh?: ReadonlySet<string>,
): Promise<StoredTopic[]> {
  const before = new Map<string, string>();
  for (const { id, item_ids } of earlier) for (const item of item_ids) before.set(item, id);
  const headlines = items.map((item): Headline => {
    const { title, summary, lang, symbols: assets } = item;
    return { title, summary, lang, assets, at: at(item) };
  });
  const known = fresh && items.map(({ id }) => (fresh.has(id) ? undefined : (before.get(id) ?? id)));
  const groups = await clusterHeadlines(headlines, step, memory, known);
  const itemsOf = (group: readonly number[]) => group.map((index) => items[index]!);
  const shared = groups.filter((group) => group.length > 1 && withoutRepeats(itemsOf(group), at).length > 1);
  return withIds(shared.length > 0 ? shared : groups, items, before);
}

type Claim = Readonly<{ index: number; id: string; count: number }>;
const largerFirst = (a: Claim, b: Claim): number =>
  b.count - a.count || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.index - b.index);

/** @param before the earlier topic of each item */
function withIds(groups: readonly number[][], items: readonly ListedItem[], before: ReadonlyMap<string, string>) {
  const claims: Claim[] = [];
  for (const [index, members] of groups.entries()) {
    const ids = members.flatMap((member) => before.get(items[member]!.id) ?? []);
    for (const [id, { length: count }] of groupBy(ids, String)) claims.push({ index, id, count });
  }
  claims.sort(largerFirst);
  const named = new Map<number, string>();
  const taken = new Set<string>();
  for (const { index, id } of claims) {
    if (named.has(index) || taken.has(id)) continue;
    named.set(index, id);
    taken.add(id);
  }
  return groups.map((members, index): StoredTopic => {
    const item_ids = members.map((member) => items[member]!.id);
    const oldest = items[Math.max(...members)]!;
    const id = named.get(index) ?? newId([oldest.id, ...item_ids.toSorted()], taken);
    taken.add(id);
    return { id, item_ids };
  });
}

/** A hash of the oldest item's id, so that a topic that grows would get the same id. */
function newId(ids: readonly string[], taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const parts = attempt === 0 ? ids.slice(0, 1) : [...ids, String(attempt)];
    const id = `t${sha256(JSON.stringify(parts)).slice(0, 12)}`;
    if (!taken.has(id)) return id;
  }
}

/** The number of topics that are new or have changed members. */
export function countRebuilt(topics: readonly StoredTopic[], earlier: readonly StoredTopic[]): number {
  const before = new Map(earlier.map((topic) => [topic.id, membersOf(topic)]));
  return topics.filter((topic) => before.get(topic.id) !== membersOf(topic)).length;
}

const membersOf = ({ item_ids }: StoredTopic): string => item_ids.toSorted().join(" ");
