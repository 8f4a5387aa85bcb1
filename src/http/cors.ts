import { appendCorsPreflightHeaders, isPreflightRequest, type CorsOptions, type H3Event } from "h3";
import type { Config } from "../config/config-schema.ts";
import HEADERS from "./cors-headers.json" with { type: "json" };
import { page } from "./respond.ts";

export type Cors = NonNullable<ReturnType<typeof createCors>>;

/** CORS headers as configured; undefined when no other origin may call. */
export function createCors({ origins, max_age_s }: Config["server"]["cors"]) {
  if (origins.length === 0) return undefined;
  const origin = origins.includes("*") ? "*" : origins;
  const options: CorsOptions = { origin, allowHeaders: HEADERS.sent, maxAge: String(max_age_s) };
  const exposed = { "access-control-expose-headers": HEADERS.read.join(",") };
  return {
    /** The response to a preflight request; undefined for any other request. */
    preflight(event: H3Event, ...methods: string[]): Response | undefined {
      if (!isPreflightRequest(event)) return undefined;
      appendCorsPreflightHeaders(event, { ...options, methods });
      return page("", "text/plain", { status: 204 });
    },
    /** CORS headers for a response to this Origin, with `Vary` for shared caches if they differ by origin. */
    headersFor(asking: string | null): Record<string, string> {
      if (origin === "*") return { "access-control-allow-origin": origin, ...exposed };
      if (asking === null || !origins.includes(asking)) return { vary: "Origin" };
      return { vary: "Origin", "access-control-allow-origin": asking, ...exposed };
    },
  };
}
