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
import type { Language } from "../../contract/schemas/shared-fields.ts";
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
const DAY = 24 * HOUR;
/** Items shown of one topic. */
const TOPIC_ITEMS = 10;
const CACHED = 1000;

interface Ranked {
  readonly topic: ProjectedTopic;
  readonly heat: number;
}

/** What a topic is called in a language. */
interface TopicLabel {
  readonly title: string;
  readonly lang: Language;
  readonly questions: readonly string[];
}

/** A topic's title with its heat. */
export interface Headline {
  topic: string;
  heat: number;
}

/**
 * Answers about one projection. Each is frozen and stays the same object as long as it stays the same, so that what is
 * made of it (the serialized JSON) can be cached by identity.
 */
export class SnapshotViews {
  readonly #projection: Projection;
  readonly #lists = new LRUCache<string, { value: NewsList; from: number; until: number }>({ max: CACHED });
  readonly #topicLists = memoized<TopicList>(CACHED);
  readonly #headlines = memoized<Headline[]>(CACHED);
  readonly #overviews = memoized<SentimentOverview>(CACHED);
  readonly #rankings = memoized<readonly Ranked[]>(4);
  readonly #labels = memoized<TopicLabel>(CACHED);

  constructor(projection: Projection) {
    this.#projection = projection;
  }

  /** Items of the last `hours`, newest first. The same object until an item leaves the window. */
  hot(now: number, limit: number, hours: number): NewsList {
    const key = `${limit} ${hours}`;
    const cached = this.#lists.get(key);
    if (cached !== undefined && now >= cached.from && now < cached.until) return cached.value;
    const { items, times } = this.#projection;
    const span = hours * HOUR;
    const total = countNewer(times, now - span);
    const value = deepFreeze({ news: items.slice(0, Math.min(limit, total)), total });
    // The oldest item in the window is the next to leave; the newest outside came in when the clock was earlier.
    const until = total === 0 ? Infinity : times[total - 1]! + span;
    const from = total === times.length ? -Infinity : times[total]! + span;
    this.#lists.set(key, { value, from, until });
    return value;
  }

  /** Topics by heat; those without an item in the language come last. The same object within a minute. */
  topics(now: number, limit: number, lang: Language): TopicList {
    return this.#topicLists(`${minuteOf(now)} ${limit} ${lang}`, () => {
      const ranked = this.#ranking(now);
      const isIn = ({ topic }: Ranked): boolean => topic.items.some((item) => item.lang === lang);
      const ordered = [...ranked.filter(isIn), ...ranked.filter((entry) => !isIn(entry))];
      const topics = ordered.slice(0, limit).map((entry) => this.#shownTopic(entry, lang));
      return deepFreeze({ topics, total: ordered.length });
    });
  }

  /** Titles of the hottest topics with an item of the last `days`. The same object within a minute. */
  headlines(now: number, limit: number, days: number, lang: Language): Headline[] {
    const minute = minuteOf(now);
    return this.#headlines(`${minute} ${limit} ${days} ${lang}`, () => {
      const hottest = this.#ranking(now).filter(({ topic }) => topic.last_ms > minute - days * DAY);
      return deepFreeze(
        hottest.slice(0, limit).map(({ topic, heat }) => ({ topic: this.#label(topic, lang).title, heat })),
      );
    });
  }

  /** Sentiment of the items of the last `days`. The same object within a minute. */
  sentiment(now: number, days: number): SentimentOverview {
    const minute = minuteOf(now);
    return this.#overviews(`${minute} ${days}`, () => {
      const { items, times, snapshot } = this.#projection;
      const counts = { positive: 0, neutral: 0, negative: 0 };
      for (const { sentiment } of items.slice(0, countNewer(times, minute - days * DAY))) counts[sentiment] += 1;
      const { index, sentiment_ms } = snapshot.record;
      return deepFreeze({
        dominant: dominantSentiment(counts, index),
        ...counts,
        index,
        updated_at: sentiment_ms === null ? null : toIso(sentiment_ms),
      });
    });
  }

  /** Topics by heat at the start of the minute, equal ones by id. */
  #ranking(now: number): readonly Ranked[] {
    const minute = minuteOf(now);
    return this.#rankings(String(minute), () =>
      this.#projection.topics
        .map((topic) => ({ topic, heat: Math.round(heatOf(topic.reports, minute) * 1000) / 1000 }))
        .sort((a, b) => b.heat - a.heat || b.topic.last_ms - a.topic.last_ms || (a.topic.id < b.topic.id ? -1 : 1)),
    );
  }

  /** Title and questions in the language asked for, or in the topic's own when it has no item in that. */
  #label(topic: ProjectedTopic, asked: Language): TopicLabel {
    return this.#labels(`${topic.id} ${asked}`, () => {
      const leading = topic.items.find(({ lang }) => lang === asked) ?? topic.items[0]!;
      const lang = leading.lang === "zh" ? "zh" : "en";
      return { title: leading.title, lang, questions: suggestQuestions(leading.title, topic.items, lang) };
    });
  }

  #shownTopic({ topic, heat }: Ranked, asked: Language): Topic {
    const { title, lang, questions } = this.#label(topic, asked);
    return {
      id: topic.id,
      title,
      lang,
      heat,
      size: topic.items.length,
      sources: Array.from(new Set(topic.items.map(({ source }) => source))),
      first_seen_at: toIso(topic.first_ms),
      last_seen_at: toIso(topic.last_ms),
      items: shownItems(topic, lang),
      question_suggestions: [...questions],
    };
  }
}

/** Returns the value of a key, making it the first time. The last `max` keys are kept. */
function memoized<V extends object>(max: number): (key: string, make: () => V) => V {
  const values = new LRUCache<string, V>({ max });
  return (key, make) => {
    let value = values.get(key);
    if (value === undefined) {
      value = make();
      values.set(key, value);
    }
    return value;
  };
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE) * MINUTE;
}

/** How many of the times, which are in falling order, lie after an instant. */
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
