import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { hotTopics } from "../contract/schemas/news-schemas.ts";
import { type Clock, toIso } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";
import type { Storage } from "../storage/storage.ts";
import type { NewsConfig } from "../config/news-config.ts";
import type { Coverage } from "./snapshot/coverage.ts";
import { deepFreeze } from "./snapshot/deep-freeze.ts";
import { type BundledSnapshot, readBundledSnapshot } from "./snapshot/bundled-snapshot.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { type HelpArticle, type NewsItem, type Notice, type Projection, project } from "./snapshot/projection.ts";
import { buildSnapshot, longestRefresh, type RefreshResult, resultOf } from "./build-snapshot.ts";
import { createRefreshes, type RefreshMode } from "./snapshot/refreshes.ts";
import { mover, type DateShift, shiftAt } from "./snapshot/date-shift.ts";
import { createSnapshotStore, type OnDamage, type Snapshot, type Top } from "./snapshot/snapshot-store.ts";
import { createViews, type NewsList, type RefreshMeta, type TopicList, type Views } from "./snapshot/views.ts";

export type { HelpArticle, NewsItem, NewsList, Notice, RefreshMode, RefreshResult, TopicList };

/** Hot topics without the users' questions, which the service adds. */
export type HotTopics = Omit<z.infer<typeof hotTopics>, "user_hot_questions">;

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

/** How it stands with one source. */
export interface SourceStatus {
  readonly id: string;
  readonly kind: "news" | "notice" | "help" | "fear_greed";
  readonly name: string;
  /** URL or path, without credentials. */
  readonly url: string;
  readonly ok: boolean;
  readonly items: number;
  /** ISO 8601; null when it never succeeded. */
  readonly last_ok_at: string | null;
  readonly last_error: string | null;
}

export interface NewsStatus {
  /** Number of the snapshot: it grows from one to the next, not always by one; 0 when none was published yet. */
  readonly version: number;
  readonly published_at: string | null;
  readonly last_full_sync_at: string | null;
  readonly sentiment_updated_at: string | null;
  readonly mode: RefreshMode | null;
  readonly items: number;
  readonly topics: number;
  readonly notices: number;
  readonly help: number;
  readonly coverage: Coverage;
  readonly sources: readonly SourceStatus[];
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
  /** What snapshots are shown through. Default: {@link createViews}. */
  readonly views?: Views;
  /** The snapshot to fall back to. Default: the one of the package. */
  readonly bundledFile?: URL;
  /** Milliseconds that only grow, for how often a newer snapshot is looked for. Default: the platform's. */
  readonly monotonic?: () => number;
  /** Tells this process from all others, in plain characters of storage keys. Default: made for it. */
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
   * a time over all processes on the storage: who comes while one is running gets its result, or, wanting a full one
   * while a light one runs, the next. A process that gives no sign for `takeover_s` seconds is not waited for.
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
  /** How it stands with the sources. */
  status(): Promise<NewsStatus>;
  /** Gives up a refresh that runs, so that no other process waits for it. The storage stays open. */
  close(): Promise<void>;
}

/** What a refresh came to, and whether this process made it. */
interface Answer {
  readonly result: RefreshResult;
  readonly isOwn: boolean;
}

const LOOK_EVERY_MS = 1000;
const HOUR_S = 3600;

/** The news room of one process. */
export function createNews(deps: NewsDeps): News {
  const { config, clock, logger, shift } = deps;
  const store = createSnapshotStore(deps.storage);
  const views = deps.views ?? createViews();
  const monotonic = deps.monotonic ?? ((): number => performance.now());
  const reader = {
    baseDir: deps.baseDir,
    timeoutMs: config.timeout_ms,
    maxBytes: config.max_bytes,
    fetch: deps.fetch ?? fetch,
  };

  const onDamage: OnDamage = (version, error) => {
    logger.error({ version, error: error.message }, "a news snapshot is damaged");
  };

  let newest: Snapshot | undefined;
  /** Whether `newest` is the newest published one for all that is known. */
  let isLive = false;
  /** How the stream of snapshots ended when it was looked at last, and in which generation of the storage. */
  let seen: { readonly top: Top; readonly generation: number } | undefined;
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;
  let projection: Projection | undefined;
  let shown: { view: Projection; snapshot: NewsSnapshot } | undefined;
  let running: { mode: RefreshMode; answer: Promise<Answer> } | undefined;
  let next: Promise<Answer> | undefined;
  let bundled: BundledSnapshot | undefined;

  const refreshes = createRefreshes({
    store,
    clock,
    logger,
    monotonic,
    onDamage,
    holder: deps.holder ?? randomUUID(),
    leaseMs: config.takeover_s * 1000,
    longestMs: longestRefresh(config),
    async build(mode, top, signal) {
      const base = await store.newestReadable(top, onDamage, newest);
      return buildSnapshot(mode, base, { config, reader: { ...reader, signal }, clock, logger, shift });
    },
  });

  async function look(): Promise<void> {
    try {
      const generation = deps.storage.generation();
      // A server that failed over may have lost the end of the stream, and others may have written on from there.
      const isSame = seen?.generation === generation;
      const top = await store.top(isSame ? seen?.top : undefined);
      if ((top.snapshot !== newest?.version || !isSame) && top.snapshot > 0) {
        newest = (await store.newestReadable(top, onDamage, newest)) ?? newest;
      }
      seen = { top, generation };
      isLive = newest?.version === top.snapshot || top.snapshot === 0;
    } catch (error) {
      isLive = false;
      if (newest === undefined) throw error;
      // A storage that is lost is told where it is watched.
      if (!isOutage(error)) {
        logger.warn({ error: (error as Error).message }, "no newer news snapshot can be read; the last one stays");
      }
    }
    lookedAt = monotonic();
  }

  /** The newest snapshot as it looks now, or undefined when none was published. */
  async function latest(): Promise<Projection | undefined> {
    if (monotonic() - lookedAt >= LOOK_EVERY_MS) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return projected();
  }

  function projected(): Projection | undefined {
    if (newest === undefined) return undefined;
    const now = clock.now();
    const distance = shiftAt(shift, now);
    if (projection?.snapshot !== newest || projection.key !== `${newest.record.attempt}+${distance}`) {
      projection = project(newest, mover(shift, now), distance, projection);
    }
    return projection;
  }

  /** The bundled snapshot; a package without it has no topics to fall back to, and that is all. */
  async function bundledSnapshot(): Promise<BundledSnapshot> {
    if (bundled === undefined) {
      try {
        bundled = await readBundledSnapshot(deps.bundledFile);
      } catch (error) {
        logger.error({ error: (error as Error).message }, "the bundled snapshot of hot topics cannot be read");
        bundled = { published_at: toIso(0), topics: [] };
      }
    }
    return bundled;
  }

  async function runRefresh(mode: RefreshMode, after?: number): Promise<Answer> {
    const { record, own } = await refreshes.run(mode, after);
    if (own !== undefined) newest = own;
    // Who refreshed, or waited for it, sees it at once.
    lookedAt = -Infinity;
    return { result: resultOf(record, (await bundledSnapshot()).published_at), isOwn: own !== undefined };
  }

  function start(mode: RefreshMode, after?: number): Promise<Answer> {
    const answer = runRefresh(mode, after).finally(() => {
      running = undefined;
    });
    running = { mode, answer };
    return answer;
  }

  /** One at a time in this process: the next one waits here instead of looking at the storage. */
  function refresh(mode: RefreshMode): Promise<Answer> {
    if (running === undefined) return start(mode);
    if (mode === "view" || running.mode === "full") return running.answer;
    next ??= running.answer
      .catch(() => undefined)
      .then(() => start("full"))
      .finally(() => {
        next = undefined;
      });
    return next;
  }

  async function liveHotTopics(query: { days: number; limit: number; lang?: string }): Promise<HotTopics | undefined> {
    const view = await latest();
    if (view === undefined || view.items.length === 0) return undefined;
    const now = clock.now();
    const { record } = view.snapshot;
    const lang = nearestLanguage(query.lang ?? "zh");
    const never = (await bundledSnapshot()).published_at;
    return {
      topics: views.headlines(view, now, query.limit, query.days, lang),
      sentiment_overview: views.sentiment(view, now, query.days),
      refresh_meta: {
        last_full_sync_at: record.last_full_ms === null ? never : toIso(record.last_full_ms),
        last_refresh_at: toIso(record.published_ms),
        sentiment_updated_at: record.sentiment_ms === null ? null : toIso(record.sentiment_ms),
        source: isLive ? "live" : "fallback",
        stale: now - record.published_ms > (config.refresh_interval_s * 3 || HOUR_S) * 1000,
        coverage: record.coverage,
      },
    };
  }

  async function bundledHotTopics(query: { limit: number; lang?: string }): Promise<HotTopics> {
    const { topics, published_at } = await bundledSnapshot();
    const lang = nearestLanguage(query.lang ?? "zh");
    const record = newest?.record;
    const meta: RefreshMeta = {
      last_full_sync_at: published_at,
      last_refresh_at: record === undefined ? null : toIso(record.published_ms),
      sentiment_updated_at: null,
      source: "fallback",
      stale: true,
      coverage: record?.coverage ?? {},
    };
    return {
      topics: topics.slice(0, query.limit).map((topic) => ({ topic: topic[lang], heat: topic.heat })),
      sentiment_overview: { dominant: "neutral", positive: 0, neutral: 0, negative: 0, index: null, updated_at: null },
      refresh_meta: meta,
    };
  }

  return {
    async current() {
      const view = await latest();
      if (view === undefined) return NO_SNAPSHOT;
      if (shown?.view !== view) {
        const { version, record } = view.snapshot;
        const { items, notices, help } = view;
        const published_at = toIso(record.published_ms);
        shown = { view, snapshot: Object.freeze({ version, published_at, items, notices, help }) };
      }
      return shown.snapshot;
    },
    async hot({ limit, hours }) {
      const view = await latest();
      return view === undefined ? NO_NEWS : views.hot(view, clock.now(), limit, hours);
    },
    async topics({ limit, lang }) {
      const view = await latest();
      return view === undefined ? NO_TOPICS : views.topics(view, clock.now(), limit, nearestLanguage(lang));
    },
    async hotTopics(query) {
      try {
        const live = await liveHotTopics(query);
        if (live !== undefined) return live;
      } catch (error) {
        if (!isOutage(error)) {
          logger.error({ error: (error as Error).stack }, "hot topics failed; the bundled snapshot is shown");
        }
      }
      return bundledHotTopics(query);
    },
    async refresh(mode) {
      return (await refresh(mode)).result;
    },
    async refreshAfter(after, mode) {
      const { result, isOwn } = await (running === undefined ? start(mode, after) : refresh(mode));
      return isOwn ? result : undefined;
    },
    close: () => refreshes.close(),
    async status() {
      const view = await latest();
      const record = view?.snapshot.record;
      const iso = (ms: number | null | undefined): string | null =>
        ms === null || ms === undefined ? null : toIso(ms);
      return {
        version: view?.snapshot.version ?? 0,
        published_at: iso(record?.published_ms),
        last_full_sync_at: iso(record?.last_full_ms),
        sentiment_updated_at: iso(record?.sentiment_ms),
        mode: record?.mode ?? null,
        items: view?.items.length ?? 0,
        topics: view?.topics.length ?? 0,
        notices: view?.notices.length ?? 0,
        help: view?.help.length ?? 0,
        coverage: record?.coverage ?? {},
        sources: (record?.sources ?? []).map(({ id, kind, name, url, ok, items, last_ok_ms, last_error }) => ({
          id,
          kind,
          name,
          url,
          ok,
          items,
          last_ok_at: iso(last_ok_ms),
          last_error,
        })),
      };
    },
  };
}

const NO_SNAPSHOT: NewsSnapshot = deepFreeze({ version: 0, published_at: null, items: [], notices: [], help: [] });
const NO_NEWS: NewsList = deepFreeze({ news: [], total: 0 });
const NO_TOPICS: TopicList = deepFreeze({ topics: [], total: 0 });
