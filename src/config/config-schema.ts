import { readFileSync } from "node:fs";
import { z } from "zod";
import { LIMITS } from "../contract/field-bounds.ts";
import { example, integer, section, utcOffset } from "./section.ts";
import { embeddingsConfig, modelConfig } from "./model-config.ts";
import { newsConfig } from "./news-config.ts";
import { schemaAt, unwrapSchema } from "../contract/validation/schema-walk.ts";
import TEXTS from "./key-descriptions.json" with { type: "json" };
import type { RateGroup } from "../contract/endpoints.ts";

const rate = (requests: number) =>
  section({
    requests: integer([0, 1_000_000], requests).describe("Requests per window; 0 for no limit"),
    window_s: integer([1, 86_400], 60).describe("Length of the window, s"),
  });

/** How many requests of each group an account, or an anonymous caller, may make; `endpoints.ts` has the groups. Generous:
 * far beyond what a person does. Reads of a user's own account are cheap. */
const ratesConfig = section({
  account: rate(0),
  chat: rate(300),
  events: rate(60_000),
  points: rate(600),
  public: rate(300_000),
  refresh: rate(60),
} satisfies Record<RateGroup, unknown>);

const isOrigin = (value: string) => value === "*" || (URL.canParse(value) && new URL(value).origin === value);
const origin = z.string().refine(isOrigin, "must be an origin such as https://app.example.com, or * for all");
const host = () => z.string().overwrite(withoutBrackets).default("127.0.0.1");
const withoutBrackets = (host: string): string => host.replace(/^\[(.+)\]$/, "$1"); // As in a URL.
const portOf = (shown: number) => example(z.int().min(0).max(65_535), shown).optional();
const pem = (shown: string) => example(z.string().min(1), shown);
const fileOf = (shown: string) => example(z.string(), shown).optional();
const keptDays = (shown: number) => example(z.int().min(1).max(36_500), shown).optional();
const points = z.int().min(0);
const cap = () => z.number().positive().default(1_000_000);
const rewardRate = z.number().min(0); // Points per USD; computed in exact decimal arithmetic.

/** How the platform's own tokens are verified, and the names of their claims. */
export const jwtConfig = z
  .strictObject({
    secret: z.string().min(32).optional().meta({ secret: true }),
    jwks_url: example(z.url(), "https://accounts.example.com/.well-known/jwks.json").optional(),
    issuer: example(z.string(), "https://accounts.example.com").optional(),
    audience: example(z.string(), "anp").optional(),
    claims: section({
      user_id: z.string().default("sub"),
      free_daily_quota: z.string().default("free_daily_quota"),
      plan: z.string().default("plan"),
      lang: z.string().default("lang"),
    }),
  })
  .refine(({ secret, jwks_url }) => Boolean(secret) !== Boolean(jwks_url), "needs exactly one of secret and jwks_url");

const sections = z.strictObject({
  storage: z.string().default("fs:./.anp/data"),
  storage_id: example(z.string().min(1).max(128), "3f2c9a1e-7b54-4c1f-9d2e-5a6b7c8d9e0f").optional(),
  mode: z.enum(["production", "staging"]).optional(),
  server: section({
    host: host(),
    port: integer([0, 65_535], 8787),
    drain_ms: integer([0, 86_400_000], 10_000),
    drain_delay_ms: integer([0, 600_000], 0),
    body_ms: integer([100, 300_000], 10_000),
    max_connections: integer([16, 1_000_000], 20_000),
    trusted_proxies: integer([0, 16], 0),
    tls: z.strictObject({ cert_file: pem("tls/server.crt"), key_file: pem("tls/server.key") }).optional(),
    cors: section({ origins: z.array(origin).default([]), max_age_s: integer([0, 86_400], 600) }),
    docs: z.boolean().default(true),
  }),
  limits: section({
    body_bytes: integer([32 * 1024, 16 * 1024 * 1024], LIMITS.requestBody),
    in_flight: integer([0, Infinity], 2000),
    in_flight_per_user: integer([0, Infinity], 256),
    wait_ms: integer([0, 60_000], 2000),
    store: z.enum(["auto", "memory"]).default("memory"),
    rates: ratesConfig,
  }),
  metrics: section({ enabled: z.boolean().default(true), host: host(), port: portOf(9187) }),
  admin: section({ host: host(), port: portOf(8788) }),
  quota: section({ timezone: utcOffset.default("+08:00"), free_daily: points.default(5) }),
  exchange: section({ rate: integer([1, 1_000_000_000], 10), max_amount: cap() }),
  trade_reward: section({ spot: rewardRate.default(0.01), futures: rewardRate.default(0.005), max_volume_usd: cap() }),
  costs: section({
    default: points.default(1),
    advanced_research: points.default(5),
    account: points.default(0),
    small_talk: points.default(0),
  }),
  plans: z
    .record(z.string(), z.strictObject({ memory: z.boolean(), advanced_research: z.boolean() }))
    .default({ free: { memory: false, advanced_research: false }, pro: { memory: true, advanced_research: true } }),
  auth: section({ jwt: jwtConfig.optional(), cache_ms: integer([0, 2000], 1000) }),
  model: modelConfig.optional(),
  embeddings: embeddingsConfig.optional(),
  news: newsConfig.prefault({}),
  assistant: section({ questions: fileOf("questions.json"), lexicon: fileOf("lexicon.txt") }),
  retention: section({ answers_days: keptDays(365), events_days: keptDays(90) }),
  hot_questions: section({ min_users: integer([1, Infinity], 3) }),
  log: section({ level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info") }),
});

const APART = "must differ from admin.port and metrics.port on the same host, as these two must";
function arePortsApart({ server, admin, metrics }: z.infer<typeof sections>): boolean {
  const fixed = [server, admin, metrics].filter(({ port }) => port); // The others get free ports.
  return new Set(fixed.map(({ host, port }) => `${host} ${port}`)).size === fixed.length;
}

/** The whole configuration. Every key has a default; an unknown key is an error. */
export const configSchema = sections.refine(arePortsApart, { path: ["server", "port"], error: APART });

for (const [path, description] of Object.entries(TEXTS)) {
  const field = schemaAt(configSchema, path.split("."))!;
  z.globalRegistry.add(field, { ...field.meta(), description });
}

export type Config = z.infer<typeof configSchema>;
export type JwtConfig = z.infer<typeof jwtConfig>;

/** A section of the configuration, or one key that holds a value, a list or a map. */
export interface ConfigKey extends Omit<ReturnType<typeof unwrapSchema>, "inner"> {
  readonly path: readonly string[]; // `["server", "port"]`
  readonly name: string; // `server.port`
  readonly variable?: string; // The environment variable that sets it; absent for lists and maps.
  readonly schema: z.ZodType; // Its schema without the wrappers for default and optionality.
}

let nodes: readonly ConfigKey[] | undefined; // Made at the first use: the same for the whole process.

/** Every section and key in the schema's order, a section before its keys. */
export const configNodes = (): readonly ConfigKey[] => (nodes ??= nodesOf(configSchema, []));

function nodesOf(schema: z.ZodType, path: readonly string[]): ConfigKey[] {
  const { inner, ...about } = unwrapSchema(schema);
  const below = inner instanceof z.ZodObject ? Object.entries(inner.shape) : [];
  const nodes = below.flatMap(([name, field]) => nodesOf(field as z.ZodType, [...path, name]));
  if (path.length === 0) return nodes;
  const isMany = inner instanceof z.ZodArray && (inner.element as z.ZodType).def.type !== "string";
  const single = !(isMany || inner instanceof z.ZodRecord || inner instanceof z.ZodObject);
  const variable = single && { variable: `ANP_${path.join("_").toUpperCase()}` };
  return [{ ...about, path, name: path.join("."), ...variable, schema: inner }, ...nodes];
}

/** Every key that is not a section. */
export const configKeys = (): ConfigKey[] => configNodes().filter(({ schema }) => !(schema instanceof z.ZodObject));

/** The value of an environment variable, converted to the type of its key. Text that cannot be converted is kept. */
export function valueFromText(text: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNumber) return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
  if (schema instanceof z.ZodBoolean) return text === "true" ? true : text === "false" ? false : text;
  const items = text.split(",").map((item) => item.trim());
  return schema instanceof z.ZodArray ? items.filter((item) => item !== "") : text;
}

/** The defaults as a configuration file in YAML, every key explained. The build makes it (`scripts/write-config-example.js`). */
export const exampleConfig = (): string => readFileSync(new URL("config-example.written", import.meta.url), "utf8");

/** The JSON Schema of a configuration file. In place of each secret it has the key that names the secret's file. */
export const configJsonSchema = (): object =>
  z.toJSONSchema(configSchema, {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.properties === undefined) return;
      jsonSchema.properties = Object.fromEntries(
        Object.entries(jsonSchema.properties).map(([name, property]): [string, typeof property] => {
          if (typeof property !== "object" || property["secret"] !== true) return [name, property];
          return [`${name}_file`, { type: "string", description: `File with this secret: ${property.description}` }];
        }),
      );
    },
  });
