import { z } from "zod";

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
  timeout_ms: z.int().min(1).default(30_000).meta({ description: "Total time of one answer, including retries, ms" }),
  max_retries: z.int().min(0).max(10).default(2).meta({ description: "Retries after a failure" }),
  temperature: z.number().min(0).max(2).default(0).meta({ description: "Sampling temperature" }),
  max_output_tokens: z.int().min(1).default(800).meta({ description: "Longest answer, in tokens" }),
  fallback: z.enum(["none", "extractive"]).default("none").meta({
    description: "What happens when the model fails: none gives error 1007, extractive answers from the sources",
  }),
});

export type ModelConfig = z.infer<typeof modelConfig>;
