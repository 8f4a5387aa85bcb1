import { setImmediate } from "node:timers/promises";
import type { NewsFilter } from "../../contract/schemas/news-schemas.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import type { NewsItem } from "./projection.ts";
import { type Projection, createSnapshotViews, type SnapshotViews } from "./latest-snapshot.ts";

const CACHED = { filters: 20, lists: 20 }; // Filters, and answers per filter.
/** Items checked between yields to the event loop: about 1 ms if their texts are folded for the first time. */
const PAGE = 100;
const foldedTexts = new WeakMap<NewsItem, string>();

/** Creates the views of the items of a projection that match a filter, cached by filter. */
export function createFilteredViews(projection: Projection): (filter: NewsFilter) => Promise<SnapshotViews> {
  const viewsOf = async (key: string) => createSnapshotViews(await narrow(projection, key), CACHED.lists);
  const kept = memoized(viewsOf, CACHED.filters);
  return ({ q = "", ...names }) => {
    const [symbol, source, category] = [names.symbol, names.source, names.category].map((name) => name?.toLowerCase());
    return kept(JSON.stringify({ symbol, source, category, q }));
  };
}

/** Whether the filter matches every item. */
export const isUnfiltered = (filter: NewsFilter): boolean => !Object.values(filter).some(Boolean);

/** The predicate of a filter. The folding module is loaded only for a filter with words. */
async function conditionOf({ q = "", symbol, source, category }: NewsFilter): Promise<(item: NewsItem) => boolean> {
  const { fold } = q === "" ? { fold: String } : await import("../../language/tokenize.ts");
  const words = fold(q).split(/\s+/).filter(Boolean);
  const isAmong = (names: readonly string[] = [], name = ""): boolean =>
    name === "" || names.some((each) => each.toLowerCase() === name);
  return (item) => {
    const isNamed = isAmong(item.symbols, symbol) && isAmong([item.source], source);
    if (!isNamed || !isAmong(item.categories, category)) return false;
    if (words.length === 0) return true;
    const folded = foldedTexts.get(item) ?? fold(`${item.title}\n${item.summary}`);
    foldedTexts.set(item, folded);
    return words.every((word) => folded.includes(word));
  };
}

/** The projection reduced to the matching items, and to the topics with a matching item. */
async function narrow(projection: Projection, key: string): Promise<Projection> {
  const isWanted = await conditionOf(JSON.parse(key) as NewsFilter);
  const kept: number[] = [];
  for (const [at, item] of projection.items.entries()) {
    if (isWanted(item)) kept.push(at);
    if (at % PAGE === PAGE - 1) await setImmediate();
  }
  const items = kept.map((at) => projection.items[at]!);
  const ids = new Set(items.map(({ id }) => id));
  const { members, topics } = projection.topics;
  const found = new Set<string>();
  for (const [id, own] of members) if (own.some((item) => ids.has(item))) found.add(id);
  const of = (lang: keyof typeof topics) => topics[lang].filter(({ id }) => found.has(id));
  const narrowed = { ...projection.topics, topics: { zh: of("zh"), en: of("en") }, total: undefined };
  const times = Float64Array.from(kept, (at) => projection.times[at]!);
  return { ...projection, items, times, dated: kept.filter((at) => at < projection.dated).length, topics: narrowed };
}
