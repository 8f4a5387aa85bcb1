import { z } from "zod";
import { example, integer, section } from "./config-fields.ts";

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
  max_connections: integer([16, 1_000_000], 20_000),
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

/** Metrics for Prometheus. */
export const metricsConfig = z.strictObject({
  enabled: z.boolean().default(true),
  host: z.string().default("127.0.0.1"),
  port: example(z.int().min(0).max(65_535), 9187).optional(),
});
