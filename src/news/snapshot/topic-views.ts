import type { z } from "zod";
import type { topic } from "../../contract/schemas/news-schemas.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { toIso } from "../../runtime/clock.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { heatOf, trendEnds } from "../topics/heat.ts";
import HEADLINES from "./headline-patterns.json" with { type: "json" };
import { suggestQuestions } from "../topics/suggest-questions.ts";
import type { NewsItem, ProjectedTopic } from "./projection.ts";

export type Topic = z.infer<typeof topic>;
const MAX_TOPICS = 50;
const TOPIC_ITEMS = 10;
const FLAWS = Object.values(patternsOf(HEADLINES, "iu"));
const READ = 16; // Only the most central items are considered: the others describe the story less well.
const MORE = { each: 5, all: 200 }; // Additional topics, for filters: the hottest of each asset, outlet and category.
/** All views of topics. Their order is constant, since every heat decays by the same factor. */
export type TopicViews = Readonly<ReturnType<typeof topicViews>>;
type Ranked = { readonly topic: ProjectedTopic; readonly heat: number };

/** @param at ms since the epoch */
export function topicViews(topics: readonly ProjectedTopic[], at: number) {
  const ranked = topics
    .map((topic): Ranked => ({ topic, heat: heatOf(topic.reports, at) }))
    .sort((a, b) => b.heat - a.heat || b.topic.last_ms - a.topic.last_ms || (a.topic.id < b.topic.id ? -1 : 1));
  const listIn = (lang: Language) =>
    withDistinctQuestions(shownOf(firstIn(ranked, lang)).map((entry) => shownTopic(entry, lang)));
  return {
    at, // The instant of the heats, ms.
    /** Number of topics; undefined for filtered views, which have only the listed topics. */
    total: topics.length as number | undefined,
    members: topics.map(({ id, items }) => [id, items.map((item) => item.id)] as const),
    /** The first topics in each language, those with an item in it before the others, and additional ones for filters. */
    topics: { zh: listIn("zh"), en: listIn("en") },
    /** The topics among the first in some time window, hottest first: title, heat, trend, last item's time (ms). */
    headlines: everShown(ranked).map(({ topic, heat }) => ({
      titles: { zh: leadingItem(topic, "zh").title, en: leadingItem(topic, "en").title },
      heat,
      ...trendEnds(topic.reports, at),
      last_ms: topic.last_ms,
    })),
  };
}

/** Keeps each question only in the first topic that has it, so that a question identifies one topic. */
function withDistinctQuestions(topics: readonly Topic[]): Topic[] {
  const asked = new Set<string>();
  const isNew = (question: string): boolean => asked.size < asked.add(question).size;
  return topics.map((topic) => ({ ...topic, question_suggestions: topic.question_suggestions.filter(isNew) }));
}

function firstIn(ranked: readonly Ranked[], lang: Language): Ranked[] {
  const isIn = ({ topic }: Ranked): boolean => topic.items.some((item) => item.lang === lang);
  return [...ranked.filter(isIn), ...ranked.filter((entry) => !isIn(entry))];
}

/** The first topics, and those that only a filter shows. */
function shownOf(ranked: readonly Ranked[]): Ranked[] {
  const counts = new Map<string, number>();
  const count = (key: string): number => counts.set(key, (counts.get(key) ?? 0) + 1).get(key)!;
  const shown = ranked.filter(({ topic: { items } }, at) => {
    const keys = items.flatMap(({ symbols, source, categories = [] }) => [source, ...symbols, ...categories]);
    return Math.min(...Array.from(new Set(keys), count)) <= MORE.each || at < MAX_TOPICS;
  });
  return shown.slice(0, MAX_TOPICS + MORE.all);
}

/** The topics with fewer than `MAX_TOPICS` hotter ones that are as recent: no time window shows any other. */
function everShown(ranked: readonly Ranked[]): Ranked[] {
  const latest: number[] = []; // The latest times of the topics so far, latest first.
  return ranked.filter(({ topic: { last_ms } }) => {
    const at = latest.findIndex((other) => other < last_ms);
    const rank = at < 0 ? latest.length : at;
    if (rank >= MAX_TOPICS) return false;
    latest.splice(rank, 0, last_ms);
    latest.length = Math.min(latest.length, MAX_TOPICS);
    return true;
  });
}

/** The item with the clearest headline, in the requested language if the topic has one. */
function leadingItem({ items }: ProjectedTopic, asked: Language): NewsItem {
  const own = items.filter(({ lang }) => lang === asked);
  return clearestHeadline(own.length > 0 ? own : items);
}

/** The item with the clearest headline: the most central of those with the fewest flaws (cut off, a question, bait,
 * shouted, a digest of several stories). @param items the most central first, at least one */
export function clearestHeadline(items: readonly NewsItem[]): NewsItem {
  const flaws = items.slice(0, READ).map(({ title, lang }) => {
    return FLAWS.filter((flaw) => flaw.test(title)).length + Number(lang === "en" && title === title.toUpperCase());
  });
  return items[flaws.indexOf(Math.min(...flaws))]!;
}

/** Title and questions are in the requested language, or in the topic's own if it has no item in that one. */
function shownTopic({ topic, heat }: Ranked, asked: Language): Topic {
  const leading = leadingItem(topic, asked);
  const lang = leading.lang === "zh" ? "zh" : "en";
  const outlets = new Map(topic.items.map(({ source, lang }) => [`${lang} ${source}`, { source, lang }]));
  const order = (a: NewsItem, b: NewsItem): number =>
    Number(b.lang === lang) - Number(a.lang === lang) ||
    (a.published_at > b.published_at ? -1 : a.published_at < b.published_at ? 1 : a.id < b.id ? -1 : 1);
  return {
    id: topic.id,
    title: leading.title,
    lang,
    heat,
    size: topic.items.length,
    sources: Array.from(new Set(topic.items.map(({ source }) => source))),
    outlets: Array.from(outlets.values()),
    first_seen_at: toIso(topic.first_ms),
    last_seen_at: toIso(topic.last_ms),
    items: topic.items.toSorted(order).slice(0, TOPIC_ITEMS),
    question_suggestions: suggestQuestions(leading.title, topic.items, lang),
  };
}
