import type { StorageVerb } from "../../storage/observe-storage.ts";
import { LATENCY_BUCKETS_S, type Meters } from "./meters.ts";

const VERBS: readonly StorageVerb[] = ["get", "has", "getMany", "create", "put", "remove"];

/** The most keys that damage is counted by; all others are one. */
const MAX_KEYS = 100;

/** Storage calls, and the storage's health. */
export function createStorageMetrics({ counter, gauge, histogram }: Meters) {
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
    storageFailed(verb: StorageVerb) {
      errors.inc({ verb });
    },
    damaged(key: string) {
      if (keys.size < MAX_KEYS) keys.add(key);
      damage.inc({ key: keys.has(key) ? key : "other" });
    },
    /** Whether the storage answers, as far as is known. */
    storageIsUp(isUp: boolean) {
      up.set(isUp ? 1 : 0);
    },
    /** How many parts of the storage have lost their identity while others have it. */
    storagePartsLost(count: number) {
      partsLost.set(count);
    },
    /** How many findings about the storage are open. */
    storageRisks(count: number) {
      risks.set(count);
    },
  };
}
