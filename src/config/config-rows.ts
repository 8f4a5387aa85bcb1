import { configKeys } from "./config-schema.ts";
import { getAt, type LoadedConfig } from "./load-config.ts";

/** Every key of a loaded configuration with its value and source. */
export const configRows = ({ config, sources }: LoadedConfig) =>
  configKeys().map(({ name, path, secret }) => {
    const value = getAt(config, path) ?? null;
    return {
      key: name,
      /** Null when there is none; `(set)` in place of a secret. */
      value: secret && value !== null ? "(set)" : withoutPasswords(value),
      source: value === null ? "not set" : sources.get(name)!, // As `LoadedConfig.sources`, or `not set`.
    };
  });

function withoutPasswords(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(:\/\/[^/?#@\s:]*):[^/?#@\s]*@/g, "$1:***@");
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => {
      return [name, name === "headers" ? hidden(field as object) : withoutPasswords(field)];
    }),
  );
}

/** The names of a source's headers, or a provider's: their values are secrets. */
const hidden = (headers: object): object => Object.fromEntries(Object.keys(headers).map((name) => [name, "(set)"]));
