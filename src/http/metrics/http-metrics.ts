import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { RequestMeter } from "../error-handler.ts";
import { LATENCY_BUCKETS_S } from "./latency-buckets.ts";

/** Answered requests. */
export function createHttpMetrics(registers: Registry[]): RequestMeter {
  const seconds = new Histogram({
    name: "anp_http_request_duration_seconds",
    help: "Time from a request's headers to its answer, by operation",
    labelNames: ["operation"],
    buckets: LATENCY_BUCKETS_S,
    registers,
  });
  const answers = new Counter({
    name: "anp_http_requests_total",
    help: "Requests answered, by operation, HTTP status and code of the envelope (0: success)",
    labelNames: ["operation", "status", "code"],
    registers,
  });
  return {
    meterOf(operation) {
      seconds.zero({ operation });
      return (status, code, ms) => {
        seconds.observe({ operation }, ms / 1000);
        answers.inc({ operation, status, code });
      };
    },
  };
}

/** Running requests, and whether the daemon accepts new ones. */
export function watchRequests(registers: Registry[], inFlight: () => number, draining: () => boolean): void {
  new Gauge({
    name: "anp_http_requests_in_flight",
    help: "Running API requests",
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  new Gauge({
    name: "anp_draining",
    help: "1 while the daemon drains before it stops",
    registers,
    collect() {
      this.set(draining() ? 1 : 0);
    },
  });
}
