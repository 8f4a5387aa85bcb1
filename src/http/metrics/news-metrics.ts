import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { NewsStatus } from "../../news/news.ts";
import type { ServiceObserver } from "../../service/observer.ts";

/** Upper bounds of a refresh, in seconds. */
const BUCKETS_S = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Refreshes of the news. */
export function createNewsMetrics(registers: Registry[]): Pick<ServiceObserver, "refreshed"> {
  const refreshes = new Counter({
    name: "anp_news_refreshes_total",
    help: "Refreshes of the news, by mode and outcome",
    labelNames: ["mode", "outcome"],
    registers,
  });
  const seconds = new Histogram({
    name: "anp_news_refresh_duration_seconds",
    help: "Time of a refresh of the news, by mode",
    labelNames: ["mode"],
    buckets: BUCKETS_S,
    registers,
  });
  return {
    refreshed(mode, ok, ms) {
      refreshes.inc({ mode, outcome: ok ? "published" : "failed" });
      seconds.observe({ mode }, ms / 1000);
    },
  };
}

/** How old the published news is, and which sources fail. */
export function watchNews(registers: Registry[], newsStatus: () => Promise<NewsStatus>, now: () => number): void {
  const read = shared(() => newsStatus().catch(() => undefined));
  const ageOf = (iso: string | null): number => (iso === null ? Infinity : Math.max(0, now() - Date.parse(iso)) / 1000);
  const gauges: [name: string, help: string, of: (status: NewsStatus) => number][] = [
    [
      "anp_news_refresh_age_seconds",
      "Age of the published news; +Inf when there is none",
      ({ published_at }) => ageOf(published_at),
    ],
    [
      "anp_news_full_sync_age_seconds",
      "Age of the last full synchronisation; +Inf when there was none",
      ({ last_full_sync_at }) => ageOf(last_full_sync_at),
    ],
    [
      "anp_news_sources_failing",
      "Sources whose last read failed",
      ({ sources }) => sources.filter(({ ok }) => !ok).length,
    ],
  ];
  for (const [name, help, of] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const status = await read();
        // While the storage is lost, the last known value is kept.
        if (status !== undefined) this.set(of(status));
      },
    });
  }
}

/** Shares one read between concurrent callers: the gauges of one scrape. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= read().finally(() => {
      running = undefined;
    }));
}
