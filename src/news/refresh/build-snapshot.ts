import { isDeepStrictEqual } from "node:util";
import type { Step } from "../../compute/job-runner.ts";
import { language } from "../../contract/schemas/shared-fields.ts";
import { fold } from "../../language/tokenize.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { mergeItems } from "../items/dedupe.ts";
import { sentimentOf } from "../sentiment/sentiment-model.ts";
import { type ListedItem, EMPTY_PARTS, type Parts, type StoredItem } from "../items/stored-items.ts";
import { createDateShifter, type DateOf, type DateShift } from "../snapshot/date-shift.ts";
import type { RefreshMode, SnapshotContent, SnapshotRecord, SourceState } from "../snapshot/snapshot-document.ts";
import type { SourceContent } from "../sources/parse-source.ts";
import { NO_VALIDATORS } from "../sources/read-source.ts";
import { settingsOf, type Source } from "../sources/sources.ts";
import CLUSTERING from "../topics/clustering.json" with { type: "json" };
import { buildTopics, countRebuilt } from "../topics/build-topics.ts";
import type { HeadlineMemory as Memory } from "../topics/headline-memory.ts";

/** How many entries a refresh has changed. */
export type RefreshCounts = Pick<SnapshotRecord, "news_updated" | "notice_updated" | "topic_rebuild">;

/** The result of reading a source: its state without `items`, and its content, undefined if the known content is kept. */
export type ReadSource<C> = Readonly<{ source: Source; state: Omit<SourceState, "items">; content: C | undefined }>;
type Read = readonly ReadSource<SourceContent>[];
type Base = SnapshotContent | undefined;
type Items = readonly StoredItem[];
type Listed = readonly ListedItem[];

export interface BuildOptions {
  readonly mode: RefreshMode;
  readonly now: number; // Milliseconds since the epoch.
  readonly max_items: number;
  readonly max_age_days: number;
  readonly shift: DateShift | undefined;
  readonly counted: RefreshCounts; // Changes in the partial snapshots that this refresh has already published.
  readonly partial: boolean;
  readonly cluster: boolean; // Whether to compute new topics.
}
/** A partial snapshot with more items is published immediately, without new topics; the complete one has them. */
const MAX_CLUSTERED = 800;

/** Builds the next snapshot from the sources and the previous snapshot. */
export async function buildSnapshot(base: Base, read: Read, options: BuildOptions, step: Step, memory?: Memory) {
  const { mode, now, counted } = options;
  const before = base?.parts ?? EMPTY_PARTS;
  const at = createDateShifter(options.shift, now);
  const { items, cut, isOld } = await nextItems(base, read, options, at, step);
  const mood = { index: base?.record.index ?? null, sentiment_ms: base?.record.sentiment_ms ?? null };
  const listed = { notices: before.notices, help: before.help, ...mood };
  const { notices, help, index, sentiment_ms } = mode === "full" ? nextListings(listed, read, now) : listed;
  const { topics, topic_state } = await nextTopics(items, base, options, at, step, memory);
  const parts: Parts = { items, topics, notices, help };
  const [carriers, others] = [0, 1].map((from) => items.flatMap(({ source_ids }) => source_ids.slice(from)));
  const [listings, copies] = [groupBy(carriers!, String), groupBy(others!, String)];
  const most = Math.max(0, ...Array.from(listings.values(), ({ length }) => length));
  const share = items.length < options.max_items ? Infinity : most - 1; // A source with fewer items may have more.
  const states = read.map(({ source, state, content }) => {
    const own = listings.get(source.id)?.length ?? 0;
    const partial = content === undefined && base?.record.sources.find(({ id }) => id === source.id);
    const last = (partial || state).last_read;
    const entries = content?.kind === "news" ? content.entries : undefined;
    const lost = cut.filter(({ source_ids }) => source_ids.includes(source.id));
    const last_read = last && keptOf(last, entries, lost, isOld);
    const isBack = content === undefined && own < share && (last_read?.cut ?? 0) > 0; // It is read again for what was cut.
    return {
      ...state,
      ...(isBack && { ...NO_VALIDATORS, hash: null }),
      last_read,
      weight: source.weight,
      settings: settingsOf(source),
      elsewhere: copies.get(source.id)?.length,
      items: source.kind === "news" ? own : countOf(source, parts, index),
    };
  });
  const isRead = read.length === 0 || read.some(({ state }) => state.ok); // If false, there was no sync.
  const record: SnapshotRecord = {
    ...{ mode, published_ms: now },
    last_full_ms: mode === "full" && isRead ? now : (base?.record.last_full_ms ?? null),
    ...{ sentiment_ms, index },
    news_updated: counted.news_updated + changedOf(items, before.items, isSameText).length,
    notice_updated:
      counted.notice_updated + changedOf(notices, before.notices).length + changedOf(help, before.help).length,
    topic_rebuild: counted.topic_rebuild + countRebuilt(topics, before.topics),
    coverage: coverageOf(parts, read),
    sources: states,
    ...(topic_state && { topic_state }),
    ...(options.partial ? { partial: true } : {}),
  };
  return { record, parts };
}

async function nextItems(base: Base, read: Read, options: BuildOptions, at: DateOf, step: Step) {
  const { now, max_age_days, max_items } = options;
  const news = read.filter(({ source }) => source.kind === "news");
  const configured = new Map(news.map(({ source }) => [source.id, source]));
  const known = (base?.parts.items ?? []).flatMap((stored): StoredItem[] => {
    // An undated item was not first seen in the future: the clock was wrong.
    const item = stored.dated || stored.published_ms <= now ? stored : { ...stored, published_ms: now };
    const ids = item.source_ids.filter((id) => configured.has(id));
    const source = configured.get(ids[0] ?? "");
    if (source === undefined) return [];
    const { name, categories } = source; // These settings may have changed since.
    const isSame = ids.length === item.source_ids.length && item.source === name;
    if (isSame && isDeepStrictEqual(item.categories, categories)) return [item];
    const { categories: _, sentiment, ...rest } = item;
    return [{ ...rest, source_ids: ids, source: name, ...(categories && { categories }), sentiment }];
  });
  const listed = news.flatMap(({ content }) => (content?.kind === "news" ? content.entries : []));
  const oldest = now - max_age_days * DAY_MS;
  // An undated item that its feed still lists would come back as new, so it does not age out.
  const unchanged = new Set(news.flatMap(({ source, content }) => (content === undefined ? source.id : [])));
  const undated = new Set(listed.filter(({ dated }) => !dated).map(({ id }) => id));
  for (const { dated, id, source_ids } of known) if (!dated && unchanged.has(source_ids[0]!)) undated.add(id);
  const isLong = now - (base?.record.published_ms ?? now) > DAY_MS; // Perhaps by a clock that was behind.
  const isRedated = ({ source, state }: Read[number]) => isLong || state.settings !== settingsOf(source);
  const redated = new Set(news.filter(isRedated).map(({ source }) => source.id));
  const urls = new Map(news.map(({ source }) => [source.id, source.location]));
  const merged = mergeItems(known, listed, redated, urls)
    .filter((item) => at(item) >= oldest || undated.has(item.id))
    .sort((a, b) => Number(b.dated) - Number(a.dated) || at(b) - at(a) || (a.id < b.id ? -1 : 1));
  const isOld = (item: ListedItem): boolean => item.dated && at(item) < oldest;
  const { kept, cut } = inShares(merged, max_items);
  const items: StoredItem[] = [];
  for (const item of kept) {
    items.push(isStored(item) ? item : { ...item, sentiment: sentimentOf(item.title, item.summary) });
    await step();
  }
  return { items, cut, isOld };
}

/** Splits items into those within `max` and those to cut. Each source keeps as many of its first ones as any other; what
 * smaller sources leave is shared by the larger ones (max-min fairness), so that no source can displace the others. */
function inShares(items: Listed, max: number): { kept: Listed; cut: Listed } {
  const lists = groupBy(items, ({ source_ids: [owner] }) => owner).values();
  const ranks = new Map(Array.from(lists, (list) => list.map((item, rank) => [item, rank] as const)).flat());
  const cut = new Set(items.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!).slice(max));
  return { kept: items.filter((item) => !cut.has(item)), cut: Array.from(cut) };
}

const isStored = (item: ListedItem): item is StoredItem => item.sentiment !== undefined;

type Counts = NonNullable<SourceState["last_read"]>;
/** Counts the entries of a feed that are kept, too old, and cut by `max_items`. @param entries absent for an unchanged one
 * @param lost its items that are cut now */
function keptOf(last: Counts, entries: Listed | undefined, lost: Listed, isOld: (item: ListedItem) => boolean): Counts {
  const more = Math.min(lost.length, last.kept);
  if (entries === undefined) return { ...last, kept: last.kept - more, cut: last.cut + more };
  const ids = new Set(lost.map(({ id }) => id));
  const old = entries.filter(isOld).length;
  const cut = entries.filter((item) => !isOld(item) && ids.has(item.id)).length;
  return { ...last, old, cut, kept: entries.length - old - cut };
}

interface Listings extends Pick<Parts, "notices" | "help">, Pick<SnapshotRecord, "index" | "sentiment_ms"> {}

/** The entries of complete listings. An entry that is no longer listed is dropped; a failed source keeps its entries. */
function nextListings(before: Listings, read: Read, now: number): Listings {
  const of = (wanted: Source["kind"]) => read.filter(({ source }) => source.kind === wanted);
  const notices = of("notice").flatMap(({ content }) =>
    content?.kind === "notice" ? content.entries : before.notices,
  );
  const help = of("help").flatMap(({ source, content }) =>
    content?.kind === "help" ? content.entries : before.help.filter(({ lang }) => lang === source.lang),
  );
  const [mood] = of("fear_greed");
  if (mood === undefined) return { notices, help, index: null, sentiment_ms: now };
  const index = mood.content?.kind === "fear_greed" ? mood.content.index : before.index;
  return { notices, help, index, sentiment_ms: mood.state.ok ? now : before.sentiment_ms };
}

async function nextTopics(items: Items, base: Base, options: BuildOptions, at: DateOf, step: Step, memory?: Memory) {
  const { cluster, partial } = options;
  const { topics, items: before } = base?.parts ?? EMPTY_PARTS;
  const { topic_state, partial: isPartial } = base?.record ?? {};
  const waiting = new Set(topic_state?.waiting);
  const isKnown = (a: StoredItem, b: StoredItem): boolean =>
    isSame(a, b) && a.published_ms === b.published_ms && !waiting.has(a.id);
  const fresh = changedOf(items, before, isKnown).map(({ id }) => id);
  // A partial snapshot may have been published without new topics.
  if (fresh.length === 0 && items.length === before.length && (topic_state || !isPartial))
    return { topics, topic_state };
  const added = (topic_state?.added ?? Infinity) + fresh.length;
  const isAnew = items.length <= CLUSTERING.known.items || added >= items.length;
  // The projection skips the removed items of a topic.
  if (!cluster || (partial && items.length > MAX_CLUSTERED))
    return { topics, topic_state: isAnew ? undefined : { added: topic_state!.added, waiting: fresh } };
  const next = await buildTopics(items, at, topics, step, memory, isAnew ? undefined : new Set(fresh));
  return { topics: next, topic_state: { added: isAnew ? 0 : added, waiting: [] } };
}

function countOf({ kind, lang }: Source, parts: Parts, index: number | null): number {
  if (kind === "notice") return parts.notices.length;
  return kind === "help" ? parts.help.filter((article) => article.lang === lang).length : Number(index !== null);
}

const isSame = (a: StoredItem, b: StoredItem): boolean => a.digest === b.digest;
const textOf = ({ title, summary }: StoredItem): string => fold(`${title}\n${summary}`).replace(/\s+/g, " ");
/** Whether two items have the same text, ignoring their dates, links, case and whitespace. */
const isSameText = (a: StoredItem, b: StoredItem): boolean => isSame(a, b) || textOf(a) === textOf(b);

type Entry = { id: string; lang: string };
type Same<T> = (a: T, b: T) => boolean;
function changedOf<T extends Entry>(after: readonly T[], before: readonly T[], same: Same<T> = isDeepStrictEqual): T[] {
  const known = new Map(before.map((entry) => [`${entry.lang}\n${entry.id}`, entry]));
  return after.filter((entry) => {
    const other = known.get(`${entry.lang}\n${entry.id}`);
    return other === undefined || !same(entry, other);
  });
}

/** Items per kind and language. A language is `unknown` when it could not be listed and nothing is left from an earlier
 * listing. Zero means that it was listed, or is not configured, and has no entries. */
function coverageOf(parts: Parts, read: Read): SnapshotRecord["coverage"] {
  const kinds = { news: parts.items, notice: parts.notices, help: parts.help };
  const coverage = Object.entries<readonly { lang: string }[]>(kinds).map(([kind, entries]) => {
    const unlisted = read.filter(({ source, state }) => source.kind === kind && state.last_ok_ms === null);
    const isUnlisted = (lang: string): boolean => unlisted.some(({ source }) => (source.lang ?? lang) === lang);
    const none = language.options.map((lang): Count => [lang, isUnlisted(lang) ? "unknown" : 0]);
    const byLang = groupBy(entries, ({ lang }) => lang);
    const listed = Array.from(byLang, ([lang, { length }]): Count => [lang, length]);
    return [kind, Object.fromEntries([...none, ...listed])] as const;
  });
  return Object.fromEntries(coverage);
}

type Count = readonly [lang: string, count: number | "unknown"];
