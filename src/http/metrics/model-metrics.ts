import { Counter, Histogram, type Registry } from "prom-client";
import type { ServiceObserver } from "../../service/observer.ts";

/** Upper bounds of a model call, in seconds. */
const BUCKETS_S = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];

/** Model calls. */
export function createModelMetrics(registers: Registry[]): Pick<ServiceObserver, "modelCalled"> {
  const calls = new Counter({
    name: "anp_model_calls_total",
    help: "Model calls, by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const seconds = new Histogram({
    name: "anp_model_call_duration_seconds",
    help: "Time of a model call with all its retries",
    buckets: BUCKETS_S,
    registers,
  });
  return {
    modelCalled(outcome, ms) {
      calls.inc({ outcome });
      seconds.observe(ms / 1000);
    },
  };
}
