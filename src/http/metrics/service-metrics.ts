import type { JobObserver } from "../../compute/job-runner.ts";
import type { LedgerObserver } from "../../ledger/ledger.ts";
import type { ServiceObserver } from "../../service/service.ts";
import type { StorageObserver } from "../../storage/observe-storage.ts";
import type { Meters } from "./meters.ts";

/** Upper bounds of a model call and of a refresh, in seconds. */
const MODEL_BUCKETS_S = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];
const REFRESH_BUCKETS_S = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Points credited and debited, charges, model calls, refreshes of the news, and jobs of worker threads. */
export function createServiceMetrics(meters: Meters): Omit<ServiceObserver, keyof StorageObserver> {
  return { ...createLedgerMetrics(meters), ...createCallMetrics(meters) };
}

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
    conflicted() {
      conflicts.inc();
    },
  };
}

function createCallMetrics({
  counter,
  histogram,
}: Meters): Pick<ServiceObserver, "modelCalled" | "refreshed"> & JobObserver {
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
    jobFailed(worker, reason) {
      failedJobs.inc({ worker, reason });
    },
    workerRestarted(worker) {
      restarts.inc({ worker });
    },
  };
}
