import { z } from "zod";
import { RATE_GROUPS } from "../contract/endpoints.ts";
import { LIMITS } from "../contract/field-bounds.ts";
import { integer, section } from "./config-fields.ts";

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
