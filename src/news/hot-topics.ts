import type { z } from "zod";
import type { hotTopics } from "../contract/schemas/news-schemas.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { type Clock, toIso } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";
import type { BundledSnapshot } from "./snapshot/bundled-snapshot.ts";
import type { LatestSnapshot } from "./snapshot/latest-snapshot.ts";
import type { Projection } from "./jobs/held-snapshots.ts";
import type { SnapshotViews } from "./snapshot/snapshot-views.ts";

/** Hot topics without the users' questions, which the service adds. */
export type HotTopics = Omit<z.infer<typeof hotTopics>, "user_hot_questions">;

interface HotTopicsQuery {
  readonly days: number;
  readonly limit: number;
  readonly lang?: string;
}

interface HotTopicsDeps {
  readonly latest: LatestSnapshot;
  readonly viewsOf: (projection: Projection) => SnapshotViews;
  readonly bundled: () => Promise<BundledSnapshot>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Seconds between refreshes; 0 when there are none. */
  readonly interval_s: number;
}

const HOUR_S = 3600;

/** Hot topics of the newest snapshot, or the bundled ones where that has none or fails: the result never fails. */
export function createHotTopics(deps: HotTopicsDeps): (query: HotTopicsQuery) => Promise<HotTopics> {
  return async (query) => {
    try {
      const live = await snapshotTopics(query, deps);
      if (live !== undefined) return live;
    } catch (error) {
      if (!isOutage(error)) {
        deps.logger.error({ error: (error as Error).stack }, "hot topics failed; the bundled snapshot is shown");
      }
    }
    return bundledTopics(query, deps);
  };
}

/** Undefined when there is no news at all. */
async function snapshotTopics(query: HotTopicsQuery, deps: HotTopicsDeps): Promise<HotTopics | undefined> {
  const projection = await deps.latest.projection();
  if (projection === undefined || projection.items.length === 0) return undefined;
  const now = deps.clock.now();
  const { record } = projection.snapshot;
  const views = deps.viewsOf(projection);
  const never = (await deps.bundled()).published_at;
  return {
    topics: await views.hotTopics(now, query.limit, query.days, nearestLanguage(query.lang ?? "zh")),
    sentiment_overview: views.sentiment(now, query.days),
    refresh_meta: {
      last_full_sync_at: record.last_full_ms === null ? never : toIso(record.last_full_ms),
      last_refresh_at: toIso(record.published_ms),
      sentiment_updated_at: record.sentiment_ms === null ? null : toIso(record.sentiment_ms),
      source: deps.latest.isLive ? "live" : "fallback",
      stale: now - record.published_ms > (deps.interval_s * 3 || HOUR_S) * 1000,
      coverage: record.coverage,
    },
  };
}

async function bundledTopics(query: HotTopicsQuery, { latest, bundled }: HotTopicsDeps): Promise<HotTopics> {
  const { topics, published_at } = await bundled();
  const lang = nearestLanguage(query.lang ?? "zh");
  const record = latest.inMemory?.record;
  return {
    topics: topics.slice(0, query.limit).map((topic) => ({ topic: topic[lang], heat: topic.heat })),
    sentiment_overview: { dominant: "neutral", positive: 0, neutral: 0, negative: 0, index: null, updated_at: null },
    refresh_meta: {
      last_full_sync_at: published_at,
      last_refresh_at: record === undefined ? null : toIso(record.published_ms),
      sentiment_updated_at: null,
      source: "fallback",
      stale: true,
      coverage: record?.coverage ?? {},
    },
  };
}
