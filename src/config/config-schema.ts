import { z } from "zod";
import { offsetMinutes } from "../runtime/utc-offset.ts";
import { jwtConfig } from "./jwt-config.ts";
import { modelConfig } from "./model-config.ts";
import { newsConfig } from "./news-config.ts";
import { limitsConfig, metricsConfig, serverConfig } from "./server-config.ts";

const points = z.int().min(0);
/** Points a USD, exact in decimal. */
const rewardRate = z.number().min(0);

/** The whole configuration. Every key has a default; an unknown key is an error. */
export const configSchema = z.strictObject({
  storage: z
    .string()
    .default("fs:./.anp/data")
    .describe(
      "Storage URL: fs:FOLDER, memory:, redis://HOST:PORT/DB, rediss:// (TLS) or redis-cluster://HOST:PORT,HOST:PORT",
    ),
  mode: z
    .enum(["production", "staging"])
    .optional()
    .describe("Only staging takes `--fault`; without it a fixture's world is staging, and all else production"),
  server: serverConfig.prefault({}).describe("Where and how the daemon listens"),
  limits: limitsConfig.prefault({}).describe("What a caller may take of the daemon; beyond it is a 429"),
  metrics: metricsConfig.prefault({}).describe("Metrics for Prometheus"),
  quota: z
    .strictObject({
      timezone: z
        .string()
        .refine((value) => offsetMinutes(value) !== undefined, { message: "must be an offset such as +08:00" })
        .default("+08:00")
        .describe("Offset at whose midnight the free quota resets"),
      free_daily: points.default(5).describe("Free uses a day of a user who has no quota of their own"),
    })
    .prefault({}),
  exchange: z
    .strictObject({
      rate: z.int().min(1).max(1_000_000_000).default(10).describe("Points a unit of the platform token"),
      max_amount: z.number().positive().default(1_000_000).describe("Most units of the token in one exchange"),
    })
    .prefault({}),
  trade_reward: z
    .strictObject({
      spot: rewardRate.default(0.01).describe("Points a USD of spot volume"),
      futures: rewardRate.default(0.005).describe("Points a USD of futures volume"),
    })
    .prefault({}),
  costs: z
    .strictObject({
      default: points.default(1).describe("Points an answer costs"),
      advanced_research: points.default(5).describe("Points an advanced research costs"),
      account: points.default(0).describe("Points an answer about the user's own account costs"),
      small_talk: points.default(0).describe("Points small talk costs"),
    })
    .prefault({}),
  plans: z
    .record(z.string(), z.strictObject({ memory: z.boolean(), advanced_research: z.boolean() }))
    .default({
      free: { memory: false, advanced_research: false },
      pro: { memory: true, advanced_research: true },
    })
    .describe("Features a plan"),
  auth: z
    .strictObject({
      jwt: jwtConfig.optional().describe("The platform's own tokens"),
      cache_ms: z.int().min(0).max(2000).default(1000).describe("How stale a token or a profile may be, ms"),
    })
    .prefault({}),
  model: modelConfig.optional().describe("An OpenAI-compatible model; without one, answers are extractive"),
  news: newsConfig.prefault({}),
  assistant: z
    .strictObject({
      questions: z
        .string()
        .meta({ examples: ["questions.json"] })
        .optional()
        .describe("JSON file of recommended questions"),
    })
    .prefault({}),
  hot_questions: z
    .strictObject({
      min_users: z.int().min(1).default(3).describe("Different users who must have asked a hot question"),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info").describe("Least level logged"),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;
