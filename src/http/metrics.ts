import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { QueueState } from "../events/log/event-log.ts";
import type { RequestMeter } from "./error-handler.ts";
import type { NewsStatus } from "../news/news.ts";
import type { ServiceObserver } from "../service/observer.ts";
import type { StorageVerb } from "../storage/observe-storage.ts";
import { TallyHistogram, type Tally } from "./tally.ts";

/** Answers of a model take seconds. */
const MODEL_BOUNDS_S = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];
const REFRESH_BOUNDS_S = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** What is asked of the service when the metrics are read. */
export interface Sources {
  readonly now: () => number;
  readonly newsStatus: () => Promise<NewsStatus>;
  readonly queue: () => QueueState;
  readonly inFlight: () => number;
  readonly draining: () => boolean;
}

/** The metrics of one daemon, as Prometheus reads them. */
export interface Metrics extends RequestMeter, ServiceObserver {
  readonly contentType: string;
  /** Reads from these from now on. */
  watch(sources: Sources): void;
  /** Whether the storage answers, as far as it is known. */
  storageIsUp(up: boolean): void;
  /** How many things about the storage are not as they should be. */
  storageRisks(count: number): void;
  text(): Promise<string>;
}

/** Counts of one operation's answers. Most are successes, and those cost nothing but an addition. */
class Answers {
  #ok = 0;
  readonly #others = new Map<string, { status: number; code: number; count: number }>();

  add(status: number, code: number): void {
    if (status === 200 && code === 0) {
      this.#ok++;
      return;
    }
    const name = `${status} ${code}`;
    const other = this.#others.get(name);
    if (other === undefined) this.#others.set(name, { status, code, count: 1 });
    else other.count++;
  }

  list(): readonly { status: number; code: number; count: number }[] {
    return [...(this.#ok > 0 ? [{ status: 200, code: 0, count: this.#ok }] : []), ...this.#others.values()];
  }
}

/** Metrics in a registry of their own. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name, help, labelNames: [...labelNames], registers });
  const gauge = (name: string, help: string, collect: (this: Gauge) => void | Promise<void>): Gauge =>
    new Gauge({ name, help, registers, collect });

  collectDefaultMetrics({ register: registry });
  new Gauge({ name: "anp_build_info", help: "The running version", labelNames: ["version"], registers }).set(
    { version },
    1,
  );

  const answered = new Map<string, Answers>();
  const requestSeconds = new TallyHistogram(registry, {
    name: "anp_http_request_duration_seconds",
    help: "Time from a request's headers to its answer, by operation",
    label: "operation",
  });
  new Counter({
    name: "anp_http_requests_total",
    help: "Requests answered, by operation, HTTP status and code of the envelope (0: success)",
    labelNames: ["operation", "status", "code"],
    registers,
    collect() {
      this.reset();
      for (const [operation, answers] of answered) {
        for (const { status, code, count } of answers.list()) this.inc({ operation, status, code }, count);
      }
    },
  });

  const storageSeconds = new TallyHistogram(registry, {
    name: "anp_storage_call_duration_seconds",
    help: "Time of a storage call that did its work, by verb",
    label: "verb",
  });
  const storageTallies = Object.fromEntries(
    (["get", "has", "getMany", "create", "put", "remove"] satisfies StorageVerb[]).map((verb) => [
      verb,
      storageSeconds.tally(verb),
    ]),
  ) as Record<StorageVerb, Tally>;
  const storageErrors = counter("anp_storage_errors_total", "Storage calls that failed, by verb", ["verb"]);
  for (const verb of Object.keys(storageTallies)) storageErrors.inc({ verb }, 0);
  const storageUp = new Gauge({
    name: "anp_storage_up",
    help: "1 while the storage answers, 0 while it is lost",
    registers,
  });
  storageUp.set(1);
  const risks = new Gauge({
    name: "anp_storage_risks",
    help: "What is not as it should be about the storage; the log says what",
    registers,
  });

  const modelCalls = counter("anp_model_calls_total", "Calls of the model, by outcome", ["outcome"]);
  const modelSeconds = new Histogram({
    name: "anp_model_call_duration_seconds",
    help: "Time of a call of the model with all its tries",
    buckets: MODEL_BOUNDS_S,
    registers,
  });
  const entries = counter("anp_ledger_entries_total", "New ledger entries, by type", ["type"]);
  const charges = counter("anp_charges_total", "Answers charged for with points, by route", ["route"]);
  const pointsIn = counter("anp_points_in_total", "Points that came into ledgers, by type of entry", ["type"]);
  const pointsOut = counter("anp_points_out_total", "Points that left ledgers, by type of entry", ["type"]);
  const freeUses = counter("anp_free_uses_total", "Answers paid for with a free use");
  const conflicts = counter("anp_ledger_conflicts_total", "Appends to a ledger where another writer was first");

  const refreshes = counter("anp_news_refreshes_total", "Refreshes of the news, by mode and outcome", [
    "mode",
    "outcome",
  ]);
  const refreshSeconds = new Histogram({
    name: "anp_news_refresh_duration_seconds",
    help: "Time of a refresh of the news, by mode",
    labelNames: ["mode"],
    buckets: REFRESH_BOUNDS_S,
    registers,
  });

  function watch({ now, newsStatus, queue, inFlight, draining }: Sources): void {
    let reading: Promise<NewsStatus | undefined> | undefined;
    /** One reading for all gauges of a scrape; undefined while the storage is lost: then they stay as they were known. */
    const status = (): Promise<NewsStatus | undefined> => {
      reading ??= newsStatus()
        .catch(() => undefined)
        .finally(() => {
          reading = undefined;
        });
      return reading;
    };
    const ofNews = (name: string, help: string, read: (status: NewsStatus) => number): Gauge =>
      gauge(name, help, async function () {
        const known = await status();
        if (known !== undefined) this.set(read(known));
      });
    const ageOf = (iso: string | null): number =>
      iso === null ? Infinity : Math.max(0, now() - Date.parse(iso)) / 1000;

    ofNews("anp_news_refresh_age_seconds", "Age of the published news; +Inf when there are none", ({ published_at }) =>
      ageOf(published_at),
    );
    ofNews(
      "anp_news_full_sync_age_seconds",
      "Age of the last full synchronisation; +Inf when there was none",
      ({ last_full_sync_at }) => ageOf(last_full_sync_at),
    );
    ofNews(
      "anp_news_sources_failing",
      "Sources whose last reading failed",
      ({ sources }) => sources.filter(({ ok }) => !ok).length,
    );
    gauge("anp_events_waiting", "Events that wait to be stored", function () {
      this.set(queue().events);
    });
    gauge("anp_events_waiting_bytes", "Their size as JSON", function () {
      this.set(queue().bytes);
    });
    gauge("anp_events_lag_seconds", "How long the oldest of them waits", function () {
      this.set(queue().oldest_ms / 1000);
    });
    new Counter({
      name: "anp_events_dropped_total",
      help: "Events that were accepted and not stored",
      registers,
      collect() {
        this.reset();
        this.inc(queue().dropped);
      },
    });
    gauge("anp_http_requests_in_flight", "API requests that run", function () {
      this.set(inFlight());
    });
    gauge("anp_draining", "1 while the daemon drains before it stops", function () {
      this.set(draining() ? 1 : 0);
    });
  }

  return {
    contentType: registry.contentType,
    watch,
    text: () => registry.metrics(),
    meterOf(operation) {
      const seconds = requestSeconds.tally(operation);
      const answers = new Answers();
      answered.set(operation, answers);
      return (status, code, ms) => {
        seconds.observe(ms);
        answers.add(status, code);
      };
    },
    storageCalled(verb, ms, times) {
      storageTallies[verb].observe(ms, times);
    },
    storageFailed(verb) {
      storageErrors.inc({ verb });
    },
    storageIsUp(up) {
      storageUp.set(up ? 1 : 0);
    },
    storageRisks(count) {
      risks.set(count);
    },
    modelCalled(outcome, ms) {
      modelCalls.inc({ outcome });
      modelSeconds.observe(ms / 1000);
    },
    posted({ type, delta, details }) {
      entries.inc({ type });
      if (delta > 0) pointsIn.inc({ type }, delta);
      if (delta < 0) pointsOut.inc({ type }, -delta);
      if (details.type !== "chat_cost") return;
      if (details.free) freeUses.inc();
      else if (delta < 0) charges.inc({ route: details.route });
    },
    conflicted() {
      conflicts.inc();
    },
    refreshed(mode, ok, ms) {
      refreshes.inc({ mode, outcome: ok ? "published" : "failed" });
      refreshSeconds.observe({ mode }, ms / 1000);
    },
  };
}
