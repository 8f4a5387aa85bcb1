import type { z } from "zod";
import type { newsItem } from "../../contract/schemas/news-schemas.ts";
import { toIso } from "../../runtime/clock.ts";
import type { Report } from "../topics/heat.ts";
import { withoutRepeats } from "../items/dedupe.ts";
import type { Parts } from "../items/stored-items.ts";
import type { DateOf } from "./date-shift.ts";

export type NewsItem = z.infer<typeof newsItem>;
/** A topic with its items, the most central first, and the reports that its heat is computed from. */
export type ProjectedTopic = Readonly<ReturnType<typeof projectTopics>[number]>;

/** The parts of a snapshot as readers see them, with shifted dates: `items` newest first and undated ones last, `times`
 * when each item was published or first seen, ms, and `dated`, the number of items with a date. */
export type ProjectedParts = Readonly<ReturnType<typeof project>>;

/** @param weights weights of outlets by name; the default is 1 */
export function project(parts: Parts, dateOf: DateOf, weights: ReadonlyMap<string, number>) {
  const items = projectItems(parts.items, dateOf);
  /** ISO 8601; null when the listing gives no readable date. */
  const shown = (published_ms: number | null, movable: boolean) =>
    published_ms === null ? null : toIso(dateOf({ published_ms, movable }));
  return {
    items: items.map(({ item }) => item),
    times: items.map(({ at }) => at),
    dated: items.filter(({ isDated }) => isDated).length,
    topics: projectTopics(parts.topics, items, weights),
    notices: parts.notices.map(({ published_ms: at, movable, ...rest }) => ({
      ...rest,
      published_at: shown(at, movable),
    })),
    help: parts.help.map(({ updated_ms: at, movable, ...rest }) => ({ ...rest, updated_at: shown(at, movable) })),
  };
}

function projectItems(stored: Parts["items"], dateOf: DateOf) {
  const projected = stored.map((entry) => {
    const { id, title, summary, url, source, lang, symbols, sentiment, author, categories } = entry;
    const at = dateOf(entry);
    const shown = { id, title, summary, url, source, lang, published_at: toIso(at), symbols, sentiment };
    const item: NewsItem = { ...shown, ...(author !== undefined && { author }), ...(categories && { categories }) };
    return { item, source, title, at, isDated: entry.dated };
  });
  return projected.sort(
    (a, b) => Number(b.isDated) - Number(a.isDated) || b.at - a.at || (a.item.id < b.item.id ? -1 : 1),
  );
}

type ProjectedItems = ReturnType<typeof projectItems>;

function projectTopics(stored: Parts["topics"], items: ProjectedItems, weights: ReadonlyMap<string, number>) {
  const byId = new Map(items.map((one) => [one.item.id, one]));
  return stored.flatMap(({ id, item_ids }) => {
    const members = item_ids.flatMap((itemId) => byId.get(itemId) ?? []);
    // An undated item may have any age: it adds no heat, and its time counts only if all items are undated.
    const dated = members.filter(({ isDated }) => isDated);
    const dates = (dated.length > 0 ? dated : members).map(({ at }) => at);
    const shown = withoutRepeats(members, ({ at }) => at);
    const topic = {
      id,
      items: shown.map(({ item }) => item),
      reports: shown.flatMap(({ source, at, isDated }): Report | [] => {
        return isDated ? { source, published_ms: at, weight: weights.get(source) ?? 1 } : [];
      }),
      first_ms: Math.min(...dates),
      last_ms: Math.max(...dates),
    };
    return members.length === 0 ? [] : topic;
  });
}
