import { z } from "zod";
import { LIMITS } from "../field-bounds.ts";
import { count, named, positiveInt, text, timestamp, limitSchema, PLAIN_TEXT } from "./shared-fields.ts";

export const chatBody = z.object({
  question: text(LIMITS.question).meta({ description: "The user's question, 1 to 2000 characters" }),
  session_id: positiveInt.optional().describe("The session to continue, read with memory; a new one when absent"),
  page_context: text(LIMITS.pageContext, 0).optional().meta({ description: "Scene of the page where the user asks" }),
  token_symbol: text(LIMITS.tokenSymbol, 0).optional().meta({ description: "Asset that the user is looking at" }),
});

export const sourceItem = named("SourceItem", {
  id: z.string(),
  kind: z.enum(["help", "notice", "news", "account"]),
  title: z.string().meta({ description: PLAIN_TEXT }),
  url: z.string().meta({ description: "http(s), or empty; for the kind account a path of this API, not a page" }),
  lang: z.string(),
  published_at: timestamp.nullable(),
  snippet: z.string().meta({ description: "The passage of the source that the answer uses, in plain text" }),
});

export const chatAnswer = named("ChatAnswer", {
  message_id: positiveInt,
  session_id: positiveInt,
  answer: z.string().min(1).meta({ description: PLAIN_TEXT }),
  route: z.string(),
  sub_intent: z.string(),
  source_items: z.array(sourceItem),
  points_cost: count.meta({ description: "Points that this call cost" }),
  credits_remaining: count.meta({ description: "Points balance after this call" }),
  model_name: z.string(),
  latency_ms: count,
});

export const recommendedQuery = z.object({
  scene: text(LIMITS.scene).default("home"),
  lang: text(LIMITS.lang).default("zh"),
  limit: limitSchema(20, 6),
});

export const recommendedQuestions = named("RecommendedQuestions", {
  scene: z.string(),
  lang: z.string(),
  questions: z.array(z.object({ content: z.string(), order_index: z.int() })),
});
