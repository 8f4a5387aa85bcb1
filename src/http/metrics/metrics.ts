import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Service, ServiceObserver } from "../../service/service.ts";
import type { StorageObserver, StorageVerb } from "../../storage/observe-storage.ts";
import type { RefusalReason } from "../limits/concurrency-limits.ts";
import METRICS from "./metrics.json" with { type: "json" };
import STARTS from "./series-at-start.json" with { type: "json" };

interface Sources {
  readonly service: Pick<Service, "breakers" | "embeddings" | "tokensOfDay" | "clock" | "events" | "news">;
  readonly inFlight: () => number;
  readonly state: () => "starting" | "draining" | undefined; // Why the daemon takes no requests, apart from the storage.
}

/** The metrics of one daemon, in the format of Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(version: string) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meters = createMeters(registry);
  const { counters, gauges, histograms } = meters;
  // Prometheus sees no increase in a series that begins with 1, so series that rarely count start at 0.
  for (const [name, series] of Object.entries<Record<string, string>[]>(STARTS.counters))
    for (const labels of series) counters[name as keyof typeof counters].inc(labels, 0);
  for (const labels of STARTS.storage_calls) histograms.anp_storage_call_duration_seconds.zero(labels);
  gauges.anp_build_info.set({ version }, 1);
  let sources: Sources | undefined;
  return {
    contentType: registry.contentType,
    ...createDaemonMetrics(meters),
    ...createServiceMetrics(meters),
    watch: (given: Sources): void => void (sources = given),
    async text(): Promise<string> {
      if (sources !== undefined) await readSources(meters, sources);
      return registry.metrics();
    },
  };
}

/** Updates the gauges. While the storage is lost, those of the news keep their values. */
async function readSources({ counters, gauges }: Meters, { service, inFlight, state }: Sources): Promise<void> {
  const news = await service.news.status().catch(() => undefined);
  if (news !== undefined) {
    const ageOf = (iso: string | null): number =>
      iso === null ? Infinity : Math.max(0, service.clock.now() - Date.parse(iso)) / 1000;
    const [lastRead = news.published_at] = news.sources
      .map(({ last_ok_at }) => last_ok_at ?? "")
      .sort()
      .reverse();
    gauges.anp_news_refresh_age_seconds.set(ageOf(lastRead || null));
    gauges.anp_news_full_sync_age_seconds.set(ageOf(news.last_full_sync_at));
    gauges.anp_news_items.set(news.items);
    gauges.anp_news_sources_failing.set(news.sources.filter(({ ok }) => !ok).length);
    gauges.anp_news_source_up.reset();
    for (const { id: source, ok } of news.sources) gauges.anp_news_source_up.set({ source }, Number(ok));
  }
  const { events, bytes, oldest_ms, dropped } = service.events.queue();
  gauges.anp_events_waiting.set(events);
  gauges.anp_events_waiting_bytes.set(bytes);
  gauges.anp_events_lag_seconds.set(oldest_ms / 1000);
  counters.anp_events_dropped_total.reset();
  counters.anp_events_dropped_total.inc(dropped);
  gauges.anp_http_requests_in_flight.set(inFlight());
  for (const { isOpen, ...one } of service.breakers()) gauges.anp_model_breaker_open.set(one, Number(isOpen));
  const vectors = service.embeddings?.state();
  if (vectors !== undefined) {
    gauges.anp_embedding_passages.set(vectors.all);
    gauges.anp_embedding_passages_waiting.set(vectors.waiting);
    gauges.anp_embedding_breaker_open.set(Number(vectors.isOpen));
  }
  const spent = await service.tokensOfDay().catch(() => undefined);
  if (spent !== undefined) {
    gauges.anp_model_day_tokens.set(spent.tokens);
    gauges.anp_model_day_budget_tokens.set(spent.budget);
  }
  const storageUp = (await gauges.anp_storage_up.get()).values[0]?.value;
  gauges.anp_draining.set(Number(state() === "draining"));
  gauges.anp_ready.set(Number(state() === undefined && storageUp === 1));
}

const MAX_KEYS = 100; // Most label values for damaged keys; further keys count as "other".

function createDaemonMetrics({ counters, gauges, histograms }: Meters) {
  const seconds = histograms.anp_http_request_duration_seconds;
  const keys = new Set<string>();
  gauges.anp_storage_up.set(1);
  return {
    connectionClosed: (reason: string) => counters.anp_http_connections_closed_total.inc({ reason }),
    refused: (reason: RefusalReason) => counters.anp_http_refused_total.inc({ reason }),
    /** `outcome` is that of a command, or why it was refused. */
    adminCalled: (command: string, outcome: string) => counters.anp_admin_calls_total.inc({ command, outcome }),
    /** Returns the counter of an operation's responses: HTTP status, error code or 0, ms since the headers. */
    meterOf(operation: string) {
      seconds.zero({ operation });
      return (status: number, code: number, ms: number) => {
        seconds.observe({ operation }, ms / 1000);
        counters.anp_http_requests_total.inc({ operation, status, code });
      };
    },
    storageCalled(verb: StorageVerb, ms: number, times: number) {
      for (let n = 0; n < times; n++) histograms.anp_storage_call_duration_seconds.observe({ verb }, ms / 1000);
    },
    storageFailed: (verb: StorageVerb) => counters.anp_storage_errors_total.inc({ verb }),
    damaged(key: string) {
      if (keys.size < MAX_KEYS) keys.add(key);
      counters.anp_storage_damaged_total.inc({ key: keys.has(key) ? key : "other" });
    },
    storageIsUp: (isUp: boolean) => gauges.anp_storage_up.set(isUp ? 1 : 0),
    storagePartsLost: (count: number) => gauges.anp_storage_parts_lost.set(count),
    storageRisks: (count: number) => gauges.anp_storage_risks.set(count),
  };
}

const createServiceMetrics = ({ counters, histograms }: Meters): Omit<ServiceObserver, keyof StorageObserver> => ({
  posted({ type, delta, details }) {
    counters.anp_ledger_entries_total.inc({ type });
    if (delta > 0) counters.anp_points_in_total.inc({ type }, delta);
    if (delta < 0) counters.anp_points_out_total.inc({ type }, -delta);
    if (details.type !== "chat_cost") return;
    if (details.free) counters.anp_free_uses_total.inc();
    else if (delta < 0) counters.anp_charges_total.inc({ route: details.route });
  },
  conflicted: () => counters.anp_ledger_conflicts_total.inc(),
  modelCalled(outcome, ms) {
    counters.anp_model_calls_total.inc({ outcome });
    histograms.anp_model_call_duration_seconds.observe(ms / 1000);
  },
  tokensSpent({ prompt, reply }) {
    counters.anp_model_tokens_total.inc({ part: "prompt" }, prompt);
    counters.anp_model_tokens_total.inc({ part: "reply" }, reply);
  },
  embedded(texts, outcome, tokens) {
    counters.anp_embedding_calls_total.inc({ texts, outcome });
    counters.anp_embedding_tokens_total.inc(tokens);
  },
  budgetRefused: (budget) => counters.anp_model_budget_refused_total.inc({ budget }),
  refreshed(mode, ok, ms) {
    counters.anp_news_refreshes_total.inc({ mode, outcome: ok ? "published" : "failed" });
    histograms.anp_news_refresh_duration_seconds.observe({ mode }, ms / 1000);
  },
  jobFailed: (worker, reason) => counters.anp_jobs_failed_total.inc({ worker, reason }),
  workerRestarted: (worker) => counters.anp_worker_restarts_total.inc({ worker }),
});

type Meters = ReturnType<typeof createMeters>;

/** Creates the metrics that `metrics.json` declares, with labels and the upper bounds of histogram buckets. */
function createMeters(registry: Registry) {
  type About = { readonly name: string; readonly help: string; readonly registers: Registry[] };
  const each = <N extends string, M>(table: Readonly<Record<N, { help: string }>>, Meter: new (about: About) => M) => {
    const entries = Object.entries<{ help: string }>(table);
    const made = entries.map(([name, about]) => [name, new Meter({ name, registers: [registry], ...about })]);
    return Object.fromEntries(made) as Record<N, M>;
  };
  const [counters, gauges] = [each(METRICS.counters, Counter), each(METRICS.gauges, Gauge)];
  return { counters, gauges, histograms: each(METRICS.histograms, Histogram) };
}
