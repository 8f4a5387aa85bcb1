import type { RefusalReason } from "../concurrency-limits.ts";
import type { RequestMeter } from "../request-wrapper.ts";
import { LATENCY_BUCKETS_S, type Meters } from "./meters.ts";

const REASONS: readonly RefusalReason[] = ["in_flight", "in_flight_per_user", "bodies", "wait", "rate"];

/** Answered and refused requests, and closed connections. */
export function createHttpMetrics({ counter, histogram }: Meters) {
  const seconds = histogram("anp_http_request_duration_seconds", LATENCY_BUCKETS_S, "operation");
  const answers = counter("anp_http_requests_total", "operation", "status", "code");
  const refusals = counter("anp_http_refused_total", "reason");
  for (const reason of REASONS) refusals.inc({ reason }, 0);
  const closed = counter("anp_http_connections_closed_total", "reason");
  return {
    /** Counts a connection that was closed by this side. */
    connectionClosed: (reason: string): void => {
      closed.inc({ reason });
    },
    refused: (reason: RefusalReason): void => {
      refusals.inc({ reason });
    },
    meterOf(operation: string): ReturnType<RequestMeter["meterOf"]> {
      seconds.zero({ operation });
      return (status, code, ms) => {
        seconds.observe({ operation }, ms / 1000);
        answers.inc({ operation, status, code });
      };
    },
  };
}
