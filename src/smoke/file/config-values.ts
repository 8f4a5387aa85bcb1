import { configSchema, configKeys } from "../../config/config-schema.ts";
import { knownKeys } from "../../contract/validation/schema-walk.ts";
import { hintFor, type InvalidField, type ValuePath } from "../../contract/validation/validate-value.ts";
import { isRecord } from "../../runtime/json/json-values.ts";

const RESERVED: readonly string[] = ["storage", "server.host", "server.port"];
const KEYS = new Set(configKeys().map(({ name }) => name));
type ConfigValue = readonly [name: string, value: unknown, error?: InvalidField];

/** The values of a smoke file's configuration by dotted keys, as `exchange.rate`; one that cannot be set has an error. */
export const configValues = (config: Readonly<Record<string, unknown>>, section: ValuePath = []): ConfigValue[] =>
  Object.entries(config).flatMap(([key, value]): ConfigValue[] => {
    const path = [...section, key];
    const name = path.join(".");
    const refuse = (message: string, of: "key" | "value" = "key"): ConfigValue[] => [
      [name, value, { path: ["config", ...path], of, message: `config.${name} ${message}` }],
    ];
    if (RESERVED.includes(name)) return refuse("cannot be set by a smoke file: its daemon keeps everything in memory.");
    if (KEYS.has(name)) return [[name, value]];
    if (![...KEYS].some((known) => known.startsWith(`${name}.`))) {
      const hint = hintFor(key, knownKeys(configSchema, section));
      return refuse(`is not a known key.${hint && ` ${hint}`}`);
    }
    return isRecord(value) ? configValues(value, path) : refuse("must be an object.", "value");
  });
