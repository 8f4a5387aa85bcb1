import { z } from "zod";
import { example, integer, section } from "./config-fields.ts";
import { RATE_GROUPS } from "../contract/endpoints.ts";
import { LIMITS } from "../contract/field-bounds.ts";

/** An origin as browsers send it: scheme, host, and the port where it is not the scheme's own. */
const origin = z.string().refine((value) => value === "*" || (URL.canParse(value) && new URL(value).origin === value), {
  message: "must be an origin such as https://app.example.com, or * for all",
});

/** Where and how the daemon listens. */
export const serverConfig = z.strictObject({
  host: z.string().default("127.0.0.1"),
  port: integer([0, 65_535], 8787),
  drain_ms: integer([0, Infinity], 10_000),
  drain_delay_ms: integer([0, 600_000], 0),
  body_ms: integer([100, 300_000], 10_000),
  max_connections: integer([16, 1_000_000], 16_384),
  trusted_proxies: integer([0, 16], 0),
  tls: z
    .strictObject({
      cert_file: example(z.string().min(1), "tls/server.crt"),
      key_file: example(z.string().min(1), "tls/server.key"),
    })
    .optional(),
  cors: section({
    origins: z.array(origin).default([]),
    max_age_s: integer([0, 86_400], 600),
  }),
  docs: z.boolean().default(true),
});

const rate = (requests: number) =>
  section({
    requests: integer([0, 1_000_000], requests).describe("Requests per window; 0 for no limit"),
    window_s: integer([1, 86_400], 60).describe("Length of the window, s"),
  });

/** Limits per caller. */
export const limitsConfig = z.strictObject({
  body_bytes: integer([32 * 1024, 16 * 1024 * 1024], LIMITS.requestBody),
  in_flight: integer([0, Infinity], 2000),
  in_flight_per_user: integer([0, Infinity], 256),
  wait_ms: integer([0, 60_000], 2000),
  store: z.enum(["auto", "memory"]).default("memory"),
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
    .prefault({}),
});

/** Metrics for Prometheus. */
export const metricsConfig = z.strictObject({
  enabled: z.boolean().default(true),
  host: z.string().default("127.0.0.1"),
  port: example(z.int().min(0).max(65_535), 9187).optional(),
});
