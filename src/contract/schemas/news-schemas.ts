import { z } from "zod";
import { LIMITS } from "../field-bounds.ts";
import { count, named, sentimentLabel, text, timestamp, limitSchema, PLAIN_TEXT } from "./shared-fields.ts";

export const newsItem = named("NewsItem", {
  id: z.string(),
  title: z.string().meta({ description: PLAIN_TEXT }),
  summary: z.string().meta({ description: PLAIN_TEXT }),
  url: z.string().meta({ description: "Absolute, http or https; empty if the feed names none" }),
  source: z.string().meta({ description: "Name of the outlet, plain text" }),
  lang: z.string(),
  published_at: timestamp,
  symbols: z.array(z.string()).meta({ description: "Assets the item is about" }),
  sentiment: sentimentLabel,
  author: z.string().optional().meta({ description: "Name of its first author, where the feed gives one" }),
  categories: z.array(z.string()).optional().meta({ description: "Categories that the operator gave its feed" }),
});

const newsFilter = {
  symbol: text(LIMITS.tokenSymbol, 0).optional().meta({ description: "Only what is about this asset" }),
  source: text(LIMITS.label, 0).optional().meta({ description: "Only what this outlet reports, by its name" }),
  category: text(LIMITS.label, 0).optional().meta({ description: "Only what has this category" }),
  q: text(LIMITS.newsWords, 0).optional().meta({ description: "Only with each of these words in title or summary" }),
};

/** The filter of news: all conditions must hold; an empty one is ignored. */
export type NewsFilter = z.infer<z.ZodObject<typeof newsFilter>>;

export const newsHotQuery = z.object({ limit: limitSchema(100, 10), hours: limitSchema(720, 48), ...newsFilter });

export const newsList = named("NewsList", { news: z.array(newsItem), total: count });

export const topic = named("Topic", {
  id: z.string(),
  title: z.string().meta({ description: PLAIN_TEXT }),
  lang: z.string(),
  heat: z.number(),
  size: count.meta({ description: "Number of items about the event" }),
  sources: z.array(z.string()).meta({ description: "Outlets that report it" }),
  outlets: z
    .array(z.object({ source: z.string(), lang: z.string() }))
    .meta({ description: "The outlets with the language of their reports; one of two languages twice" }),
  first_seen_at: timestamp,
  last_seen_at: timestamp,
  items: z.array(newsItem),
  question_suggestions: z.array(z.string()),
});

const lang = text(LIMITS.lang).default("zh");
export const topicsQuery = z.object({ limit: limitSchema(50, 5), lang, ...newsFilter });

export const topicList = named("TopicList", { topics: z.array(topic), total: count });

export const hotTopicsQuery = z.object({ days: limitSchema(30, 1), limit: limitSchema(50, 6), lang });

export const sentimentOverview = named("SentimentOverview", {
  dominant: sentimentLabel,
  positive: count,
  neutral: count,
  negative: count,
  index: z.number().min(0).max(100).nullable().meta({ description: "Fear-and-greed index, 0 fear to 100 greed" }),
  updated_at: timestamp.nullable(),
});

/** Items per kind and language, or `unknown` when the listing failed. */
export const coverage = z
  .record(z.string(), z.record(z.string(), z.union([count, z.literal("unknown")])))
  .meta({ id: "Coverage" });

const trend = z.enum(["rising", "steady", "falling"]).meta({ description: "Against the heat an hour ago" });

export const hotTopics = named("HotTopics", {
  topics: z.array(z.object({ topic: z.string(), heat: z.number(), trend })),
  user_hot_questions: z.array(z.object({ question: z.string(), count, lang: z.string() })),
  sentiment_overview: sentimentOverview,
  refresh_meta: named("RefreshMeta", {
    last_full_sync_at: timestamp.describe("Time of the last full sync; that of the bundled snapshot before the first"),
    last_refresh_at: timestamp.nullable(),
    sentiment_updated_at: timestamp.nullable(),
    source: z.enum(["live", "fallback"]),
    stale: z.boolean(),
    coverage,
  }),
});

export const refreshQuery = z.object({ mode: z.enum(["view", "full"]).default("view") });

const SENTIMENT_AT = "When sentiment was last read; before the first full sync, that of the bundled snapshot";
export const refreshResult = named("RefreshResult", {
  refresh_mode: z.enum(["view", "full"]),
  news_updated_count: count,
  notice_updated_count: count.meta({ description: "Notices and help-center items updated" }),
  topic_rebuild_count: count,
  last_full_sync_at: hotTopics.shape.refresh_meta.shape.last_full_sync_at,
  sentiment_updated_at: timestamp.describe(SENTIMENT_AT),
});
