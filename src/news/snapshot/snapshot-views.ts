import { LRUCache } from "lru-cache";
import type { z } from "zod";
import type { hotTopics, newsList, sentimentOverview, topicList } from "../../contract/schemas/news-schemas.ts";
import type { Language, Sentiment } from "../../contract/schemas/shared-fields.ts";
import { DAY_MS, toIsoOrNull } from "../../runtime/clock.ts";
import { HALF_LIFE_MS, trendAt } from "../topics/heat.ts";
import type { Projection } from "./latest-snapshot.ts";
import { deepFreeze } from "../../runtime/deep-freeze.ts";
import type { Topic, TopicViews } from "./topic-views.ts";

export type NewsList = z.infer<typeof newsList>;
export type TopicList = z.infer<typeof topicList>;
export type SentimentOverview = z.infer<typeof sentimentOverview>;
const MINUTE = 60_000;
const CACHED = 1000;
type HotTopic = z.infer<typeof hotTopics>["topics"][number];
export type SnapshotViews = ReturnType<typeof createSnapshotViews>;

/** The views of one projection. A result is frozen, and the same object while its content is unchanged, so that derived
 * data (the serialized JSON) can be cached by identity.
 * @param kept cached results per kind of view */
export function createSnapshotViews({ items, times, dated, record, topics: views }: Projection, kept = CACHED) {
  const cached = createCache(4 * kept);
  const runs = [times.subarray(0, dated), times.subarray(dated)] as const;
  const newer = (after: number) => runs.map((run) => countNewer(run, after));
  const itemsOf = (counts: number[]) => [items, items.slice(dated)].flatMap((run, at) => run.slice(0, counts[at]));

  return {
    /** Items of the last `hours`, newest first, those without a date last. The same object until an item leaves the window. */
    hot(now: number, limit: number, hours: number): NewsList {
      const counts = newer(now - hours * 3_600_000);
      const total = counts[0]! + counts[1]!;
      return cached(`news ${limit} ${counts.join(" ")}`, () => ({ news: itemsOf(counts).slice(0, limit), total }));
    },
    /** Topics by heat; those without an item in the language come last. The same object within a minute. */
    topics(now: number, limit: number, lang: Language): TopicList {
      return cached(`topics ${minuteOf(now)} ${limit} ${lang}`, () => {
        const all = views.topics[lang];
        const topics = all.slice(0, limit).map((topic): Topic => cooled(topic, views, now));
        return { topics, total: views.total ?? all.length };
      });
    },
    /** Titles of the hottest topics with an item of the last `days`. The same object within a minute. */
    hotTopics(now: number, limit: number, days: number, lang: Language): HotTopic[] {
      const minute = minuteOf(now);
      return cached(`hot ${minute} ${limit} ${days} ${lang}`, () => {
        const recent = views.headlines.filter(({ last_ms }) => last_ms > minute - days * DAY_MS).slice(0, limit);
        return recent.map((each) => {
          return { topic: each.titles[lang], heat: cooled(each, views, now).heat, trend: trendAt(each, minute) };
        });
      });
    },
    /** Sentiment of the dated items of the last `days`. The same object within a minute. */
    sentiment(now: number, days: number): SentimentOverview {
      const minute = minuteOf(now);
      return cached(`sentiment ${minute} ${days}`, () => {
        const counts = { positive: 0, neutral: 0, negative: 0 };
        for (const { sentiment } of items.slice(0, newer(minute - days * DAY_MS)[0])) counts[sentiment] += 1;
        const { index, sentiment_ms } = record;
        return { dominant: dominantSentiment(counts, index), ...counts, index, updated_at: toIsoOrNull(sentiment_ms) };
      });
    },
  };
}

/** A copy with its heat decayed to the start of the minute, rounded to 3 decimals. */
function cooled<T extends { readonly heat: number }>(hot: T, { at }: TopicViews, now: number): T {
  const heat = hot.heat * 2 ** (-Math.max(0, minuteOf(now) - at) / HALF_LIFE_MS);
  return { ...hot, heat: Math.round(heat * 1000) / 1000 };
}

/** An LRU cache of frozen values. */
function createCache(max: number) {
  const memoMethod = (_key: string, _old: unknown, { context: make }: { context: () => object }) => deepFreeze(make());
  const values = new LRUCache<string, object, () => object>({ max, memoMethod });
  return <V extends object>(key: string, make: () => V): V => values.memo(key, { context: make }) as V;
}

const minuteOf = (now: number): number => Math.floor(now / MINUTE) * MINUTE;

/** The number of times after an instant. @param times in descending order */
function countNewer(times: Float64Array, after: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! > after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most frequent label; of a tie, by the fear-and-greed index: greed above 54, fear below 46, else neutral. */
export function dominantSentiment(counts: Readonly<Record<Sentiment, number>>, index: number | null): Sentiment {
  const highest = Math.max(counts.positive, counts.neutral, counts.negative);
  const leading = (["positive", "neutral", "negative"] as const).filter((label) => counts[label] === highest);
  if (leading.length === 1) return leading[0]!;
  const mood = index === null ? "neutral" : index > 54 ? "positive" : index < 46 ? "negative" : "neutral";
  return leading.includes(mood) ? mood : "neutral";
}
