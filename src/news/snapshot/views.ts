import { LRUCache } from "lru-cache";
import type { z } from "zod";
import type {
  newsList,
  refreshMeta,
  sentimentOverview,
  topic,
  topicList,
} from "../../contract/schemas/news-schemas.ts";
import { toIso } from "../../runtime/clock.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { heatOf } from "../topics/heat.ts";
import type { Language } from "../../language/detect-language.ts";
import type { NewsItem, ProjectedTopic, Projection } from "./projection.ts";
import { dominantSentiment } from "../items/sentiment.ts";
import { suggestQuestions } from "../topics/suggest-questions.ts";

export type NewsList = z.infer<typeof newsList>;
export type Topic = z.infer<typeof topic>;
export type TopicList = z.infer<typeof topicList>;
export type SentimentOverview = z.infer<typeof sentimentOverview>;
export type RefreshMeta = z.infer<typeof refreshMeta>;

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** Items shown of one topic. */
const TOPIC_ITEMS = 10;
const CACHED = 1000;

/**
 * Answers that stay the same object as long as they stay the same, so that what is made of them (the serialised JSON)
 * can be kept by identity. One set of views serves all projections; an answer is found again by its key.
 */
export interface Views {
  /** Items of the last `hours`, newest first. The same object until an item leaves the window. */
  hot(projection: Projection, now: number, limit: number, hours: number): NewsList;
  /** Topics by heat; those without an item in the language come last. The same object within a minute. */
  topics(projection: Projection, now: number, limit: number, lang: Language): TopicList;
  /** Titles of the hottest topics with an item of the last `days`. The same frozen object within a minute. */
  headlines(
    projection: Projection,
    now: number,
    limit: number,
    days: number,
    lang: Language,
  ): { topic: string; heat: number }[];
  /** Sentiment of the items of the last `days`. The same frozen object within a minute. */
  sentiment(projection: Projection, now: number, days: number): SentimentOverview;
}

interface Ranked {
  readonly topic: ProjectedTopic;
  readonly heat: number;
}

export function createViews(): Views {
  const lists = new LRUCache<string, { value: NewsList; from: number; until: number }>({ max: CACHED });
  const topicLists = new LRUCache<string, TopicList>({ max: CACHED });
  const headlineLists = new LRUCache<string, { topic: string; heat: number }[]>({ max: CACHED });
  const overviews = new LRUCache<string, SentimentOverview>({ max: CACHED });
  const rankings = new LRUCache<string, readonly Ranked[]>({ max: 4 });
  const told = new LRUCache<string, { title: string; lang: string; questions: readonly string[] }>({ max: CACHED });

  /** Topics by heat at the start of the minute, equal ones by id. */
  function ranking(projection: Projection, now: number): readonly Ranked[] {
    const minute = Math.floor(now / MINUTE) * MINUTE;
    const key = `${projection.key} ${minute}`;
    let ranked = rankings.get(key);
    if (ranked === undefined) {
      ranked = projection.topics
        .map((topic) => ({ topic, heat: Math.round(heatOf(topic.tellings, minute) * 1000) / 1000 }))
        .sort((a, b) => b.heat - a.heat || b.topic.last_ms - a.topic.last_ms || (a.topic.id < b.topic.id ? -1 : 1));
      rankings.set(key, ranked);
    }
    return ranked;
  }

  /** Title and questions in the language asked for, or in the topic's own when it has no item in that. */
  function tell(
    projection: Projection,
    topic: ProjectedTopic,
    asked: Language,
  ): { title: string; lang: string; questions: readonly string[] } {
    const key = `${projection.key} ${topic.id} ${asked}`;
    let result = told.get(key);
    if (result === undefined) {
      const leading = topic.items.find(({ lang }) => lang === asked) ?? topic.items[0]!;
      const lang: Language = leading.lang === "zh" ? "zh" : "en";
      result = { title: leading.title, lang, questions: suggestQuestions(leading.title, topic.items, lang) };
      told.set(key, result);
    }
    return result;
  }

  return {
    hot(projection, now, limit, hours) {
      const key = `${projection.key} ${limit} ${hours}`;
      const cached = lists.get(key);
      if (cached !== undefined && now >= cached.from && now < cached.until) return cached.value;
      const span = hours * HOUR;
      const total = countNewer(projection.times, now - span);
      const value = deepFreeze({ news: projection.items.slice(0, Math.min(limit, total)), total });
      // The oldest item in the window is the next to leave; the newest outside came in when the clock was earlier.
      const until = total === 0 ? Infinity : projection.times[total - 1]! + span;
      const from = total === projection.times.length ? -Infinity : projection.times[total]! + span;
      lists.set(key, { value, from, until });
      return value;
    },
    topics(projection, now, limit, lang) {
      const key = `${projection.key} ${Math.floor(now / MINUTE)} ${limit} ${lang}`;
      let list = topicLists.get(key);
      if (list === undefined) {
        const ranked = ranking(projection, now);
        const speaks = ({ topic }: Ranked): boolean => topic.items.some((item) => item.lang === lang);
        const ordered = [...ranked.filter(speaks), ...ranked.filter((entry) => !speaks(entry))];
        const topics = ordered.slice(0, limit).map((entry): Topic => {
          const { title, lang: own, questions } = tell(projection, entry.topic, lang);
          return {
            id: entry.topic.id,
            title,
            lang: own,
            heat: entry.heat,
            size: entry.topic.items.length,
            sources: Array.from(new Set(entry.topic.items.map(({ source }) => source))),
            first_seen_at: toIso(entry.topic.first_ms),
            last_seen_at: toIso(entry.topic.last_ms),
            items: shownItems(entry.topic, own),
            question_suggestions: [...questions],
          };
        });
        list = deepFreeze({ topics, total: ordered.length });
        topicLists.set(key, list);
      }
      return list;
    },
    headlines(projection, now, limit, days, lang) {
      const minute = Math.floor(now / MINUTE) * MINUTE;
      const key = `${projection.key} ${minute} ${limit} ${days} ${lang}`;
      let list = headlineLists.get(key);
      if (list === undefined) {
        const oldest = minute - days * 24 * HOUR;
        const hottest = ranking(projection, now).filter(({ topic }) => topic.last_ms > oldest);
        list = deepFreeze(
          hottest.slice(0, limit).map(({ topic, heat }) => ({ topic: tell(projection, topic, lang).title, heat })),
        );
        headlineLists.set(key, list);
      }
      return list;
    },
    sentiment(projection, now, days) {
      const minute = Math.floor(now / MINUTE) * MINUTE;
      const key = `${projection.key} ${minute} ${days}`;
      let overview = overviews.get(key);
      if (overview === undefined) {
        const counts = { positive: 0, neutral: 0, negative: 0 };
        const total = countNewer(projection.times, minute - days * 24 * HOUR);
        for (const { sentiment } of projection.items.slice(0, total)) counts[sentiment] += 1;
        const { index, sentiment_ms } = projection.snapshot.record;
        overview = deepFreeze({
          dominant: dominantSentiment(counts, index),
          ...counts,
          index,
          updated_at: sentiment_ms === null ? null : toIso(sentiment_ms),
        });
        overviews.set(key, overview);
      }
      return overview;
    },
  };
}

/** How many of the times, which fall, lie after an instant. */
function countNewer(times: readonly number[], after: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! > after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The newest items of a topic, those in its language first. */
function shownItems(topic: ProjectedTopic, lang: string): NewsItem[] {
  const newest = topic.items.toSorted((a, b) =>
    a.published_at > b.published_at ? -1 : a.published_at < b.published_at ? 1 : a.id < b.id ? -1 : 1,
  );
  return [...newest.filter((item) => item.lang === lang), ...newest.filter((item) => item.lang !== lang)].slice(
    0,
    TOPIC_ITEMS,
  );
}
