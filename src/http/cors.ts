import { appendCorsHeaders, appendCorsPreflightHeaders, isPreflightRequest, type CorsOptions, type H3Event } from "h3";
import type { Config } from "../config/config-schema.ts";
import { page } from "./respond.ts";

/** Headers that pages may send, and those that they may read, besides those that are always allowed. */
const SENT = ["Content-Type", "Idempotency-Key", "If-None-Match", "X-Request-Id", "X-User-Token"];
const RATES = ["RateLimit", "RateLimit-Policy", "Retry-After"];
const READ = ["ETag", "Idempotency-Replayed", ...RATES, "X-Request-Id", "X-Stability"];

/** Lets pages of other origins call the API, as configured; undefined when no other origin may call. */
export function createCors({ origins, max_age_s }: Config["server"]["cors"]) {
  if (origins.length === 0) return undefined;
  const origin = origins.includes("*") ? "*" : origins;
  const options: CorsOptions = { origin, allowHeaders: SENT, exposeHeaders: READ, maxAge: String(max_age_s) };
  return {
    /** The answer to a browser that asks whether it may call; undefined for any other request. */
    preflight(event: H3Event, method: string): Response | undefined {
      if (!isPreflightRequest(event)) return undefined;
      appendCorsPreflightHeaders(event, { ...options, methods: [method] });
      return page("", "text/plain", { status: 204 });
    },
    mark(event: H3Event): void {
      if (event.req.headers.has("origin")) appendCorsHeaders(event, options);
    },
  };
}
