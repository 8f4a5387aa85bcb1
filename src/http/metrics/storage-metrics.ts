import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { StorageObserver, StorageVerb } from "../../storage/observe-storage.ts";
import { LATENCY_BUCKETS_S } from "./latency-buckets.ts";

export interface StorageMetrics extends StorageObserver {
  /** Whether the storage answers, as far as is known. */
  storageIsUp(up: boolean): void;
  /** How many findings about the storage are open. */
  storageRisks(count: number): void;
}

const VERBS: readonly StorageVerb[] = ["get", "has", "getMany", "create", "put", "remove"];

/** Storage calls, and the storage's health. */
export function createStorageMetrics(registers: Registry[]): StorageMetrics {
  const seconds = new Histogram({
    name: "anp_storage_call_duration_seconds",
    help: "Time of a successful storage call, by verb",
    labelNames: ["verb"],
    buckets: LATENCY_BUCKETS_S,
    registers,
  });
  const errors = new Counter({
    name: "anp_storage_errors_total",
    help: "Storage calls that failed, by verb",
    labelNames: ["verb"],
    registers,
  });
  for (const verb of VERBS) {
    seconds.zero({ verb });
    errors.inc({ verb }, 0);
  }
  const up = new Gauge({ name: "anp_storage_up", help: "1 while the storage answers, 0 while it is lost", registers });
  up.set(1);
  const risks = new Gauge({
    name: "anp_storage_risks",
    help: "Open findings about the storage; the log has the details",
    registers,
  });
  return {
    storageCalled(verb, ms, times) {
      for (let n = 0; n < times; n++) seconds.observe({ verb }, ms / 1000);
    },
    storageFailed(verb) {
      errors.inc({ verb });
    },
    storageIsUp(isUp) {
      up.set(isUp ? 1 : 0);
    },
    storageRisks(count) {
      risks.set(count);
    },
  };
}
