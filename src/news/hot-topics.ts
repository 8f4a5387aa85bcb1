import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { hotTopics } from "../contract/schemas/news-schemas.ts";
import { timestamp } from "../contract/schemas/shared-fields.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { cachedPromise } from "../runtime/cache/cached-promise.ts";
import { toIsoOrNull, toIso } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { packageFile } from "../runtime/package-file.ts";
import { isOutage } from "../storage/storage.ts";
import type { LatestSnapshot, Projection, SnapshotDeps, SnapshotViews } from "./snapshot/latest-snapshot.ts";

/** Hot topics without the users' questions, which the service adds. */
export type HotTopics = Omit<z.infer<typeof hotTopics>, "user_hot_questions">;
type HotTopicsQuery = { readonly days: number; readonly limit: number; readonly lang?: string };

interface HotTopicsDeps extends Pick<SnapshotDeps, "clock" | "logger"> {
  readonly latest: LatestSnapshot;
  readonly viewsOf: (projection: Projection) => SnapshotViews;
  readonly bundled: ReturnType<typeof createBundledSnapshot>;
  readonly interval_s: number; // Seconds between refreshes; 0 when there are none.
}

const HOUR_S = 3600;
const FAILED = "hot topics failed; the bundled snapshot is shown";
const NEUTRAL = { dominant: "neutral", positive: 0, neutral: 0, negative: 0, index: null, updated_at: null } as const;

/** Hot topics of the newest snapshot; the bundled ones if it cannot be read, or has no news though there are sources of
 * news. Without such a source there are none. Never rejects. */
export function createHotTopics({ latest, viewsOf, bundled, clock, logger, interval_s }: HotTopicsDeps) {
  /** Undefined when there is no snapshot, or no news although there are sources of news. */
  async function fromNews({ days, limit, lang = "zh" }: HotTopicsQuery, now: number) {
    const projection = await latest.projection();
    if (projection === undefined) return undefined;
    const { items, record } = projection;
    if (items.length === 0 && record.sources.some(({ kind }) => kind === "news")) return undefined;
    const views = viewsOf(projection);
    const topics = views.hotTopics(now, limit, days, nearestLanguage(lang));
    return { topics, sentiment: views.sentiment(now, days), record };
  }

  return async (query: HotTopicsQuery): Promise<HotTopics> => {
    const now = clock.now();
    const live = await fromNews(query, now).catch((error: unknown) => {
      if (!isOutage(error)) logger.error({ error: (error as Error).stack }, FAILED);
      return undefined;
    });
    const { published_at: never, topics } = await bundled();
    const lang = nearestLanguage(query.lang ?? "zh");
    const record = live?.record ?? latest.shown?.record;
    return {
      topics:
        live?.topics ??
        topics.slice(0, query.limit).map((each) => ({ topic: each[lang], heat: each.heat, trend: "steady" })),
      sentiment_overview: live?.sentiment ?? NEUTRAL,
      refresh_meta: {
        last_full_sync_at: toIsoOrNull(live?.record.last_full_ms) ?? never,
        last_refresh_at: toIsoOrNull(record?.published_ms),
        sentiment_updated_at: live?.sentiment.updated_at ?? null,
        source: live !== undefined && latest.isLive ? "live" : "fallback",
        stale: now - (live?.record.published_ms ?? -Infinity) > (interval_s * 3 || HOUR_S) * 1000,
        coverage: record?.coverage ?? {},
      },
    };
  };
}

/** Fallback hot topics, which do not depend on the date. */
const bundledSnapshot = z.strictObject({
  published_at: timestamp, // Shown as the time of a sync that never happened.
  topics: z.array(z.strictObject({ zh: z.string(), en: z.string(), heat: z.number() })),
});

/** The snapshot that is bundled with the package. */
export const readBundledSnapshot = async (file = packageFile("fixtures/fallback/hot-topics.json")) =>
  bundledSnapshot.parse(JSON.parse(await readFile(file, "utf8")));

/** Reads the bundled snapshot once. One that cannot be read is logged and replaced by an empty one. */
export const createBundledSnapshot = (logger: Logger, file?: URL) =>
  cachedPromise(() =>
    readBundledSnapshot(file).catch((error: unknown) => {
      logger.error({ error: (error as Error).message }, "the bundled snapshot of hot topics cannot be read");
      return { published_at: toIso(0), topics: [] };
    }),
  );
