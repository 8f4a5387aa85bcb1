import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { newsItem } from "../../contract/schemas/news-schemas.ts";
import { toIso } from "../../runtime/clock.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { Report } from "../topics/heat.ts";
import type { Snapshot } from "./snapshot-document.ts";
import type { Parts } from "../items/stored-items.ts";

export type NewsItem = z.infer<typeof newsItem>;

/** A notice of the platform. */
export interface Notice {
  readonly id: string;
  readonly lang: string;
  readonly title: string;
  readonly body: string;
  readonly category: string;
  readonly url: string;
  /** ISO 8601; null when the listing gives no readable date. */
  readonly published_at: string | null;
  readonly symbols: readonly string[];
}

/** An article of the help center. */
export interface HelpArticle {
  readonly id: string;
  readonly lang: string;
  readonly title: string;
  readonly body: string;
  readonly category: string;
  readonly url: string;
  /** ISO 8601; null when the listing gives no readable date. */
  readonly updated_at: string | null;
}

/** A topic with its items, the most central first, and the reports that its heat is computed from. */
export interface ProjectedTopic {
  readonly id: string;
  readonly items: readonly NewsItem[];
  readonly reports: readonly Report[];
  readonly first_ms: number;
  readonly last_ms: number;
}

/** A snapshot as readers see it, with a fixture's dates shifted: everything frozen, items newest first. */
export interface Projection {
  readonly snapshot: Snapshot;
  /** Milliseconds that a fixture's dates are shifted by. */
  readonly distance: number;
  readonly items: readonly NewsItem[];
  /** Publication of each item, ms. */
  readonly times: readonly number[];
  readonly topics: readonly ProjectedTopic[];
  readonly notices: readonly Notice[];
  readonly help: readonly HelpArticle[];
}

/**
 * @param move date in ms and whether it is a fixture's → the date to show
 * @param distance milliseconds that `move` adds to a fixture's date
 * @param before an earlier projection; arrays whose content is unchanged are reused, so they stay the same objects
 */
export function project(snapshot: Snapshot, move: Move, distance: number, before?: Projection): Projection {
  const { parts } = snapshot;
  const stays = (name: keyof Parts): boolean =>
    before?.distance === distance && isDeepStrictEqual(before.snapshot.parts[name], parts[name]);
  const { items, times } = before !== undefined && stays("items") ? before : projectItems(parts.items, move);
  return {
    snapshot,
    distance,
    items,
    times,
    topics: projectTopics(parts.topics, items, times),
    notices: before !== undefined && stays("notices") ? before.notices : projectNotices(parts.notices, move),
    help: before !== undefined && stays("help") ? before.help : projectHelp(parts.help, move),
  };
}

type Move = (date: number, movable: boolean) => number;

function projectItems(stored: Parts["items"], move: Move): Pick<Projection, "items" | "times"> {
  const dated = stored
    .map((item) => ({ item, at: move(item.published_ms, item.movable) }))
    .sort((a, b) => b.at - a.at || (a.item.id < b.item.id ? -1 : 1));
  const items = dated.map(({ item, at }): NewsItem => {
    const { id, title, summary, url, source, lang, symbols, sentiment } = item;
    return { id, title, summary, url, source, lang, published_at: toIso(at), symbols, sentiment };
  });
  return { items: deepFreeze(items), times: dated.map(({ at }) => at) };
}

function projectTopics(
  stored: Parts["topics"],
  items: readonly NewsItem[],
  times: readonly number[],
): readonly ProjectedTopic[] {
  const byId = new Map(items.map((item, index) => [item.id, { item, at: times[index]! }]));
  return stored.flatMap(({ id, item_ids }): ProjectedTopic[] => {
    const members = item_ids.flatMap((itemId) => byId.get(itemId) ?? []);
    if (members.length === 0) return [];
    const dates = members.map(({ at }) => at);
    return [
      {
        id,
        items: members.map(({ item }) => item),
        reports: members.map(({ item, at }) => ({ source: item.source, published_ms: at })),
        first_ms: Math.min(...dates),
        last_ms: Math.max(...dates),
      },
    ];
  });
}

function projectNotices(stored: Parts["notices"], move: Move): readonly Notice[] {
  return deepFreeze(
    stored.map(({ published_ms, movable, ...notice }) => ({
      ...notice,
      published_at: published_ms === null ? null : toIso(move(published_ms, movable)),
    })),
  );
}

function projectHelp(stored: Parts["help"], move: Move): readonly HelpArticle[] {
  return deepFreeze(
    stored.map(({ updated_ms, movable, ...article }) => ({
      ...article,
      updated_at: updated_ms === null ? null : toIso(move(updated_ms, movable)),
    })),
  );
}
