import { isDeepStrictEqual } from "node:util";
import { canonical } from "../../language/tokenize.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { pageOf, siteOf, urlKey } from "./canonical-url.ts";
import { idOf, sharedKeys } from "./feed-item.ts";
import type { ListedItem } from "./stored-items.ts";

const WINDOW_MS = 12 * 3_600_000; // Maximum time between listings of one title as one item: a daily column repeats its title.

type Items = readonly ListedItem[];
/** Merges the items that the feeds list now into the known ones. Two listings are one item if they have the same page
 * (id); in one feed the same identifier, or the same text and date; or the same outlet and title within a short time;
 * unless one feed lists them as two. Only the first feed of an item changes its content: one that is read from the site of
 * its link, else the one that published it first. Others are added to `source_ids`. A known item keeps its id, and its
 * sentiment unless its text changes, as does its date: with the same text, its feed can only give it the first date, or an
 * earlier one.
 * @param redated feeds whose dates are read in another way than before, so that later ones count, too
 * @param urls URL of each feed, by its id */
export function mergeItems(known: Items, listed: Items, redated = new Set<string>(), urls = new Map<string, string>()) {
  if (listed.length === 0) return Array.from(known);
  const byId = new Map<string, ListedItem>();
  const byGuid = new Map<string, string>();
  const byTitle = new Map<string, string>();
  const claimed = new Set<string>();

  const place = (item: ListedItem): void => {
    byId.set(item.id, item);
    byTitle.set(titleKey(item), item.id);
    for (const id of item.source_ids) if (item.guid !== "") byGuid.set(guidKey(id, item), item.id);
  };
  const linksNow = new Set(listed.map(linkKey));
  const hasOwnLink = (other: ListedItem, item: ListedItem): boolean =>
    linkKey(other) !== linkKey(item) && linksNow.has(linkKey(other));
  const withTitle = (item: ListedItem): string | undefined => {
    const other = byId.get(byTitle.get(titleKey(item)) ?? "");
    if (other === undefined || !isNear(item, other) || areTwo(item, other)) return undefined;
    // A feed that now lists both pages has two items with one title.
    return other.source_ids[0] === item.source_ids[0] && hasOwnLink(other, item) ? undefined : other.id;
  };
  for (const item of known) place(item);
  const sharedLinks = new Set(Array.from(sharedKeys(known, linkKey), (key) => key.split("\n")[1] || undefined));
  const ownGuid = (item: ListedItem): string => guidKey(item.source_ids[0]!, item);
  const sharedGuids = new Set([...sharedKeys(known, ownGuid), ...sharedKeys(listed, ownGuid)]);

  const guidsNow = new Set(listed.map(ownGuid));
  let stories: ReadonlyMap<string, ListedItem[]> | undefined;
  /** The known item of the same text and date which the feed lists under no link or identifier of its own any more. */
  const renamed = (item: ListedItem): string | undefined => {
    stories ??= groupBy(known, storyKey);
    const hasOwnGuid = (other: ListedItem): boolean => other.guid !== item.guid && guidsNow.has(ownGuid(other));
    const isListed = (other: ListedItem) => (other.url && hasOwnLink(other, item)) || (other.guid && hasOwnGuid(other));
    const same = item.dated ? (stories.get(storyKey(item)) ?? []) : [];
    return same.find((other) => other.dated && !claimed.has(other.id) && !isListed(other))?.id;
  };

  for (const item of listed.toSorted((a, b) => a.published_ms - b.published_ms)) {
    const feed = item.source_ids[0]!;
    const guid = guidKey(feed, item);
    const named = sharedGuids.has(guid) ? undefined : byGuid.get(guid);
    const first = byId.get(item.id);
    const isOwnLink = !sharedLinks.has(pageOf(item.url)) && !(first && areTwo(item, first));
    const sharedTitle = sharedGuids.has(guid) ? item.title : "";
    const isOwn = isOwnLink && (sharedTitle === "" || item.id !== idOf(feed, item.guid, ""));
    const id = isOwn ? item.id : idOf(feed, item.guid || urlKey(item.url), sharedTitle);
    const existing = byId.get(id) ?? byId.get(named ?? renamed(item) ?? withTitle(item) ?? "");
    if (existing === undefined) {
      place({ ...item, id });
      claimed.add(id);
    } else if (existing.source_ids[0] !== feed && existing.id === item.id && outdoes(item, existing, urls)) {
      claimed.add(id);
      place(updated({ ...existing, source_ids: [...new Set([feed, ...existing.source_ids])] }, item, false));
    } else if (claimed.has(existing.id) || existing.source_ids[0] !== feed) {
      if (!existing.source_ids.includes(feed)) place({ ...existing, source_ids: [...existing.source_ids, feed] });
    } else {
      claimed.add(existing.id);
      const keeps = keepsDate(existing, item, redated.has(feed));
      place(keeps && isUnchanged(existing, item) ? existing : updated(existing, item, keeps));
    }
  }
  return Array.from(byId.values());
}

/** Whether the feed of an item is read from the site of its link, and that of another is not. */
function outdoes({ url, source_ids: [feed] }: ListedItem, other: ListedItem, urls: ReadonlyMap<string, string>) {
  const isOfSite = (id = ""): boolean => siteOf(urls.get(id) ?? "") === siteOf(url);
  return siteOf(url) !== "" && isOfSite(feed) && !isOfSite(other.source_ids[0]);
}

/** The known item with the content that its feed lists now. */
function updated(existing: ListedItem, item: ListedItem, keepsDate: boolean): ListedItem {
  const { id, source_ids } = existing;
  const { url } = pageOf(existing.url) === item.url ? existing : item; // Others may share the page no more.
  const { published_ms } = keepsDate ? existing : item;
  const sentiment = isSameText(existing, item) ? existing.sentiment : undefined;
  const { dated, movable } = item.dated ? item : existing;
  return { ...item, url, sentiment, id, source_ids, published_ms, dated, movable };
}

const isSameText = (a: ListedItem, b: ListedItem): boolean => a.title === b.title && a.summary === b.summary;

/** Some feeds date all that they list to the present. An item whose first date was ahead keeps when it was seen. */
function keepsDate(known: ListedItem, item: ListedItem, isRedated: boolean): boolean {
  const later = item.published_ms - known.published_ms;
  if (!item.dated || (known.digest === item.digest && later <= DAY_MS)) return true;
  return known.dated && !isRedated && later >= 0 && isSameText(known, item);
}

const TEXTS = ["title", "summary", "url", "source", "guid", "lang", "author"] as const;
/** Whether {@link updated} would change nothing: the known object is kept, so that nothing is derived from it again. */
const isUnchanged = (known: ListedItem, item: ListedItem): boolean =>
  TEXTS.every((text) => known[text] === item[text]) &&
  (!item.dated || (known.dated && known.movable === item.movable)) &&
  isDeepStrictEqual(known.symbols, item.symbols) &&
  isDeepStrictEqual(known.categories, item.categories);

/** Whether one feed lists two items as distinct: with different identifiers, and different links, titles or times. A
 * number after `#` in an identifier counts revisions and is ignored. */
function areTwo(a: ListedItem, b: ListedItem): boolean {
  if (a.guid === b.guid) return false;
  const [one, other] = [a, b].map(({ guid }) => guid.replace(/#\d{1,4}$/, ""));
  if (!one || !other || one === other || a.source_ids[0] !== b.source_ids[0]) return false;
  return a.id !== b.id || titleKey(a) !== titleKey(b) || (a.dated && b.dated && !isNear(a, b));
}

/** Whether two items were published within the window. If one is undated, an equal link is enough. */
const isNear = (a: ListedItem, b: ListedItem): boolean =>
  Math.abs(a.published_ms - b.published_ms) <= WINDOW_MS || (!(a.dated && b.dated) && a.url === b.url);
const linkKey = ({ source_ids: [feed], url }: ListedItem): string => `${feed}\n${pageOf(url)}`;
const guidKey = (feed: string, item: ListedItem): string => `${feed}\n${item.guid}`;
const storyKey = (item: ListedItem): string =>
  `${item.source_ids[0]}\n${item.published_ms}\n${titleKey(item)}\n${item.summary}`;
const titleKey = ({ source, title }: Titled): string => `${source}\n${canonicalOf(title).text}`;
/** The canonical form of a title, cached, since most titles are listed again. */
const canonicalOf = memoized((title: string) => ({ text: canonical(title) || title }), 50_000);

type Titled = Pick<ListedItem, "source" | "title">;

/** The reports of a story in their order, without those that their outlet published again within a day under the same
 * title: the newest of these is kept. @param at publication time, ms */
export function withoutRepeats<T extends Titled>(reports: readonly T[], at: (report: T) => number): T[] {
  const newest = new Map<string, number>();
  const repeats = new Set<T>();
  for (const report of reports.toSorted((a, b) => at(b) - at(a))) {
    const [key, time] = [titleKey(report), at(report)];
    if ((newest.get(key) ?? Infinity) - time < DAY_MS) repeats.add(report);
    else newest.set(key, time);
  }
  return reports.filter((report) => !repeats.has(report));
}
