import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { count, sentimentLabel, text, timestamp } from "./shared-fields.ts";

export const newsItem = z
  .object({
    id: z.string(),
    title: z.string(),
    summary: z.string(),
    url: z.string(),
    source: z.string().meta({ description: "Name of the outlet" }),
    lang: z.string(),
    published_at: timestamp,
    symbols: z.array(z.string()).meta({ description: "Assets the item is about" }),
    sentiment: sentimentLabel,
  })
  .meta({ id: "NewsItem" });

export const newsHotQuery = z.object({
  limit: z.int().min(1).max(100).default(10),
  hours: z.int().min(1).max(720).default(48),
});

export const newsList = z.object({ news: z.array(newsItem), total: count }).meta({ id: "NewsList" });

export const topic = z
  .object({
    id: z.string(),
    title: z.string(),
    lang: z.string(),
    heat: z.number(),
    size: count.meta({ description: "Number of items about the event" }),
    sources: z.array(z.string()).meta({ description: "Outlets that report it" }),
    first_seen_at: timestamp,
    last_seen_at: timestamp,
    items: z.array(newsItem),
    question_suggestions: z.array(z.string()),
  })
  .meta({ id: "Topic" });

export const topicsQuery = z.object({
  limit: z.int().min(1).max(50).default(5),
  lang: text(LIMITS.lang).default("zh"),
});

export const topicList = z.object({ topics: z.array(topic), total: count }).meta({ id: "TopicList" });

export const hotTopicsQuery = z.object({
  days: z.int().min(1).max(30).default(1),
  limit: z.int().min(1).max(50).default(6),
});

export const sentimentOverview = z
  .object({
    dominant: sentimentLabel,
    positive: count,
    neutral: count,
    negative: count,
    index: z.number().min(0).max(100).nullable().meta({ description: "Fear-and-greed index, 0 fear to 100 greed" }),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: "SentimentOverview" });

/** Items per kind and language, or `unknown` when the listing failed. */
export const coverage = z
  .record(z.string(), z.record(z.string(), z.union([count, z.literal("unknown")])))
  .meta({ id: "Coverage" });

export const refreshMeta = z
  .object({
    last_full_sync_at: timestamp.meta({
      description: "Time of the last full sync; that of the bundled snapshot before the first",
    }),
    last_refresh_at: timestamp.nullable(),
    sentiment_updated_at: timestamp.nullable(),
    source: z.enum(["live", "fallback"]),
    stale: z.boolean(),
    coverage,
  })
  .meta({ id: "RefreshMeta" });

export const hotTopic = z.object({ topic: z.string(), heat: z.number() });

export const hotQuestion = z.object({ question: z.string(), count, lang: z.string() });

export const hotTopics = z
  .object({
    topics: z.array(hotTopic),
    user_hot_questions: z.array(hotQuestion),
    sentiment_overview: sentimentOverview,
    refresh_meta: refreshMeta,
  })
  .meta({ id: "HotTopics" });

export const refreshQuery = z.object({ mode: z.enum(["view", "full"]).default("view") });

export const refreshResult = z
  .object({
    refresh_mode: z.enum(["view", "full"]),
    news_updated_count: count,
    notice_updated_count: count.meta({ description: "Notices and help-center items updated" }),
    topic_rebuild_count: count,
    last_full_sync_at: timestamp,
    sentiment_updated_at: timestamp,
  })
  .meta({ id: "RefreshResult" });
