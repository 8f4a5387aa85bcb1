import { collectDefaultMetrics, Registry } from "prom-client";
import type { QueueState } from "../../events/log/event-log.ts";
import type { NewsStatus } from "../../news/news.ts";
import { createHttpMetrics } from "./http-metrics.ts";
import { createMeters, type Meters } from "./meters.ts";
import { createServiceMetrics } from "./service-metrics.ts";
import { createStorageMetrics } from "./storage-metrics.ts";

interface Sources {
  readonly now: () => number;
  readonly newsStatus: () => Promise<NewsStatus>;
  readonly queue: () => QueueState;
  readonly inFlight: () => number;
  readonly draining: () => boolean;
}

/** The metrics of one daemon, in the format of Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics in a new registry. */
export function createMetrics(version: string) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meters = createMeters(registry);
  meters.gauge("anp_build_info", "version").set({ version }, 1);
  return {
    contentType: registry.contentType,
    ...createHttpMetrics(meters),
    ...createStorageMetrics(meters),
    ...createServiceMetrics(meters),
    /** Adds the gauges that read from these sources. */
    watch(sources: Sources): void {
      watchNews(meters, sources);
      watchEvents(meters, sources);
      meters.reading("anp_http_requests_in_flight", sources.inFlight);
      meters.reading("anp_draining", () => (sources.draining() ? 1 : 0));
    },
    text: () => registry.metrics(),
  };
}

function watchNews({ reading }: Meters, { newsStatus, now }: Sources): void {
  let running: Promise<NewsStatus | undefined> | undefined;
  /** The gauges of one scrape share a read. While the storage is lost, they keep their values. */
  const of = (read: (status: NewsStatus) => number) => async () => {
    running ??= newsStatus()
      .catch(() => undefined)
      .finally(() => (running = undefined));
    const status = await running;
    return status && read(status);
  };
  const ageOf = (iso: string | null): number => (iso === null ? Infinity : Math.max(0, now() - Date.parse(iso)) / 1000);
  reading(
    "anp_news_refresh_age_seconds",
    of(({ published_at }) => ageOf(published_at)),
  );
  reading(
    "anp_news_full_sync_age_seconds",
    of(({ last_full_sync_at }) => ageOf(last_full_sync_at)),
  );
  reading(
    "anp_news_sources_failing",
    of(({ sources }) => sources.filter(({ ok }) => !ok).length),
  );
}

function watchEvents({ reading, total }: Meters, { queue }: Sources): void {
  reading("anp_events_waiting", () => queue().events);
  reading("anp_events_waiting_bytes", () => queue().bytes);
  reading("anp_events_lag_seconds", () => queue().oldest_ms / 1000);
  total("anp_events_dropped_total", () => queue().dropped);
}
