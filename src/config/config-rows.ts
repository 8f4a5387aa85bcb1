import { configKeys } from "./config-schema.ts";
import { getAt, type LoadedConfig } from "./load-config.ts";

/** Every key of a loaded configuration with its value and source. */
export const configRows = ({ config, sources }: LoadedConfig) =>
  configKeys().map(({ name, path, secret }) => {
    const value = getAt(config, path) ?? null;
    return {
      key: name,
      /** Null when there is none; `(set)` in place of a secret. */
      value: secret && value !== null ? "(set)" : shown(path.at(-1)!, value),
      source: value === null ? "not set" : sources.get(name)!, // As `LoadedConfig.sources`, or `not set`.
    };
  });

/** A value without passwords in URLs; of headers, the names alone: their values are secrets. */
function shown(name: string, value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(:\/\/[^/?#@\s:]*):[^/?#@\s]*@/g, "$1:***@");
  if (Array.isArray(value)) return value.map((one) => shown("", one));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value) as [string, unknown][];
  return Object.fromEntries(fields.map(([key, field]) => [key, name === "headers" ? "(set)" : shown(key, field)]));
}
