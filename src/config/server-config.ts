import { z } from "zod";
import { example, flag, integer, section } from "./config-fields.ts";
import { RATE_GROUPS } from "../contract/endpoints.ts";
import { LIMITS } from "../contract/field-bounds.ts";

/** An origin as browsers send it: scheme, host, and the port where it is not the scheme's own. */
const origin = z.string().refine((value) => value === "*" || (URL.canParse(value) && new URL(value).origin === value), {
  message: "must be an origin such as https://app.example.com, or * for all",
});

/** Where and how the daemon listens. */
export const serverConfig = z.strictObject({
  host: z.string().default("127.0.0.1").describe("Address to listen on"),
  port: integer([0, 65_535], 8787, "Port to listen on; 0 for any free port"),
  drain_ms: integer([0, Infinity], 10_000, "Longest wait for running requests when stopping, ms"),
  drain_delay_ms: integer(
    [0, 600_000],
    0,
    "How long requests are still accepted when stopping, with /readyz at 503, so that load balancers notice, ms",
  ),
  body_ms: integer(
    [100, 300_000],
    10_000,
    "Longest wait for a request's headers, for its body, and for a reader of its response, ms",
  ),
  max_connections: integer(
    [16, 1_000_000],
    16_384,
    "Most open connections, less where the system allows fewer files; beyond them, idle ones are closed",
  ),
  trusted_proxies: integer(
    [0, 16],
    0,
    "Number of proxies in front whose X-Forwarded-For is trusted; rate limits of anonymous callers use its addresses",
  ),
  tls: z
    .strictObject({
      cert_file: example(z.string().min(1).describe("Certificate and its chain, PEM"), "tls/server.crt"),
      key_file: example(z.string().min(1).describe("Private key, PEM"), "tls/server.key"),
    })
    .optional()
    .describe("HTTPS instead of HTTP"),
  cors: section({
    origins: z.array(origin).default([]).describe("Origins whose pages may call the API; * for all"),
    max_age_s: integer([0, 86_400], 600, "How long browsers cache a preflight response, s"),
  }),
  docs: flag(true, "Whether /docs serves the API documentation"),
});

const rate = (requests: number) =>
  section({
    requests: integer([0, 1_000_000], requests, "Requests per window; 0 for no limit"),
    window_s: integer([1, 86_400], 60, "Length of the window, s"),
  });

/** Limits per caller. */
export const limitsConfig = z.strictObject({
  body_bytes: integer([32 * 1024, 16 * 1024 * 1024], LIMITS.requestBody, "Largest body of a request, bytes"),
  in_flight: integer([0, Infinity], 2000, "Concurrent API requests; 0 for no limit"),
  in_flight_per_user: integer([0, Infinity], 256, "Concurrent API requests of one user; 0 for no limit"),
  wait_ms: integer(
    [0, 60_000],
    2000,
    "Longest expected wait of a chat, points or events request before new ones are refused, ms; 0 for no limit",
  ),
  store: z
    .enum(["auto", "memory"])
    .default("memory")
    .describe(
      "Where rates are counted: memory counts per daemon; auto uses Redis, shared by all daemons, if the storage is Redis",
    ),
  // Generous: far beyond what a person does. Reads of a user's own account are cheap.
  rates: z
    .strictObject({
      account: rate(0),
      chat: rate(300),
      events: rate(60_000),
      points: rate(600),
      public: rate(300_000),
      refresh: rate(60),
    } satisfies Record<(typeof RATE_GROUPS)[number], unknown>)
    .prefault({})
    .describe(
      "Rate limits per user, or per address for anonymous callers and failed tokens, for each group of operations",
    ),
});

/** Metrics for Prometheus. */
export const metricsConfig = z.strictObject({
  enabled: flag(true, "Whether /metrics is served"),
  host: z.string().default("127.0.0.1").describe("Address of the separate metrics port"),
  port: example(z.int().min(0).max(65_535), 9187)
    .optional()
    .describe("Serve /metrics on this port instead of the API's; 0 for any free port"),
});
