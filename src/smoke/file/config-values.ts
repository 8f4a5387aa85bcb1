import { configSchema, configKeys } from "../../config/config-schema.ts";
import { knownKeys } from "../../contract/schema-walk.ts";
import { hintFor, type InvalidField } from "../../contract/validate.ts";

/** Keys that the runner sets for the daemon it starts. */
const RESERVED: readonly string[] = ["storage", "server.host", "server.port"];

/** A smoke file's configuration by dotted keys, as `{ "exchange.rate": 100 }`, and the errors in its keys. */
export function configValues(config: Readonly<Record<string, unknown>>): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly errors: readonly InvalidField[];
} {
  const keys = new Set(configKeys(configSchema).map(({ name }) => name));
  const values: Record<string, unknown> = {};
  const errors: InvalidField[] = [];

  function collect(tree: object, section: readonly string[]): void {
    for (const [key, value] of Object.entries(tree) as [string, unknown][]) {
      const path = [...section, key];
      const name = path.join(".");
      const error = (message: string, of: "key" | "value" = "key"): void => {
        errors.push({ path: ["config", ...path], of, message: `config.${name} ${message}` });
      };
      if (RESERVED.includes(name)) error("cannot be set by a smoke file: its daemon keeps everything in memory.");
      else if (keys.has(name)) values[name] = value;
      else if (![...keys].some((known) => known.startsWith(`${name}.`))) {
        const hint = hintFor(key, knownKeys(configSchema, section));
        error(`is not a known key.${hint && ` ${hint}`}`);
      } else if (typeof value === "object" && value !== null && !Array.isArray(value)) collect(value, path);
      else error("must be an object.", "value");
    }
  }

  collect(config, []);
  return { values, errors };
}
