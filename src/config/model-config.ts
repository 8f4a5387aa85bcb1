import { z } from "zod";
import { example, integer, section } from "./section.ts";

/** Made for each section: a schema carries the description of one key. */
const endpointOf = () => ({
  base_url: example(z.url({ protocol: /^https?$/ }), "https://api.example.com/v1"),
  model: example(z.string().min(1), "example-small"),
  max_retries: integer([0, 10], 2),
  temperature: z.number().min(0).max(2).default(0),
  send_temperature: z.boolean().default(true),
  max_output_tokens: integer([1, Infinity], 800),
  length_field: z.string().min(1).default("max_tokens"),
  prompt_tokens: integer([500, Infinity], 6000),
  key_header: z.string().min(1).default("authorization"),
  headers: z.record(z.string(), z.string()).default({}),
  query: z.record(z.string(), z.string()).default({}),
  body: z.record(z.string(), z.json()).default({}),
  max_calls: integer([1, 10_000], 16),
  max_waiting: integer([0, 10_000], 64),
  connect_ms: integer([1, 60_000], 5000),
  headers_ms: integer([1, 86_400_000], 300_000),
  idle_ms: integer([1, 86_400_000], 30_000),
});

const provider = z.strictObject({ ...endpointOf(), api_key_file: z.string().min(1).optional() });
const tokens = (shown: number) => example(z.int().min(1000), shown).optional();
const formOf = () => ({ format: z.enum(["json_schema", "json_object", "none"]).default("json_schema") });

/** A model behind an OpenAI-compatible endpoint, and those that are asked when it fails. */
export const modelConfig = z.strictObject({
  ...endpointOf(),
  api_key: z.string().min(1).optional().meta({ secret: true }),
  timeout_ms: integer([1, 86_400_000], 30_000),
  budget: section({ answer: tokens(20_000), user_day: tokens(100_000), day: tokens(5_000_000) }),
  fallback: z.enum(["none", "extractive"]).default("none"),
  rewrite: z.strictObject({ ...formOf(), timeout_ms: integer([1, 60_000], 3000) }).optional(),
  verify: z.strictObject({ ...formOf(), timeout_ms: integer([1, 60_000], 10_000) }).optional(),
  providers: z.array(provider).default([]),
});

const { base_url, key_header, headers, query, body, max_calls, connect_ms, headers_ms, idle_ms } = endpointOf();

/** A model behind an OpenAI-compatible endpoint that makes vectors of texts. */
export const embeddingsConfig = z.strictObject({
  ...{ base_url, key_header, headers, query, body, max_calls, connect_ms, headers_ms, idle_ms },
  model: example(z.string().min(1), "example-embedding"),
  api_key: z.string().min(1).optional().meta({ secret: true }),
  dimensions: example(z.int().min(1).max(16_384), 1024).optional(),
  batch_size: integer([1, 2048], 64),
  passage_size: integer([100, 100_000], 2000),
  passage_prefix: z.string().default(""),
  question_prefix: z.string().default(""),
  timeout_ms: integer([1, 86_400_000], 30_000),
  question_ms: integer([1, 60_000], 1000),
});

export type EmbeddingsConfig = z.infer<typeof embeddingsConfig>;
export type ModelConfig = z.infer<typeof modelConfig>;
/** One endpoint, with its key. */
export type ProviderConfig = Omit<z.infer<typeof provider>, "api_key_file"> & { readonly api_key?: string | undefined };

/** The endpoints in the order in which they are asked. `readKey` reads a key's file. */
export function providersOf(config: ModelConfig, readKey: (file: string) => string): ProviderConfig[] {
  const others = config.providers.map(({ api_key_file: file, ...other }) => {
    return file === undefined ? other : { ...other, api_key: readKey(file).trim() };
  });
  return [config, ...others];
}

export type Endpoint = ProviderConfig | EmbeddingsConfig;

/** The header that carries the key: `Authorization: Bearer`, or another with the key alone. */
export function headersOf({ api_key: key, key_header, headers }: Endpoint): Record<string, string> {
  const name = key_header.toLowerCase();
  return key === undefined ? headers : { ...headers, [name]: name === "authorization" ? `Bearer ${key}` : key };
}
