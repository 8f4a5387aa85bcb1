import { z } from "zod";
import { integer } from "./config-fields.ts";

/** A model behind an OpenAI-compatible endpoint. */
export const modelConfig = z.strictObject({
  base_url: z.url({ protocol: /^https?$/ }).meta({ description: "Base URL", examples: ["https://api.example.com/v1"] }),
  model: z
    .string()
    .min(1)
    .meta({ description: "The model's id", examples: ["example-small"] }),
  api_key: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true, description: "Key of the endpoint; none is sent when absent" }),
  timeout_ms: integer([1, Infinity], 30_000, "Total time of one answer, including retries, ms"),
  max_retries: integer([0, 10], 2, "Retries after a failure"),
  temperature: z.number().min(0).max(2).default(0).meta({ description: "Sampling temperature" }),
  max_output_tokens: integer([1, Infinity], 800, "Longest answer, in tokens"),
  fallback: z.enum(["none", "extractive"]).default("none").meta({
    description: "What happens when the model fails: none gives error 1007, extractive answers from the sources",
  }),
});

export type ModelConfig = z.infer<typeof modelConfig>;
