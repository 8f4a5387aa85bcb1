import type { NewsConfig } from "../config/news-config.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { type Clock, toIso } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { systemRandom, type Random } from "../runtime/random.ts";
import { printKey } from "../storage/documents.ts";
import type { Storage } from "../storage/storage.ts";
import { createHotTopics } from "./hot-topics.ts";
import type { JobRunner } from "../compute/job-runner.ts";
import { createHeldSnapshots, type HeldSnapshot, type Projection } from "./jobs/held-snapshots.ts";
import type { NewsJobs } from "./jobs/news-jobs.ts";
import { newsInProcess } from "./jobs/news-runner.ts";
import { type RefreshResult, resultOf } from "./refresh/build-snapshot.ts";
import {
  longestRefresh,
  createSharedRefresh,
  type SharedRefresh,
  type SharedRefreshDeps,
} from "./refresh/shared-refresh.ts";
import { createRefreshLease } from "./refresh/refresh-lease.ts";
import { createSourceFetch } from "./sources/public-fetch.ts";
import { createSourcePacing } from "./sources/source-pacing.ts";
import { createBundledSnapshot } from "./snapshot/bundled-snapshot.ts";
import type { DateShift } from "./snapshot/date-shift.ts";
import { deepFreeze } from "./snapshot/deep-freeze.ts";
import { LatestSnapshot } from "./snapshot/latest-snapshot.ts";
import type { RefreshMode } from "./snapshot/snapshot-document.ts";
import { createSnapshotStore } from "./snapshot/snapshot-store.ts";
import { createSnapshotViews, type NewsList, type TopicList } from "./snapshot/snapshot-views.ts";

export type { RefreshMode };

/** A published snapshot as readers see it, frozen. It is the same object while it is the newest one, and each of its
 * arrays is the same object while its content stays, over the snapshots too: what is made of them can be kept by
 * identity. */
export interface NewsSnapshot extends Pick<Projection, "items" | "notices" | "help"> {
  /** Number of the snapshot: it grows from one to the next, not always by one; 0 when none was published yet. */
  readonly version: number;
  /** ISO 8601; null when none was published yet. */
  readonly published_at: string | null;
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
  /** Spreads the times at which failing sources are asked again, and names this process. Default: the system's. */
  readonly random?: Random;
  /** A source that takes longer does not hold up the others, ms. Default: 2 s. */
  readonly slowMs?: number;
  /** Runs what costs time by foreign text. Default: in this process. */
  readonly runner?: JobRunner<NewsJobs>;
  /** Makes the answers about a projection. Default: {@link createSnapshotViews}. */
  readonly views?: typeof createSnapshotViews;
  /** The snapshot to fall back to. Default: the one of the package. */
  readonly bundledFile?: URL;
  /** Milliseconds that only grow, for how often a newer snapshot is looked for. Default: the platform's. */
  readonly monotonic?: () => number;
}

export type News = ReturnType<typeof createNews>;

/** The news room of one process.
 * @example
 * const config = newsConfig.parse({ sources: [{ id: "wire", name: "Wire", lang: "en", url: "wire.xml" }] });
 * const news = createNews({ config, baseDir: ".", storage, clock: systemClock, logger });
 * await news.refresh("full");
 * const { news: items, total } = await news.hot({ limit: 10, hours: 48 });
 */
export function createNews(deps: NewsDeps) {
  const { config, clock, logger, storage, shift, views = createSnapshotViews } = deps;
  const monotonic = deps.monotonic ?? ((): number => performance.now());
  const runner = deps.runner ?? newsInProcess();
  const held = createHeldSnapshots(runner, shift);
  const store = createSnapshotStore<HeldSnapshot>(
    storage,
    (version, error) => {
      logger.error({ version, error: error.message }, "a news snapshot is damaged");
    },
    (version, text, key) => held.open(version, text, printKey(key)),
  );
  const latest = new LatestSnapshot({ storage, store, held, clock, logger, monotonic, shift });
  const viewsOf = ofLast((projection) => views(projection, () => latest.topics(projection)));
  const shown = ofLast(({ snapshot: { version, record }, items, notices, help }): NewsSnapshot => {
    return Object.freeze({ version, published_at: toIso(record.published_ms), items, notices, help });
  });
  const bundled = createBundledSnapshot(logger, deps.bundledFile);
  const shared = openRefresh(deps, { runner, held, store, latest, bundled }, monotonic);

  return {
    /** The newest published snapshot. It is kept in memory; a newer one of another process is looked for at most once a
     * second. When the storage fails, what is in memory stays.
     * @throws StorageError when the storage fails and nothing is in memory */
    async current(): Promise<NewsSnapshot> {
      const projection = await latest.projection();
      return projection === undefined ? NO_SNAPSHOT : shown(projection);
    },
    /** Items of the last `hours`, newest first; `total` counts all of them. The same frozen object until the snapshot
     * changes or an item leaves the window. */
    async hot({ limit, hours }: { limit: number; hours: number }): Promise<NewsList> {
      const projection = await latest.projection();
      return projection === undefined ? NO_NEWS : viewsOf(projection).hot(clock.now(), limit, hours);
    },
    /** Topics by heat, titled in the nearest language to `lang` that we have. Topics without an item in it come after
     * the others, in their own language. The same frozen object until the snapshot or the minute changes. */
    async topics({ limit, lang }: { limit: number; lang: string }): Promise<TopicList> {
      const projection = await latest.projection();
      return projection === undefined
        ? NO_TOPICS
        : viewsOf(projection).topics(clock.now(), limit, nearestLanguage(lang));
    },
    /** Hot topics of the last `days`; never fails. What is shown comes from the newest snapshot (`source: "live"`), or
     * from the last one in memory, the last one that can be read, or the one bundled with the package (`"fallback"`; also
     * while there is no news at all). `stale` is true when the last refresh is longer ago than three refresh intervals
     * (an hour when the interval is 0), and for the bundled one. */
    hotTopics: createHotTopics({ latest, viewsOf, bundled, clock, logger, interval_s: config.refresh_interval_s }),
    /** Reads the sources and publishes a snapshot: `view` the news, `full` also notices, help center and sentiment. One
     * at a time over all processes on the storage: a caller who comes while one is running gets its result, or that of
     * the next one if it wants a full one while a light one runs. A process that gives no sign of life for `takeover_s`
     * seconds is not waited for.
     * @param notWithin_ms where the last refresh, for `full` the last full one, was so recent, its result is returned
     * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead */
    async refresh(mode: RefreshMode, notWithin_ms = 0): Promise<RefreshResult> {
      const record = notWithin_ms === 0 ? undefined : (await latest.look()).snapshot?.record;
      const last_ms = mode === "full" ? record?.last_full_ms : record?.published_ms;
      const age_ms = clock.now() - (last_ms ?? -Infinity);
      const isRecent = record !== undefined && record.partial !== true && age_ms >= 0 && age_ms < notWithin_ms;
      if (isRecent) return resultOf(record, (await bundled()).published_at, mode);
      return (await shared.refresh(mode)).result;
    },
    /** Refreshes unless a snapshot newer than number `after` was published, by whichever process.
     * @returns undefined when there was one */
    async refreshAfter(after: number, mode: RefreshMode): Promise<RefreshResult | undefined> {
      const { result, isOwn } = await shared.refreshAfter(after, mode);
      return isOwn ? result : undefined;
    },
    /** The state of the newest snapshot and of each source. */
    status: async () => statusOf(await latest.projection()),
    /** Aborts a running refresh, so that no other process waits for it. The storage stays open. */
    async close(): Promise<void> {
      await Promise.all([shared.close(), runner.close()]);
    },
  };
}

function openRefresh(
  { config, baseDir, storage, clock, logger, shift, slowMs, random = systemRandom }: NewsDeps,
  parts: Pick<SharedRefreshDeps, "runner" | "held" | "store" | "latest" | "bundled">,
  monotonic: () => number,
): SharedRefresh {
  const holder = random.bytes(8).toString("hex");
  const limits = { leaseMs: config.takeover_s * 1000, longestMs: longestRefresh(config) };
  const lease = createRefreshLease({ storage, clock, logger, monotonic, holder, ...limits });
  const { timeout_ms: timeoutMs, max_bytes: maxBytes, contact } = config;
  const reader = { baseDir, timeoutMs, maxBytes, fetch: createSourceFetch(contact), now: () => clock.now() };
  const pacing = createSourcePacing(clock, random);
  return createSharedRefresh({ ...parts, config, clock, logger, shift, slowMs, lease, reader, pacing });
}

function ofLast<T>(make: (projection: Projection) => T): (projection: Projection) => T {
  let last: { readonly projection: Projection; readonly made: T } | undefined;
  return (projection) => {
    if (last?.projection !== projection) last = { projection, made: make(projection) };
    return last.made;
  };
}

const NO_SNAPSHOT: NewsSnapshot = deepFreeze({ version: 0, published_at: null, items: [], notices: [], help: [] });
const NO_NEWS: NewsList = deepFreeze({ news: [], total: 0 });
const NO_TOPICS: TopicList = deepFreeze({ topics: [], total: 0 });

export type NewsStatus = Readonly<ReturnType<typeof statusOf>>;

/** The state of the newest snapshot, or of none, and of each source. Times are ISO 8601, null for what never was. */
export function statusOf(projection: Projection | undefined) {
  const record = projection?.snapshot.record;
  return {
    /** Number of the snapshot: it grows from one to the next, not always by one; 0 when none was published yet. */
    version: projection?.snapshot.version ?? 0,
    published_at: isoOrNull(record?.published_ms),
    last_full_sync_at: isoOrNull(record?.last_full_ms),
    sentiment_updated_at: isoOrNull(record?.sentiment_ms),
    mode: record?.mode ?? null,
    items: projection?.items.length ?? 0,
    topics: projection?.topicCount ?? 0,
    notices: projection?.notices.length ?? 0,
    help: projection?.help.length ?? 0,
    coverage: record?.coverage ?? {},
    sources: (record?.sources ?? []).map(({ id, kind, name, url, ok, items, last_ok_ms, last_error }) => {
      return { id, kind, name, url, ok, items, last_ok_at: isoOrNull(last_ok_ms), last_error };
    }),
  };
}

function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : toIso(ms);
}
