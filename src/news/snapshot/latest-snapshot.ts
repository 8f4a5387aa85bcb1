import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import type { JobRunner } from "../../compute/job-runner.ts";
import { type Clock, DAY_MS, toIsoOrNull } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { CorruptionError, isOutage, type Storage } from "../../storage/storage.ts";
import type { NewsJobs, ShownParts } from "../jobs/news-jobs.ts";
import { type PublishedDocument, snapshotKey, type SnapshotRecord } from "./snapshot-document.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { printKey } from "../../storage/documents.ts";
import { deepFreeze } from "../../runtime/deep-freeze.ts";
import { type DateShift, shiftAt } from "./date-shift.ts";
import type { ProjectedParts } from "./projection.ts";
import type { TopicViews, Topic } from "./topic-views.ts";
import type { hotTopics, newsList, sentimentOverview, topicList } from "../../contract/schemas/news-schemas.ts";
import type { Language, Sentiment } from "../../contract/schemas/shared-fields.ts";
import { HALF_LIFE_MS, trendAt } from "../topics/heat.ts";

const LOOK_EVERY_MS = 1000;
/** Longest time to build or show a snapshot of the largest size, ms. */
export const SNAPSHOT_MS = 120_000;

/** A snapshot as readers see it: frozen, a fixture's dates shifted, items newest first. */
export interface Projection extends Pick<ProjectedParts, keyof ShownParts> {
  readonly version: number; // Number of the snapshot. It increases, not always by one.
  readonly record: SnapshotRecord;
  readonly times: Float64Array; // Publication of each item, ms.
  readonly dated: number; // Number of items with a date; they come first.
  readonly topics: TopicViews;
  readonly digests: Readonly<Record<keyof ShownParts, string>>; // Digests of the items, notices and help.
}

export interface SnapshotDeps {
  readonly storage: Storage;
  readonly store: SnapshotStore;
  readonly runner: JobRunner<NewsJobs>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly monotonic: () => number; // Monotonic clock, ms.
  readonly shift: DateShift | undefined;
}

/** The newest snapshot, kept in memory. */
export class LatestSnapshot {
  readonly #deps: SnapshotDeps;
  shown: Projection | undefined; // The newest readable snapshot, of any age.
  isLive = false; // Whether `shown` is the newest known snapshot.
  /** Result of the last check: the newest number, the generation of the storage, and the shift of dates, ms. */
  #seen: { readonly number: number; readonly generation: number; readonly distance: number } | undefined;
  #lookedAt = -Infinity;
  #looking: Promise<number> | undefined;
  readonly #distance = (): number => shiftAt(this.#deps.shift, this.#deps.clock.now());

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
  }

  /** The newest snapshot with dates shifted to now, or undefined when none was published. At most once a second, one
   * caller checks for a newer one; others, and all in an outage, get the last one. @throws StorageError without one */
  async projection(): Promise<Projection | undefined> {
    const { logger, monotonic } = this.#deps;
    const isBusy = this.#looking !== undefined && this.shown !== undefined;
    const isDue =
      monotonic() - this.#lookedAt >= LOOK_EVERY_MS || (this.isLive && this.#distance() !== this.#seen?.distance);
    if (!isDue || isBusy) return this.shown;
    await this.#sharedLook().catch((error: unknown) => {
      this.isLive = false;
      if (this.shown === undefined) throw error;
      this.#lookedAt = monotonic();
      // The module that monitors the storage reports its outages.
      if (!isOutage(error))
        logger.warn({ error: (error as Error).message }, "no newer news snapshot can be read; the last one stays");
    });
    return this.shown;
  }

  /** Checks for a newer snapshot now. @param own a snapshot that this process has just published
   * @returns number of the newest, which may be damaged; 0 without one @throws StorageError when the storage fails */
  async look(own?: PublishedDocument): Promise<number> {
    await this.#looking?.catch(() => undefined); // A check in progress may have started before the publication.
    return this.#sharedLook(own);
  }

  #sharedLook(own?: PublishedDocument): Promise<number> {
    return (this.#looking ??= this.#showNewest(own).finally(() => (this.#looking = undefined)));
  }

  async #showNewest(own: PublishedDocument | undefined): Promise<number> {
    const { storage, store, monotonic } = this.#deps;
    const seen = { generation: storage.generation(), distance: this.#distance() };
    const number = own?.version ?? (await store.newestNumber());
    // After a failover another snapshot may have the same number. A damaged one is read, and reported, once.
    if (!isDeepStrictEqual(this.#seen, { number, ...seen })) {
      const show = (document: PublishedDocument) => this.#show(document);
      this.shown = (await (own === undefined ? store.readNewest(number, show) : show(own))) ?? this.shown;
      this.#seen = { number, ...seen };
    }
    this.isLive = number === 0 || this.shown?.version === number;
    this.#lookedAt = monotonic();
    return number;
  }

  /** Runs the job that parses and projects a snapshot. Arrays with unchanged content are reused from the last projection.
   * @throws CorruptionError when the document is damaged */
  async #show({ version, text }: PublishedDocument): Promise<Projection> {
    const { runner, shift, clock } = this.#deps;
    const before = this.shown;
    const input = { text, shift, now: clock.now(), known: before?.digests };
    const shown = await runner.run("show", input, { deadline_ms: SNAPSHOT_MS });
    if ("damage" in shown) throw new CorruptionError(printKey(snapshotKey(version)), shown.damage);
    const { record, times, dated, topics, parts } = shown;
    const read = async <P extends keyof ShownParts>(part: P): Promise<Projection[P]> =>
      parts[part].pages === undefined ? before![part] : readPages(parts[part].pages);
    const [items, notices, help] = [await read("items"), await read("notices"), await read("help")];
    const digests = { items: parts.items.digest, notices: parts.notices.digest, help: parts.help.digest };
    return Object.freeze({ version, record, items, notices, help, times, dated, topics, digests });
  }
}

/** Parses page by page, so that the event loop is never blocked for long. */
async function readPages<T extends readonly unknown[]>(pages: readonly Uint8Array[]): Promise<T> {
  const entries: T[number][] = [];
  for (const page of pages) {
    entries.push(...deepFreeze(JSON.parse(new TextDecoder().decode(page)) as T));
    await setImmediate();
  }
  return deepFreeze(entries as readonly unknown[] as T);
}

export type NewsList = z.infer<typeof newsList>;
export type TopicList = z.infer<typeof topicList>;
type SentimentOverview = z.infer<typeof sentimentOverview>;
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
