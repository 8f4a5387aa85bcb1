import type { z } from "zod";
import type { refreshResult } from "../../contract/schemas/news-schemas.ts";
import { type Clock, toIso } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import { coverageOf } from "../snapshot/coverage.ts";
import { mergeItems } from "../items/dedupe.ts";
import { feedItems } from "../items/feed-item.ts";
import type { ReaderOptions } from "../sources/fetch-source.ts";
import { type Listing, readArticles, readFearGreed, readNotices } from "../sources/listings.ts";
import { createEventLoopYield } from "../topics/event-loop-yield.ts";
import { createDateShifter, type DateShift, shiftAt } from "../snapshot/date-shift.ts";
import type { RefreshMode, Snapshot, SnapshotContent, SnapshotRecord } from "../snapshot/snapshot-document.ts";
import {
  createSourceReader,
  isLocal,
  mapBounded,
  type Source,
  type SourceReader,
  sourcesOf,
} from "../sources/sources.ts";
import { NO_PARTS, type Parts, type StoredArticle, type StoredItem, type StoredNotice } from "../items/stored-items.ts";
import { buildTopics, countRebuilt } from "../topics/build-topics.ts";

export type RefreshResult = z.infer<typeof refreshResult>;

const DAY = 86_400_000;
/** Sources read at once. */
const CONCURRENCY = 8;
/** What processing the sources may take, ms. */
const COMPUTING_MS = 60_000;
/** Minutes east of UTC of Chinese dates without a zone. */
const CHINA_ZONE = 8 * 60;

export interface RefreshDeps {
  readonly config: NewsConfig;
  readonly reader: ReaderOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shift: DateShift | undefined;
}

/**
 * The answer of a refresh that was published.
 *
 * @param never ISO 8601 time to show for a sync that never happened
 */
export function resultOf(record: SnapshotRecord, never: string): RefreshResult {
  return {
    refresh_mode: record.mode,
    news_updated_count: record.news_updated,
    notice_updated_count: record.notice_updated,
    topic_rebuild_count: record.topic_rebuild,
    last_full_sync_at: record.last_full_ms === null ? never : toIso(record.last_full_ms),
    sentiment_updated_at: record.sentiment_ms === null ? never : toIso(record.sentiment_ms),
  };
}

/** How long reading and processing the sources may take at most, ms. */
export function longestRefresh(config: NewsConfig): number {
  const listings = sourcesOf(config).filter(({ kind }) => kind !== "news").length;
  const rounds = Math.ceil(config.sources.length / CONCURRENCY) + listings;
  return rounds * config.timeout_ms + COMPUTING_MS;
}

/** The next snapshot, from the sources and the one before. */
export async function buildSnapshot(
  mode: RefreshMode,
  base: Snapshot | undefined,
  deps: RefreshDeps,
): Promise<SnapshotContent> {
  const now = deps.clock.now();
  const before = base?.parts ?? NO_PARTS;
  const sources = sourcesOf(deps.config);
  const reader = createSourceReader(base?.record.sources ?? [], deps);

  const items = await refreshItems(ofKind(sources, "news"), before.items, now, reader, deps);
  const mood = { index: base?.record.index ?? null, sentiment_ms: base?.record.sentiment_ms ?? null };
  const listed = { notices: before.notices, help: before.help, ...mood };
  const { notices, help, index, sentiment_ms } =
    mode === "full" ? await refreshListings(sources, listed, now, reader, deps) : listed;

  const move = createDateShifter(deps.shift, now);
  const topics = isSame(items, before.items)
    ? before.topics
    : await buildTopics(items, (item) => move(item.published_ms, item.movable), before.topics);
  const parts: Parts = { items, topics, notices, help };
  const states = sources.map((source) => ({ ...reader.state(source), items: countOf(source, parts, index) }));
  const record: SnapshotRecord = {
    mode,
    published_ms: now,
    last_full_ms: mode === "full" ? now : (base?.record.last_full_ms ?? null),
    sentiment_ms,
    index,
    news_updated: countChanged(items, before.items, ({ digest }) => digest),
    notice_updated:
      countChanged(notices, before.notices, noticeContent) + countChanged(help, before.help, articleContent),
    topic_rebuild: countRebuilt(topics, before.topics),
    coverage: coverageOf(parts, sources, states),
    sources: states,
  };
  return { record, parts };
}

function ofKind(sources: readonly Source[], kind: Source["kind"]): Source[] {
  return sources.filter((source) => source.kind === kind);
}

/** What a full refresh reads besides the news. */
interface Listings extends Pick<Parts, "notices" | "help">, Pick<SnapshotRecord, "index" | "sentiment_ms"> {}

async function refreshListings(
  sources: readonly Source[],
  before: Listings,
  now: number,
  reader: SourceReader,
  deps: RefreshDeps,
): Promise<Listings> {
  const notices = await refreshListing(ofKind(sources, "notice"), before.notices, reader, deps, (text, source) =>
    readNotices(text, isLocal(source)),
  );
  const help = await refreshListing(ofKind(sources, "help"), before.help, reader, deps, (text, source) =>
    readArticles(text, source.lang ?? "en", isLocal(source)),
  );
  const [fearGreed] = ofKind(sources, "fear_greed");
  if (fearGreed === undefined) return { notices, help, index: null, sentiment_ms: now };
  const day = isLocal(fearGreed) ? now - shiftAt(deps.shift, now) : now;
  const index = (await reader.read(fearGreed, (text) => readFearGreed(text, day))) ?? before.index;
  return { notices, help, index, sentiment_ms: reader.state(fearGreed).ok ? now : before.sentiment_ms };
}

async function refreshItems(
  sources: readonly Source[],
  before: readonly StoredItem[],
  now: number,
  reader: SourceReader,
  { config, shift }: RefreshDeps,
): Promise<StoredItem[]> {
  const yielder = createEventLoopYield(1);
  // Only a refresh reads feeds: the parser's library would slow the start of every other command.
  const { parseFeed } = await import("../sources/parse-feed.ts");
  const lists = await mapBounded(sources, CONCURRENCY, async (source) => {
    const list = await reader.read(source, (text, url) =>
      feedItems(source, parseFeed(text, source.lang === "zh" ? CHINA_ZONE : 0), now, url),
    );
    await yielder.step();
    return list;
  });
  const configured = new Set(sources.map(({ id }) => id));
  const known = before.flatMap((item) => {
    const ids = item.source_ids.filter((id) => configured.has(id));
    return ids.length === 0 ? [] : { ...item, source_ids: ids };
  });
  const listed = lists.flatMap((list) => list ?? []);
  const move = createDateShifter(shift, now);
  const at = (item: StoredItem): number => move(item.published_ms, item.movable);
  const oldest = now - config.max_age_days * DAY;
  // An undated item that its feed still lists would come back as new, so it does not age out.
  const undated = new Set(listed.filter(({ dated }) => !dated).map(({ id }) => id));
  return mergeItems(known, listed)
    .filter((item) => at(item) >= oldest || undated.has(item.id))
    .sort((a, b) => at(b) - at(a) || (a.id < b.id ? -1 : 1))
    .slice(0, config.max_items);
}

/** The entries of complete listings. An entry that is not listed any more is dropped; a failed source keeps its own. */
async function refreshListing<T extends StoredNotice | StoredArticle>(
  sources: readonly Source[],
  before: readonly T[],
  reader: SourceReader,
  { logger }: RefreshDeps,
  parse: (text: string, source: Source) => Listing<T>,
): Promise<T[]> {
  const lists = await mapBounded(sources, CONCURRENCY, async (source) => {
    const listing = await reader.read(source, (text) => parse(text, source));
    if (listing === undefined) return before.filter(({ lang }) => source.lang === undefined || lang === source.lang);
    if (listing.refused > 0) {
      logger.warn({ source: source.id, refused: listing.refused }, "entries of a listing are not valid and left out");
    }
    return listing.entries;
  });
  return lists.flat();
}

function countOf(source: Source, parts: Parts, index: number | null): number {
  switch (source.kind) {
    case "news":
      return parts.items.filter(({ source_ids }) => source_ids.includes(source.id)).length;
    case "notice":
      return parts.notices.length;
    case "help":
      return parts.help.filter(({ lang }) => lang === source.lang).length;
    case "fear_greed":
      return index === null ? 0 : 1;
  }
}

/** Whether both lists have the same content, so that the topics are the same too. */
function isSame(after: readonly StoredItem[], before: readonly StoredItem[]): boolean {
  return (
    after.length === before.length &&
    after.every(({ id, digest, published_ms }, index) => {
      const other = before[index]!;
      return id === other.id && digest === other.digest && published_ms === other.published_ms;
    })
  );
}

function noticeContent({ title, body, category, url, published_ms, symbols }: StoredNotice): string {
  return JSON.stringify([title, body, category, url, published_ms, symbols]);
}

function articleContent({ title, body, category, url, updated_ms }: StoredArticle): string {
  return JSON.stringify([title, body, category, url, updated_ms]);
}

/** How many entries are new or have other content than before. */
function countChanged<T extends { id: string; lang: string }>(
  after: readonly T[],
  before: readonly T[],
  contentOf: (entry: T) => string,
): number {
  const known = new Map(before.map((entry) => [`${entry.lang}\n${entry.id}`, contentOf(entry)]));
  return after.filter((entry) => known.get(`${entry.lang}\n${entry.id}`) !== contentOf(entry)).length;
}
