import type { NewsConfig } from "../config/news-config.ts";
import type { OperationData } from "../contract/endpoints.ts";
import type { NewsFilter } from "../contract/schemas/news-schemas.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { memoized } from "../runtime/cache/memoized.ts";
import { type Clock, toIsoOrNull } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { systemRandom, type Random } from "../runtime/random.ts";
import type { Storage } from "../storage/storage.ts";
import { createBundledSnapshot, createHotTopics } from "./hot-topics.ts";
import type { JobRunner } from "../compute/job-runner.ts";
import type { NewsJobs } from "./jobs/news-jobs.ts";
import { newsInProcess } from "./jobs/news-runner.ts";
import { maxRefreshTime, createSharedRefresh } from "./refresh/shared-refresh.ts";
import { createRefreshLease } from "./refresh/refresh-lease.ts";
import { createSourceFetch } from "./sources/public-fetch.ts";
import { createSourcePacing, isDisabled } from "./sources/source-pacing.ts";
import { deepFreeze } from "../runtime/deep-freeze.ts";
import type { DateShift } from "./snapshot/date-shift.ts";
import { LatestSnapshot, createSnapshotViews } from "./snapshot/latest-snapshot.ts";
import type { Projection, NewsList, TopicList } from "./snapshot/latest-snapshot.ts";
import type { RefreshMode, SnapshotRecord, SourceState } from "./snapshot/snapshot-document.ts";
import { createSnapshotStore } from "./snapshot/snapshot-store.ts";
import { createFilteredViews, isUnfiltered } from "./snapshot/filtered-views.ts";

export type { RefreshMode };

/** The published snapshot as readers see it, frozen. It is the same object while it is the newest one, and each of its
 * arrays is the same object while its content is unchanged, also in later snapshots, so that derived data can be cached
 * by identity. The version is 0 when nothing was published yet. */
export type NewsSnapshot = Partial<Projection> & Pick<Projection, "version" | "items" | "notices" | "help">;

export interface NewsDeps {
  readonly config: NewsConfig;
  readonly baseDir: string; // Folder that relative paths of the config start from.
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shift?: DateShift | undefined; // Moves the dates of local files to now, for fixtures.
  /** Jitter of the retries of failing sources, and the name of this process. Default: the system's. */
  readonly random?: Random;
  readonly slowMs?: number; // A source that takes longer does not block the others, ms. Default: 250.
  readonly runner?: JobRunner<NewsJobs> | undefined; // Runs the work whose time depends on foreign text. Default: in this process.
  readonly views?: typeof createSnapshotViews | undefined; // Creates the views of a projection. Default: `createSnapshotViews`.
  readonly bundledFile?: URL; // The snapshot to fall back to. Default: the one of the package.
  /** Monotonic clock, ms, which limits how often a newer snapshot is looked for. Default: the platform's. */
  readonly monotonic?: () => number;
}

export type News = ReturnType<typeof createNews>;

/** The news service of one process. */
export function createNews(deps: NewsDeps) {
  const { config, clock, logger, storage, shift, views = createSnapshotViews, random = systemRandom } = deps;
  const { runner = newsInProcess(), monotonic = (): number => performance.now() } = deps;
  const store = createSnapshotStore(storage, (version, error) => {
    logger.error({ version, error: error.message }, "a news snapshot is damaged");
  });
  const latest = new LatestSnapshot({ storage, store, runner, clock, logger, monotonic, shift });
  const viewsOf = memoized(views, 1);
  const filteredOf = memoized(createFilteredViews, 1);
  const newest = async (filter: NewsFilter) => {
    const projection = await latest.projection();
    return projection && (isUnfiltered(filter) ? viewsOf(projection) : filteredOf(projection)(filter));
  };
  const bundled = createBundledSnapshot(logger, deps.bundledFile);
  const { takeover_s, timeout_ms: timeoutMs, max_bytes: maxBytes, contact } = config;
  const limits = { leaseMs: takeover_s * 1000, longestMs: maxRefreshTime(config) };
  const holder = random.bytes(8).toString("hex");
  const shared = createSharedRefresh({
    ...{ config, storage, clock, logger, shift, store, latest, runner, slowMs: deps.slowMs },
    takeLease: createRefreshLease({ storage, clock, logger, monotonic, holder, ...limits }),
    reader: { baseDir: deps.baseDir, timeoutMs, maxBytes, fetch: createSourceFetch(contact), now: () => clock.now() },
    pacing: createSourcePacing(clock, random),
  });
  const resultOf = async (record: SnapshotRecord, mode = record.mode): Promise<OperationData<"refreshNews">> => {
    const { published_at: never } = await bundled(); // Shown as the time of a sync that never happened.
    return {
      refresh_mode: mode,
      news_updated_count: record.news_updated,
      notice_updated_count: mode === "view" ? 0 : record.notice_updated,
      topic_rebuild_count: record.topic_rebuild,
      last_full_sync_at: toIsoOrNull(record.last_full_ms) ?? never,
      sentiment_updated_at: toIsoOrNull(record.sentiment_ms) ?? never,
    };
  };

  return {
    /** The newest snapshot, cached in memory. A newer one of another process is looked for at most once a second; in an
     * outage the cached one is returned. @throws StorageError in an outage if none is cached */
    current: async (): Promise<NewsSnapshot> => (await latest.projection()) ?? NO_SNAPSHOT,
    /** Items of the last `hours`, newest first, and their `total`. The same frozen object until one of them changes. */
    hot: async ({ limit, hours, ...filter }: { limit: number; hours: number } & NewsFilter): Promise<NewsList> =>
      (await newest(filter))?.hot(clock.now(), limit, hours) ?? NO_NEWS,
    /** Topics by heat, with titles in the supported language nearest to `lang`. Topics without an item in it come last,
     * in their own language. The same frozen object until the snapshot or the minute changes. */
    topics: async ({ limit, lang, ...filter }: { limit: number; lang: string } & NewsFilter): Promise<TopicList> =>
      (await newest(filter))?.topics(clock.now(), limit, nearestLanguage(lang)) ?? NO_TOPICS,
    /** Hot topics of the last `days`; never rejects. They come from the newest snapshot (`source: "live"`), else from the
     * last one in memory, the last readable one or the bundled one (`"fallback"`; also if no source had news). `stale` if
     * the last refresh is longer ago than three intervals (an hour when that is 0), and for the bundled one. */
    hotTopics: createHotTopics({ latest, viewsOf, bundled, clock, logger, interval_s: config.refresh_interval_s }),
    /** Reads the sources and publishes a snapshot: `view` reads the news, `full` also notices, help center and sentiment.
     * One refresh runs at a time per storage. Concurrent callers share its result; a `full` caller waits for the next one
     * if a `view` refresh is running. A process that renews no lease for `takeover_s` is not waited for.
     * @param notWithin_ms if the last refresh (for `full`, the last full one) is more recent, its result is returned
     * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead */
    async refresh(mode: RefreshMode, notWithin_ms = 0) {
      if (notWithin_ms > 0) await latest.look();
      const record = latest.shown?.record;
      const last_ms = mode === "full" && record?.mode !== mode ? record?.last_full_ms : record?.published_ms;
      const age_ms = clock.now() - (last_ms ?? -Infinity);
      const isRecent = record !== undefined && record.partial !== true && age_ms >= 0 && age_ms < notWithin_ms;
      return isRecent ? resultOf(record, mode) : resultOf((await shared.refresh(mode)).record);
    },
    /** Refreshes unless a snapshot newer than number `after` was published; returns undefined in that case. */
    async refreshAfter(after: number, mode: RefreshMode) {
      const { record, isOwn } = await shared.refreshAfter(after, mode);
      return isOwn ? resultOf(record) : undefined;
    },
    hasChanged: shared.hasChanged,
    /** How many sources this process's refresh has read, and the names of those it waits for; undefined without one. */
    reading: shared.reading,
    status: async () => statusOf(await latest.projection()), // The state of the newest snapshot and of each source.
    /** Aborts a running refresh, so that no other process waits for it. The storage stays open. */
    close: async () => void (await Promise.all([shared.close(), runner.close()])),
  };
}

const NO_SNAPSHOT: NewsSnapshot = deepFreeze({ version: 0, items: [], notices: [], help: [] });
const NO_NEWS: NewsList = deepFreeze({ news: [], total: 0 });
const NO_TOPICS: TopicList = deepFreeze({ topics: [], total: 0 });

/** The state of the newest snapshot, or of none, and of each source. Times are ISO 8601, null for what never was. */
function statusOf(projection: Projection | undefined) {
  const record = projection?.record;
  return {
    /** Number of the snapshot. It increases, not always by one; 0 when none was published yet. */
    version: projection?.version ?? 0,
    published_at: toIsoOrNull(record?.published_ms),
    last_full_sync_at: toIsoOrNull(record?.last_full_ms),
    sentiment_updated_at: toIsoOrNull(record?.sentiment_ms),
    mode: record?.mode ?? null,
    ...{ items: projection?.items.length ?? 0, topics: projection?.topics.total ?? 0 },
    ...{ notices: projection?.notices.length ?? 0, help: projection?.help.length ?? 0 },
    coverage: record?.coverage ?? {},
    sources: (record?.sources ?? []).map((source) => {
      const { id, kind, name, url, ok, items, last_ok_ms, last_error, elsewhere = 0 } = source;
      const { failures = 0, next_ms, status: http_status = null, unchanged = null, last_read = null } = source;
      return {
        ...{ id, kind, name, url, ok, state: stateOf(source), items, last_ok_at: toIsoOrNull(last_ok_ms), last_error },
        /** `elsewhere`: items shown as another source's. `unchanged`: the last read found nothing new. `last_read`: counts of the last read that did. */
        ...{ elsewhere, failures, next_try_at: toIsoOrNull(next_ms), http_status, unchanged, last_read },
      };
    }),
  };
}

function stateOf(source: SourceState): "ok" | "empty" | "unread" | "failed" | "disabled" {
  if (source.failure === "empty") return "empty";
  if (source.ok) return "ok";
  return source.last_error === null ? "unread" : isDisabled(source) ? "disabled" : "failed";
}
