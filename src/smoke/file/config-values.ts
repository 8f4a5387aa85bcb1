import { configSchema } from "../../config/config-schema.ts";
import { knownKeys } from "../../contract/schema-walk.ts";
import { hintFor, type InvalidField, type ValuePath } from "../../contract/validate.ts";
import { isRecord } from "./json-values.ts";

const RESERVED: readonly string[] = ["storage", "server.host", "server.port"];

type ConfigValue = readonly [name: string, value: unknown, error?: InvalidField];

/** The values of a smoke file's configuration by dotted keys, as `exchange.rate`; one that cannot be set has an error. */
export function configValues(config: Readonly<Record<string, unknown>>, section: ValuePath = []): ConfigValue[] {
  return Object.entries(config).flatMap(([key, value]): ConfigValue[] => {
    const path = [...section, key];
    const name = path.join(".");
    const refuse = (message: string, of: "key" | "value" = "key"): ConfigValue[] => [
      [name, value, { path: ["config", ...path], of, message: `config.${name} ${message}` }],
    ];
    if (RESERVED.includes(name)) return refuse("cannot be set by a smoke file: its daemon keeps everything in memory.");
    const known = knownKeys(configSchema, section);
    if (!known.includes(key)) return refuse(`is not a known key. ${hintFor(key, known)}`.trimEnd());
    if (knownKeys(configSchema, path).length === 0) return [[name, value]];
    return isRecord(value) ? configValues(value, path) : refuse("must be an object.", "value");
  });
}
