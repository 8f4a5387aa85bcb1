import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { QueueState } from "../../events/log/event-log.ts";
import type { LedgerObserver } from "../../ledger/ledger.ts";
import type { NewsStatus } from "../../news/news.ts";
import type { ServiceObserver } from "../../service/service.ts";
import type { StorageObserver, StorageVerb } from "../../storage/observe-storage.ts";
import type { RefusalReason } from "../concurrency-limits.ts";
import HELP from "./metrics.json" with { type: "json" };

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
    ...createLedgerMetrics(meters),
    ...createCallMetrics(meters),
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
  const failing = of(({ sources }) => sources.filter(({ ok }) => !ok).length);
  const refreshAge = of(({ published_at }) => ageOf(published_at));
  const fullSyncAge = of(({ last_full_sync_at }) => ageOf(last_full_sync_at));
  reading("anp_news_refresh_age_seconds", refreshAge);
  reading("anp_news_full_sync_age_seconds", fullSyncAge);
  reading("anp_news_sources_failing", failing);
}

function watchEvents({ reading, total }: Meters, { queue }: Sources): void {
  reading("anp_events_waiting", () => queue().events);
  reading("anp_events_waiting_bytes", () => queue().bytes);
  reading("anp_events_lag_seconds", () => queue().oldest_ms / 1000);
  total("anp_events_dropped_total", () => queue().dropped);
}

const REASONS: readonly RefusalReason[] = ["in_flight", "in_flight_per_user", "bodies", "wait", "rate"];

/** Answered and refused requests, and closed connections. */
function createHttpMetrics({ counter, histogram }: Meters) {
  const seconds = histogram("anp_http_request_duration_seconds", LATENCY_BUCKETS_S, "operation");
  const answers = counter("anp_http_requests_total", "operation", "status", "code");
  const refusals = counter("anp_http_refused_total", "reason");
  for (const reason of REASONS) refusals.inc({ reason }, 0);
  const closed = counter("anp_http_connections_closed_total", "reason");
  return {
    /** Counts a connection that was closed by this side. */
    connectionClosed: (reason: string) => closed.inc({ reason }),
    /** Counts a refusal with 429 by its reason. */
    refused: (reason: RefusalReason) => refusals.inc({ reason }),
    /** Makes what counts an operation's answers: HTTP status, code of the catalogue or 0, and ms since the headers. */
    meterOf(operation: string) {
      seconds.zero({ operation });
      return (status: number, code: number, ms: number) => {
        seconds.observe({ operation }, ms / 1000);
        answers.inc({ operation, status, code });
      };
    },
  };
}

const VERBS: readonly StorageVerb[] = ["get", "has", "getMany", "create", "put", "remove"];

/** The most keys that damage is counted by; all others are one. */
const MAX_KEYS = 100;

/** Storage calls, and the storage's health. */
function createStorageMetrics({ counter, gauge, histogram }: Meters) {
  const seconds = histogram("anp_storage_call_duration_seconds", LATENCY_BUCKETS_S, "verb");
  const errors = counter("anp_storage_errors_total", "verb");
  for (const verb of VERBS) {
    seconds.zero({ verb });
    errors.inc({ verb }, 0);
  }
  const up = gauge("anp_storage_up");
  up.set(1);
  const partsLost = gauge("anp_storage_parts_lost");
  const risks = gauge("anp_storage_risks");
  const damage = counter("anp_storage_damaged_total", "key");
  const keys = new Set<string>();
  return {
    storageCalled(verb: StorageVerb, ms: number, times: number) {
      for (let n = 0; n < times; n++) seconds.observe({ verb }, ms / 1000);
    },
    storageFailed: (verb: StorageVerb) => errors.inc({ verb }),
    damaged(key: string) {
      if (keys.size < MAX_KEYS) keys.add(key);
      damage.inc({ key: keys.has(key) ? key : "other" });
    },
    /** Whether the storage answers, as far as is known. */
    storageIsUp: (isUp: boolean) => up.set(isUp ? 1 : 0),
    /** How many parts of the storage have lost their identity while others have it. */
    storagePartsLost: (count: number) => partsLost.set(count),
    /** How many findings about the storage are open. */
    storageRisks: (count: number) => risks.set(count),
  };
}

/** Upper bounds of a model call and of a refresh, in seconds. */
const MODEL_BUCKETS_S = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];
const REFRESH_BUCKETS_S = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Points credited and debited, and charges. */
function createLedgerMetrics({ counter }: Meters): LedgerObserver {
  const entries = counter("anp_ledger_entries_total", "type");
  const charges = counter("anp_charges_total", "route");
  const pointsIn = counter("anp_points_in_total", "type");
  const pointsOut = counter("anp_points_out_total", "type");
  const freeUses = counter("anp_free_uses_total");
  const conflicts = counter("anp_ledger_conflicts_total");
  return {
    posted({ type, delta, details }) {
      entries.inc({ type });
      if (delta > 0) pointsIn.inc({ type }, delta);
      if (delta < 0) pointsOut.inc({ type }, -delta);
      if (details.type !== "chat_cost") return;
      if (details.free) freeUses.inc();
      else if (delta < 0) charges.inc({ route: details.route });
    },
    conflicted: () => conflicts.inc(),
  };
}

/** Model calls, refreshes of the news, and jobs of worker threads. */
function createCallMetrics({
  counter,
  histogram,
}: Meters): Omit<ServiceObserver, keyof (StorageObserver & LedgerObserver)> {
  const calls = counter("anp_model_calls_total", "outcome");
  const callSeconds = histogram("anp_model_call_duration_seconds", MODEL_BUCKETS_S);
  const refreshes = counter("anp_news_refreshes_total", "mode", "outcome");
  const refreshSeconds = histogram("anp_news_refresh_duration_seconds", REFRESH_BUCKETS_S, "mode");
  const failedJobs = counter("anp_jobs_failed_total", "worker", "reason");
  const restarts = counter("anp_worker_restarts_total", "worker");
  return {
    modelCalled(outcome, ms) {
      calls.inc({ outcome });
      callSeconds.observe(ms / 1000);
    },
    refreshed(mode, ok, ms) {
      refreshes.inc({ mode, outcome: ok ? "published" : "failed" });
      refreshSeconds.observe({ mode }, ms / 1000);
    },
    jobFailed: (worker, reason) => failedJobs.inc({ worker, reason }),
    workerRestarted: (worker) => restarts.inc({ worker }),
  };
}

/** Upper bounds of a request's or a storage call's latency, in seconds: from a cached read to a model's answer. */
const LATENCY_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A metric of `metrics.json`, which says what each is. */
type Name = keyof typeof HELP;

type Meters = ReturnType<typeof createMeters>;

/** Creates what counts and measures, in a registry. */
function createMeters(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: Name, ...labelNames: L[]): Counter<L> =>
      new Counter({ name, help: HELP[name], labelNames, registers }),
    gauge: <L extends string>(name: Name, ...labelNames: L[]): Gauge<L> =>
      new Gauge({ name, help: HELP[name], labelNames, registers }),
    histogram: <L extends string>(name: Name, buckets: number[], ...labelNames: L[]): Histogram<L> =>
      new Histogram({ name, help: HELP[name], buckets, labelNames, registers }),
    /** A gauge that is read at each scrape; it keeps its value where that gives undefined. */
    reading: (name: Name, read: () => number | Promise<number | undefined>): void => {
      const gauge: Gauge = new Gauge({
        name,
        help: HELP[name],
        registers,
        async collect() {
          const value = await read();
          if (value !== undefined) gauge.set(value);
        },
      });
    },
    /** A counter that is read at each scrape. */
    total: (name: Name, read: () => number): Counter =>
      new Counter({
        name,
        help: HELP[name],
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
  };
}
