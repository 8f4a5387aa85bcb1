import { z } from "zod";
import { RATE_GROUPS } from "../contract/endpoints.ts";
import { LIMITS } from "../contract/limits.ts";

/** An origin as browsers send it: scheme, host, and the port where it is not the scheme's own. */
const origin = z.string().refine((value) => value === "*" || (URL.canParse(value) && new URL(value).origin === value), {
  message: "must be an origin such as https://app.example.com, or * for all",
});

/** Where and how the daemon listens. */
export const serverConfig = z.strictObject({
  host: z.string().default("127.0.0.1").describe("Address to listen on"),
  port: z.int().min(0).max(65_535).default(8787).describe("Port to listen on; 0 for any free port"),
  drain_ms: z.int().min(0).default(10_000).describe("Longest wait for running requests when stopping, ms"),
  drain_delay_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe(
      "How long requests are still accepted when stopping, with /readyz at 503, so that load balancers notice, ms",
    ),
  trusted_proxies: z
    .int()
    .min(0)
    .max(16)
    .default(0)
    .describe(
      "Number of proxies in front whose X-Forwarded-For is trusted; rate limits of anonymous callers use its addresses",
    ),
  tls: z
    .strictObject({
      cert_file: z
        .string()
        .min(1)
        .meta({ description: "Certificate and its chain, PEM", examples: ["tls/server.crt"] }),
      key_file: z
        .string()
        .min(1)
        .meta({ description: "Private key, PEM", examples: ["tls/server.key"] }),
    })
    .optional()
    .describe("HTTPS instead of HTTP"),
  cors: z
    .strictObject({
      origins: z.array(origin).default([]).describe("Origins whose pages may call the API; * for all"),
      max_age_s: z.int().min(0).max(86_400).default(600).describe("How long browsers cache a preflight response, s"),
    })
    .prefault({}),
  docs: z.boolean().default(true).describe("Whether /docs serves the API documentation"),
});

const rate = z.strictObject({
  requests: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: "Requests per window", examples: [60] }),
  window_s: z.int().min(1).max(86_400).default(60).describe("Length of the window, s"),
});

/** Limits per caller. */
export const limitsConfig = z.strictObject({
  body_bytes: z
    .int()
    .min(32 * 1024)
    .max(16 * 1024 * 1024)
    .default(LIMITS.requestBody)
    .describe("Largest body of a request, bytes"),
  in_flight: z.int().min(0).default(2000).describe("Concurrent API requests; 0 for no limit"),
  in_flight_per_user: z.int().min(0).default(256).describe("Concurrent API requests of one user; 0 for no limit"),
  store: z
    .enum(["auto", "memory"])
    .default("auto")
    .describe(
      "Where rates are counted: auto uses Redis, shared by all daemons, if the storage is Redis; memory counts per daemon",
    ),
  rates: z
    .strictObject(
      Object.fromEntries(RATE_GROUPS.map((group) => [group, rate.optional()])) as Record<
        (typeof RATE_GROUPS)[number],
        z.ZodOptional<typeof rate>
      >,
    )
    .prefault({})
    .describe(
      "Rate limits per user, or per address for anonymous callers, for each group of operations; none by default",
    ),
});

export type LimitsConfig = z.infer<typeof limitsConfig>;

/** Metrics for Prometheus. */
export const metricsConfig = z.strictObject({
  enabled: z.boolean().default(true).describe("Whether /metrics is served"),
  host: z.string().default("127.0.0.1").describe("Address of the separate metrics port"),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .meta({ examples: [9187] })
    .optional()
    .describe("Serve /metrics on this port instead of the API's; 0 for any free port"),
});
