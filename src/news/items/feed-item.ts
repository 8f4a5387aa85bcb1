import { memoized } from "../../runtime/cache/memoized.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { isLocal, type Source } from "../sources/sources.ts";
import { cleanUrl, urlKey } from "./canonical-url.ts";
import { sha256 } from "../../runtime/json/canonical-json.ts";
import { detectLanguage } from "../../language/detect-language.ts";
import type { FeedEntry } from "../sources/feeds/parse-feed.ts";
import { shorten } from "../../language/plain-text.ts";
import type { ListedItem } from "./stored-items.ts";
import { assetsInNews } from "../../language/assets.ts";

const digestOf = (...parts: string[]): string => sha256(JSON.stringify(parts)).slice(0, 16);

/** The id of an item: a hash of the parts that identify it. */
export const idOf = (...parts: string[]): string => `n${digestOf(...parts)}`;

/** The keys that items with different titles share. Such a key does not identify an item. */
export function sharedKeys<T extends { readonly title: string }>(items: readonly T[], keyOf: (item: T) => string) {
  const groups = Array.from(groupBy(items, keyOf));
  return new Set(groups.flatMap(([key, alike]) => (alike.some(({ title }) => title !== alike[0]!.title) ? key : [])));
}

const MAX = { title: 300, summary: 600, author: 120, entries: 30_000 }; // Text lengths in code points; cached entries.

/** The items of one feed, in feed order. The id is derived from the link's key, so that a page is one item in every feed;
 * from the feed and the entry's own identifier if there is no link, or if entries with different titles share it; and
 * also from the title if there is no identifier, or if several entries share it.
 * @param now milliseconds since the epoch: the date of entries without a plausible date, and the latest date of any */
export function feedItems(source: Source, entries: readonly FeedEntry[], now: number): ListedItem[] {
  const read = entries.map(readEntry);
  const shared = { links: sharedKeys(read, ({ key }) => key), guids: sharedKeys(read, ({ guid }) => guid) };
  return read.flatMap(({ entry, key, headline: title, summary, url, digest }) => {
    if (title === "") return [];
    const isOwn = /[/?#]/.test(key) && !shared.links.has(key); // A front page does not identify an entry.
    const isNamed = entry.guid !== "" && !shared.guids.has(entry.guid);
    const dated = entry.published !== null && (isLocal(source) || isPossible(entry.published, now));
    return {
      id: isOwn ? idOf(key) : idOf(source.id, entry.guid || key, isNamed ? "" : title),
      ...{ source_ids: [source.id], source: source.name, guid: entry.guid, title, summary, url },
      lang: detectLanguage(`${title} ${summary}`, source.lang ?? "en"),
      published_ms: dated ? Math.min(entry.published, now) : now,
      ...{ dated, movable: dated && isLocal(source) },
      symbols: assetsInNews(`${title}\n${summary}`, [...entry.categories, ...(source.categories ?? [])]),
      ...(entry.author !== "" && { author: shorten(entry.author, MAX.author) }),
      ...(source.categories && { categories: source.categories }),
      digest,
    };
  });
}

const EARLIEST = Date.UTC(1990); // Earlier dates are placeholders.
const AHEAD_MS = 3_600_000; // A server's clock may be fast.
const isPossible = (date: number, now: number): boolean => date >= EARLIEST && date <= now + AHEAD_MS;

/** The fields of an item that do not depend on its feed, cached, since most entries are listed again. */
const readEntry = memoized((entry: FeedEntry) => {
  const headline = shorten(entry.title || entry.summary, MAX.title);
  const summary = entry.summary === headline ? "" : shorten(entry.summary, MAX.summary);
  const url = cleanUrl(entry.link);
  const digest = digestOf(headline, summary, url, String(entry.published ?? ""));
  return { entry, guid: entry.guid, title: entry.title, key: urlKey(entry.link), headline, summary, url, digest };
}, MAX.entries);
