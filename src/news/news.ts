import { randomUUID } from "node:crypto";
import type { NewsConfig } from "../config/news-config.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { type Clock, toIso } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Storage } from "../storage/storage.ts";
import { createHotTopics, type HotTopics } from "./hot-topics.ts";
import { type NewsStatus, type SourceStatus, statusOf } from "./news-status.ts";
import { buildSnapshot, longestRefresh, type RefreshResult, resultOf } from "./refresh/build-snapshot.ts";
import { createRefreshLease } from "./refresh/refresh-lease.ts";
import { createRefreshQueue } from "./refresh/refresh-queue.ts";
import { createSharedRefresh, type SharedRefresh } from "./refresh/shared-refresh.ts";
import { createBundledSnapshot } from "./snapshot/bundled-snapshot.ts";
import type { DateShift } from "./snapshot/date-shift.ts";
import { deepFreeze } from "./snapshot/deep-freeze.ts";
import { LatestSnapshot } from "./snapshot/latest-snapshot.ts";
import type { HelpArticle, NewsItem, Notice, Projection } from "./snapshot/projection.ts";
import type { RefreshMode } from "./snapshot/snapshot-document.ts";
import { createSnapshotStore, type SnapshotStore } from "./snapshot/snapshot-store.ts";
import { type NewsList, SnapshotViews, type TopicList } from "./snapshot/snapshot-views.ts";

export type {
  HelpArticle,
  HotTopics,
  NewsItem,
  NewsList,
  NewsStatus,
  Notice,
  RefreshMode,
  RefreshResult,
  SourceStatus,
  TopicList,
};

/**
 * A published snapshot as readers see it, frozen. It is the same object while it is the newest one, and each of its
 * arrays is the same object while its content stays, over the snapshots too: what is made of them can be kept by
 * identity.
 */
export interface NewsSnapshot {
  /** Number of the snapshot: it grows from one to the next, not always by one; 0 when none was published yet. */
  readonly version: number;
  /** ISO 8601; null when none was published yet. */
  readonly published_at: string | null;
  /** Newest first. */
  readonly items: readonly NewsItem[];
  readonly notices: readonly Notice[];
  readonly help: readonly HelpArticle[];
}

export interface NewsDeps {
  readonly config: NewsConfig;
  /** Folder that relative paths of the config start from. */
  readonly baseDir: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Moves the dates of local files to now, for fixtures. */
  readonly shift?: DateShift;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Makes the answers about a projection. Default: {@link SnapshotViews}. */
  readonly views?: (projection: Projection) => SnapshotViews;
  /** The snapshot to fall back to. Default: the one of the package. */
  readonly bundledFile?: URL;
  /** Milliseconds that only grow, for how often a newer snapshot is looked for. Default: the platform's. */
  readonly monotonic?: () => number;
  /** Identifies this process among all others. Default: random. */
  readonly holder?: string;
}

export interface News {
  /**
   * The newest published snapshot. It is kept in memory; a newer one of another process is looked for at most once a
   * second. When the storage fails, what is in memory stays.
   *
   * @throws StorageError when the storage fails and nothing is in memory
   */
  current(): Promise<NewsSnapshot>;
  /**
   * Items of the last `hours`, newest first; `total` counts all of them. The same frozen object until the snapshot
   * changes or an item leaves the window.
   */
  hot(query: { limit: number; hours: number }): Promise<NewsList>;
  /**
   * Topics by heat, titled in the nearest language to `lang` that we have. Topics without an item in it come after the
   * others, in their own language. The same frozen object until the snapshot or the minute changes.
   */
  topics(query: { limit: number; lang: string }): Promise<TopicList>;
  /**
   * Hot topics of the last `days`; never fails. What is shown comes from the newest snapshot (`source: "live"`), or
   * from the last one in memory, the last one that can be read, or the one bundled with the package (`"fallback"`; also
   * while there is no news at all). `stale` is true when the last refresh is longer ago than three refresh intervals
   * (an hour when the interval is 0), and for the bundled one.
   */
  hotTopics(query: { days: number; limit: number; lang?: string }): Promise<HotTopics>;
  /**
   * Reads the sources and publishes a snapshot: `view` the news, `full` also notices, help center and sentiment. One at
   * a time over all processes on the storage: a caller who comes while one is running gets its result, or that of the
   * next one if it wants a full one while a light one runs. A process that gives no sign of life for `takeover_s`
   * seconds is not waited for.
   *
   * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead
   */
  refresh(mode: RefreshMode): Promise<RefreshResult>;
  /**
   * Refreshes unless a snapshot newer than number `after` was published, by whichever process.
   *
   * @returns undefined when there was one
   */
  refreshAfter(after: number, mode: RefreshMode): Promise<RefreshResult | undefined>;
  /** The state of the newest snapshot and of each source. */
  status(): Promise<NewsStatus>;
  /** Aborts a running refresh, so that no other process waits for it. The storage stays open. */
  close(): Promise<void>;
}

/**
 * The news room of one process.
 *
 * @example
 * const config = newsConfig.parse({ sources: [{ id: "wire", name: "Wire", lang: "en", url: "wire.xml" }] });
 * const news = createNews({ config, baseDir: ".", storage, clock: systemClock, logger });
 * await news.refresh("full");
 * const { news: items, total } = await news.hot({ limit: 10, hours: 48 });
 */
export function createNews(deps: NewsDeps): News {
  const { config, clock, logger, storage, shift } = deps;
  const monotonic = deps.monotonic ?? ((): number => performance.now());
  const store = createSnapshotStore(storage, (version, error) => {
    logger.error({ version, error: error.message }, "a news snapshot is damaged");
  });
  const latest = new LatestSnapshot({ storage, store, clock, logger, monotonic, shift });
  const viewsOf = cachedViews(deps.views ?? ((projection) => new SnapshotViews(projection)));
  const bundled = createBundledSnapshot(logger, deps.bundledFile);
  const hotTopics = createHotTopics({ latest, viewsOf, bundled, clock, logger, interval_s: config.refresh_interval_s });
  const current = currentSnapshot(latest);
  const shared = sharedRefresh(deps, { store, latest, monotonic });
  const queue = createRefreshQueue(async (mode, after) => {
    const { snapshot, isOwn } = await shared.run(mode, after);
    return { result: resultOf(snapshot.record, (await bundled()).published_at), isOwn };
  });

  return {
    current,
    async hot({ limit, hours }) {
      const projection = await latest.projection();
      return projection === undefined ? NO_NEWS : viewsOf(projection).hot(clock.now(), limit, hours);
    },
    async topics({ limit, lang }) {
      const projection = await latest.projection();
      return projection === undefined
        ? NO_TOPICS
        : viewsOf(projection).topics(clock.now(), limit, nearestLanguage(lang));
    },
    hotTopics,
    refresh: async (mode) => (await queue.refresh(mode)).result,
    async refreshAfter(after, mode) {
      const { result, isOwn } = await queue.refreshAfter(after, mode);
      return isOwn ? result : undefined;
    },
    status: async () => statusOf(await latest.projection()),
    close: () => shared.close(),
  };
}

function sharedRefresh(
  deps: NewsDeps,
  { store, latest, monotonic }: { store: SnapshotStore; latest: LatestSnapshot; monotonic: () => number },
): SharedRefresh {
  const { config, baseDir, storage, clock, logger, shift } = deps;
  const lease = createRefreshLease({
    storage,
    clock,
    logger,
    monotonic,
    holder: deps.holder ?? randomUUID(),
    leaseMs: config.takeover_s * 1000,
    longestMs: longestRefresh(config),
  });
  const reader = {
    baseDir,
    timeoutMs: config.timeout_ms,
    maxBytes: config.max_bytes,
    fetch: deps.fetch ?? fetch,
  };
  return createSharedRefresh({
    store,
    latest,
    lease,
    logger,
    build: (mode, base, signal) =>
      buildSnapshot(mode, base, { config, reader: { ...reader, signal }, clock, logger, shift }),
  });
}

/** One set of views for the last projection. */
function cachedViews(make: (projection: Projection) => SnapshotViews): (projection: Projection) => SnapshotViews {
  let last: { readonly projection: Projection; readonly views: SnapshotViews } | undefined;
  return (projection) => {
    if (last?.projection !== projection) last = { projection, views: make(projection) };
    return last.views;
  };
}

/** The newest snapshot for {@link News.current}: one object for each projection. */
function currentSnapshot(latest: LatestSnapshot): () => Promise<NewsSnapshot> {
  let last: { readonly projection: Projection; readonly snapshot: NewsSnapshot } | undefined;
  return async () => {
    const projection = await latest.projection();
    if (projection === undefined) return NO_SNAPSHOT;
    if (last?.projection !== projection) {
      const { snapshot, items, notices, help } = projection;
      const published_at = toIso(snapshot.record.published_ms);
      last = { projection, snapshot: Object.freeze({ version: snapshot.version, published_at, items, notices, help }) };
    }
    return last.snapshot;
  };
}

const NO_SNAPSHOT: NewsSnapshot = deepFreeze({ version: 0, published_at: null, items: [], notices: [], help: [] });
const NO_NEWS: NewsList = deepFreeze({ news: [], total: 0 });
const NO_TOPICS: TopicList = deepFreeze({ topics: [], total: 0 });
