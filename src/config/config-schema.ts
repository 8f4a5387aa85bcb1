import { z } from "zod";
import { example, integer, section } from "./config-fields.ts";
import { offsetMinutes } from "../runtime/utc-offset.ts";
import { jwtConfig } from "./jwt-config.ts";
import { modelConfig } from "./model-config.ts";
import { newsConfig } from "./news-config.ts";
import { limitsConfig, metricsConfig, serverConfig } from "./server-config.ts";

const points = z.int().min(0);
/** Points per USD; computed in exact decimal arithmetic. */
const rewardRate = z.number().min(0);

/** The whole configuration. Every key has a default; an unknown key is an error. */
export const configSchema = z.strictObject({
  storage: z
    .string()
    .default("fs:./.anp/data")
    .describe(
      "Storage URL: fs:FOLDER, memory:, redis://HOST:PORT/DB, rediss:// (TLS) or redis-cluster://HOST:PORT,HOST:PORT",
    ),
  storage_id: example(z.string().min(1).max(128), "3f2c9a1e-7b54-4c1f-9d2e-5a6b7c8d9e0f")
    .optional()
    .describe(
      "Identity that the storage must have (`anp storage info` shows it); another or an emptied one is refused",
    ),
  mode: z
    .enum(["production", "staging"])
    .optional()
    .describe("Only staging accepts `--fault`; the default is staging on a fixture, else production"),
  server: serverConfig.prefault({}).describe("Where and how the daemon listens"),
  limits: limitsConfig.prefault({}).describe("Limits per caller; a request beyond them gets a 429"),
  metrics: metricsConfig.prefault({}).describe("Metrics for Prometheus"),
  quota: section({
    timezone: z
      .string()
      .refine((value) => offsetMinutes(value) !== undefined, { message: "must be an offset such as +08:00" })
      .default("+08:00")
      .describe("UTC offset; the free quota resets at its midnight"),
    free_daily: points.default(5).describe("Free uses per day of a user without a quota of their own"),
  }),
  exchange: section({
    rate: integer([1, 1_000_000_000], 10, "Points per unit of the platform token"),
    max_amount: z.number().positive().default(1_000_000).describe("Largest exchange, in units of the token"),
  }),
  trade_reward: section({
    spot: rewardRate.default(0.01).describe("Points per USD of spot volume"),
    futures: rewardRate.default(0.005).describe("Points per USD of futures volume"),
    max_volume_usd: z.number().positive().default(1_000_000).describe("Largest rewarded volume of one trade, USD"),
  }),
  costs: section({
    default: points.default(1).describe("Points for an answer"),
    advanced_research: points.default(5).describe("Points for advanced research"),
    account: points.default(0).describe("Points for an answer about the user's own account"),
    small_talk: points.default(0).describe("Points for small talk"),
  }),
  plans: z
    .record(z.string(), z.strictObject({ memory: z.boolean(), advanced_research: z.boolean() }))
    .default({
      free: { memory: false, advanced_research: false },
      pro: { memory: true, advanced_research: true },
    })
    .describe("Features per plan"),
  auth: section({
    jwt: jwtConfig.optional().describe("The platform's own tokens"),
    cache_ms: integer([0, 2000], 1000, "How long tokens and profiles are cached, ms"),
  }),
  model: modelConfig.optional().describe("An OpenAI-compatible model; without one, answers are extractive"),
  news: newsConfig.prefault({}),
  assistant: section({
    questions: example(z.string(), "questions.json").optional().describe("JSON file of recommended questions"),
    lexicon: example(z.string(), "lexicon.txt")
      .optional()
      .describe(
        "File of the users' words for what the articles are about, a meaning a line: english, words | 中文, 词",
      ),
  }),
  hot_questions: section({
    min_users: integer([1, Infinity], 3, "Number of different users who must have asked a hot question"),
  }),
  log: section({
    level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info").describe("Lowest level that is logged"),
  }),
});

export type Config = z.infer<typeof configSchema>;
