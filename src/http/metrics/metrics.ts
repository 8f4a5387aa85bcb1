import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { QueueState } from "../../events/log/event-log.ts";
import type { NewsStatus } from "../../news/news.ts";
import type { ServiceObserver } from "../../service/observer.ts";
import type { RequestMeter } from "../error-handler.ts";
import { watchEvents } from "./event-metrics.ts";
import { createHttpMetrics, watchRequests } from "./http-metrics.ts";
import { createLedgerMetrics } from "./ledger-metrics.ts";
import { createModelMetrics } from "./model-metrics.ts";
import { createNewsMetrics, watchNews } from "./news-metrics.ts";
import { createStorageMetrics, type StorageMetrics } from "./storage-metrics.ts";

/** The sources that the gauges read when the metrics are scraped. */
export interface Sources {
  readonly now: () => number;
  readonly newsStatus: () => Promise<NewsStatus>;
  readonly queue: () => QueueState;
  readonly inFlight: () => number;
  readonly draining: () => boolean;
}

/** The metrics of one daemon, in the format of Prometheus. */
export interface Metrics extends RequestMeter, ServiceObserver, StorageMetrics {
  readonly contentType: string;
  /** Adds the gauges that read from these sources. */
  watch(sources: Sources): void;
  text(): Promise<string>;
}

/** Creates the metrics in a new registry. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: "anp_build_info", help: "The running version", labelNames: ["version"], registers }).set(
    { version },
    1,
  );
  return {
    contentType: registry.contentType,
    ...createHttpMetrics(registers),
    ...createStorageMetrics(registers),
    ...createModelMetrics(registers),
    ...createLedgerMetrics(registers),
    ...createNewsMetrics(registers),
    watch({ now, newsStatus, queue, inFlight, draining }) {
      watchNews(registers, newsStatus, now);
      watchEvents(registers, queue);
      watchRequests(registers, inFlight, draining);
    },
    text: () => registry.metrics(),
  };
}
