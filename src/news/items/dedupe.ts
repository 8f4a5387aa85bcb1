import { tokenize } from "../../language/tokenize.ts";
import { jaccard } from "../../runtime/text/jaccard.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { sharedKeys } from "./shared-keys.ts";
import type { ListedItem } from "./stored-items.ts";

const HOUR = 3_600_000;
/** Two listings of one story lie at most this far apart; without summaries to compare, much less. */
const WINDOW_MS = { usual: 72 * HOUR, bare: 12 * HOUR };
/** Least Jaccard similarity of the words of two titles, and of two summaries. */
const SIMILARITY = { title: 0.8, summary: 0.4 };
const MOST = { candidates: 200, shingles: 50_000, titles: 50_000 };

/** Merges the items that the feeds list now into the known ones. One story of one outlet is one item: the same page
 * (id), the same identifier in the same feed, or nearly the same title and summary a short time apart. Only the feed
 * that published it first changes its content; others are added to `source_ids`. A known item keeps its id, and its
 * date while its content is unchanged or its feed gives no date; its sentiment stays while its text does. */
export function mergeItems(known: readonly ListedItem[], listed: readonly ListedItem[]): ListedItem[] {
  if (listed.length === 0) return Array.from(known);
  const byId = new Map<string, ListedItem>();
  const byGuid = new Map<string, string>();
  const titles = new TitleIndex();
  const claimed = new Set<string>();

  const place = (item: ListedItem): void => {
    if (byId.get(item.id)?.title !== item.title) titles.add(item);
    byId.set(item.id, item);
    for (const id of item.source_ids) if (item.guid !== "") byGuid.set(guidKey(id, item), item.id);
  };
  for (const item of known) place(item);
  const sharedGuids = sharedKeys(listed, (item) => guidKey(item.source_ids[0]!, item));

  for (const item of listed.toSorted((a, b) => a.published_ms - b.published_ms)) {
    const feed = item.source_ids[0]!;
    const guid = guidKey(feed, item);
    const id =
      (byId.has(item.id) ? item.id : undefined) ??
      (sharedGuids.has(guid) ? undefined : byGuid.get(guid)) ??
      titles.find(item, byId);
    const existing = id === undefined ? undefined : byId.get(id);
    if (existing === undefined) {
      place(item);
      claimed.add(item.id);
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

const guidKey = (feed: string, item: ListedItem): string => `${feed}\n${item.guid}`;

/** The words of a text and the character pairs of Chinese, longest first; its numbers separately. */
function shinglesOf(text: string) {
  const words = new Set<string>();
  const numbers: string[] = [];
  for (const { text: token, han } of tokenize(text)) {
    numbers.push(...(token.match(/\d+(?:\.\d+)*/g) ?? []));
    if (!han || token.length === 1) words.add(token);
    else for (let at = 0; at + 1 < token.length; at++) words.add(token.slice(at, at + 2));
  }
  const longestFirst = Array.from(words).sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return { words: longestFirst, numbers: numbers.sort().join(" ") };
}

/** The words of a title that one of two similar ones must share with the other; kept, since most titles are listed again. */
const prefixOf = memoized((title: string) => {
  const { words } = shinglesOf(title);
  return words.slice(0, words.length - Math.ceil(SIMILARITY.title * words.length) + 1);
}, MOST.titles);

/** Finds nearly identical titles of one outlet without comparing all pairs: two sets of Jaccard similarity ≥ t share
 * one of the first |x| − ⌈t·|x|⌉ + 1 words in any fixed order (prefix filter; Chaudhuri, Ganti, Kaushik 2006), here by
 * length: long words are rarer. Comparisons of an item are bounded: the cost is linear. */
class TitleIndex {
  readonly #ids = new Map<string, string[]>();
  readonly #shinglesOf = memoized(shinglesOf, MOST.shingles);

  #keys = ({ title, source }: ListedItem): string[] => prefixOf(title).map((word) => `${source}\n${word}`);

  add(item: ListedItem): void {
    for (const key of this.#keys(item)) if (!this.#ids.get(key)?.push(item.id)) this.#ids.set(key, [item.id]);
  }

  find(item: ListedItem, byId: ReadonlyMap<string, ListedItem>): string | undefined {
    let best: { id: string; similarity: number } | undefined;
    for (const id of this.#candidates(item)) {
      const similarity = this.#sameStory(item, byId.get(id)!);
      if (similarity > (best?.similarity ?? 0)) best = { id, similarity };
    }
    return best?.id;
  }

  /** The items that share a word which one of two similar titles must share, those of the longest words first. */
  #candidates(item: ListedItem): Set<string> {
    const candidates = new Set<string>();
    for (const key of this.#keys(item)) {
      for (const id of this.#ids.get(key) ?? []) {
        if (candidates.size === MOST.candidates) return candidates;
        candidates.add(id);
      }
    }
    return candidates;
  }

  /** Similarity of the titles when the two, of one outlet, are listings of one story; 0 when they are not. */
  #sameStory(a: ListedItem, b: ListedItem): number {
    const apart = Math.abs(a.published_ms - b.published_ms);
    if (a.lang !== b.lang || apart > WINDOW_MS.usual) return 0;
    const [titleA, titleB] = [this.#shinglesOf(a.title), this.#shinglesOf(b.title)];
    if (titleA.numbers !== titleB.numbers) return 0;
    const similarity = jaccard(titleA.words, titleB.words);
    if (similarity < SIMILARITY.title) return 0;
    if (a.summary === "" || b.summary === "") return apart <= WINDOW_MS.bare ? similarity : 0;
    const [summaryA, summaryB] = [this.#shinglesOf(a.summary), this.#shinglesOf(b.summary)];
    return jaccard(summaryA.words, summaryB.words) >= SIMILARITY.summary ? similarity : 0;
  }
}
