import { z } from "zod";
import { example, integer } from "./config-fields.ts";

/** A model behind an OpenAI-compatible endpoint. */
export const modelConfig = z.strictObject({
  base_url: example(z.url({ protocol: /^https?$/ }), "https://api.example.com/v1"),
  model: example(z.string().min(1), "example-small"),
  api_key: z.string().min(1).optional().meta({ secret: true }),
  timeout_ms: integer([1, Infinity], 30_000),
  max_retries: integer([0, 10], 2),
  temperature: z.number().min(0).max(2).default(0),
  max_output_tokens: integer([1, Infinity], 800),
  fallback: z.enum(["none", "extractive"]).default("none"),
});

export type ModelConfig = z.infer<typeof modelConfig>;
