import { memoized } from "../../runtime/cache/memoized.ts";
import { isPossible } from "../sources/feed-dates.ts";
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
  const keys = items.map(keyOf);
  const titles = new Map<string, string>();
  for (const [at, { title }] of items.entries()) if (!titles.has(keys[at]!)) titles.set(keys[at]!, title);
  return new Set(keys.filter((key, at) => titles.get(key) !== items[at]!.title));
}

const MAX = { title: 300, summary: 600, author: 120, entries: 30_000 }; // Text lengths in code points; cached entries.

/** The items of one feed, in feed order. The id is derived from the link's key, so that a page is one item in every feed;
 * from the feed and the entry's own identifier if there is no link, or if entries with different titles share it; and
 * also from the title if there is no identifier, or if several entries share it. A shared link is shown as it is given.
 * @param now milliseconds since the epoch: the date of entries without a plausible date, and the latest date of any */
export function feedItems(source: Source, entries: readonly FeedEntry[], now: number): ListedItem[] {
  const read = entries.map(readEntry);
  const shared = { links: sharedKeys(read, ({ key }) => key), guids: sharedKeys(read, ({ guid }) => guid) };
  const settings = JSON.stringify(source);
  return read.flatMap((one) => {
    if (one.headline === "") return [];
    const isOwn = /[/?#]/.test(one.key) && !shared.links.has(one.key); // A front page does not identify an entry.
    const isNamed = one.guid !== "" && !shared.guids.has(one.guid);
    const id = isOwn ? one.ownId : idOf(source.id, one.guid || one.key, isNamed ? "" : one.title);
    const { last, entry } = one;
    const isPast = last?.item.published_ms === entry.published && entry.published <= now; // Else its date may change.
    if (isPast && last.settings === settings && last.item.id === id) return last.item;
    const url = shared.links.has(one.key) ? cleanUrl(one.entry.link, true) : one.url;
    one.last = { settings, item: itemOf({ ...one, url }, source, id, now) };
    return one.last.item;
  });
}

function itemOf(read: ReturnType<typeof readEntry>, source: Source, id: string, now: number): ListedItem {
  const { entry, headline: title, summary, url, digest } = read;
  const dated = entry.published !== null && (isLocal(source) || isPossible(entry.published, now));
  // Without spreads or fields added later, which would give every item a hidden class of its own.
  return {
    id,
    source_ids: [source.id],
    source: source.name,
    guid: entry.guid,
    title,
    summary,
    url,
    lang: detectLanguage(`${title} ${summary}`, source.lang ?? "en"),
    published_ms: dated ? Math.min(entry.published, now) : now,
    dated,
    movable: dated && isLocal(source),
    symbols: assetsInNews(`${title}\n${summary}`, [...entry.categories, ...(source.categories ?? [])]),
    author: entry.author === "" ? undefined : shorten(entry.author, MAX.author),
    categories: source.categories,
    digest,
    sentiment: undefined,
  };
}

/** The fields of an item that do not depend on its feed, cached, since most entries are listed again. */
const readEntry = memoized((entry: FeedEntry) => {
  const headline = shorten(entry.title || entry.summary, MAX.title);
  const summary = entry.summary === headline ? "" : shorten(entry.summary, MAX.summary);
  const [url, key] = [cleanUrl(entry.link), urlKey(entry.link)];
  const digest = digestOf(headline, summary, url, String(entry.published ?? ""));
  const { guid, title } = entry;
  /** Its item in the feed that listed it last. */
  const last = undefined as { readonly settings: string; readonly item: ListedItem } | undefined;
  return { entry, guid, title, key, ownId: idOf(key), headline, summary, url, digest, last };
}, MAX.entries);
