import { canonical } from "../../language/tokenize.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { idInFeed } from "./feed-item.ts";
import { sharedKeys } from "./shared-keys.ts";
import type { ListedItem } from "./stored-items.ts";

const WINDOW_MS = 12 * 3_600_000; // Two listings of one title lie at most this far apart: a column has the same every day.

/** Merges the items that the feeds list now into the known ones. One report of one outlet is one item: the same page (id),
 * unless one feed has several under that link, the same identifier in the same feed, or the same title a short time apart, unless one feed tells the two apart. Only
 * the feed that published it first changes its content; others are added to `source_ids`. A known item keeps its id, and
 * its date while its content is unchanged or its feed gives no date; its sentiment stays while its text does.
 * @param ids takes the id under which each listed item is kept */
export function mergeItems(
  known: readonly ListedItem[],
  listed: readonly ListedItem[],
  ids = new Map<ListedItem, string>(),
): ListedItem[] {
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
  const withTitle = (item: ListedItem): string | undefined => {
    const other = byId.get(byTitle.get(titleKey(item)) ?? "");
    return other !== undefined && isNear(item, other) && !areOfOneFeed(item, other) ? other.id : undefined;
  };
  for (const item of known) place(item);
  const perFeed = sharedKeys(known, ({ source_ids: [feed], url }) => `${feed}\n${url}`);
  const sharedLinks = new Set(Array.from(perFeed, (key) => key.split("\n")[1] || undefined));
  const sharedGuids = sharedKeys(listed, (item) => guidKey(item.source_ids[0]!, item));

  for (const item of listed.toSorted((a, b) => a.published_ms - b.published_ms)) {
    const feed = item.source_ids[0]!;
    const guid = guidKey(feed, item);
    const named = sharedGuids.has(guid) ? undefined : byGuid.get(guid);
    const isOwnLink = !sharedLinks.has(item.url) && !areOfOneLink(item, byId.get(item.id));
    const id = isOwnLink ? item.id : idInFeed(feed, item, !sharedGuids.has(guid));
    const existing = byId.get(id) ?? byId.get(named ?? withTitle(item) ?? "");
    ids.set(item, existing?.id ?? id);
    if (existing === undefined) {
      place({ ...item, id });
      claimed.add(id);
    } else if (claimed.has(existing.id) || existing.source_ids[0] !== feed) {
      if (!existing.source_ids.includes(feed)) place({ ...existing, source_ids: [...existing.source_ids, feed] });
    } else {
      claimed.add(existing.id);
      const isUnchanged = existing.digest === item.digest || !item.dated;
      const isSaid = existing.title === item.title && existing.summary === item.summary;
      place({
        ...item,
        sentiment: isSaid ? existing.sentiment : undefined,
        id: existing.id,
        source_ids: existing.source_ids,
        published_ms: isUnchanged ? existing.published_ms : item.published_ms,
      });
    }
  }
  return Array.from(byId.values());
}

/** Whether one feed gave two items other identifiers and other links: however alike, they are two. */
const areOfOneFeed = (a: ListedItem, b: ListedItem): boolean =>
  b.source_ids.includes(a.source_ids[0]!) && a.guid !== "" && b.guid !== "" && a.guid !== b.guid && a.url !== b.url;

/** Whether one feed gave two items of one link other identifiers, and other titles or times: it rolls on under that link.
 * A number behind `#` counts the revisions of an item. */
function areOfOneLink(a: ListedItem, b: ListedItem | undefined): boolean {
  const nameOf = ({ guid }: ListedItem): string => guid.replace(/#\d{1,4}$/, "");
  if (b === undefined || a.source_ids[0] !== b.source_ids[0] || a.guid === "" || b.guid === "") return false;
  return nameOf(a) !== nameOf(b) && (titleKey(a) !== titleKey(b) || (a.dated && b.dated && !isNear(a, b)));
}

const isNear = (a: ListedItem, b: ListedItem): boolean => Math.abs(a.published_ms - b.published_ms) <= WINDOW_MS;
const guidKey = (feed: string, item: ListedItem): string => `${feed}\n${item.guid}`;
const titleKey = ({ source, title }: ListedItem): string => `${source}\n${saidBy(title).text}`;
/** What a title says; kept, since most titles are listed again. */
const saidBy = memoized((title: string) => ({ text: canonical(title) || title }), 50_000);
