import { configSchema } from "./config-schema.ts";
import { configKeys } from "./config-keys.ts";
import { describeSource } from "./config-source.ts";
import { getAt } from "./config-tree.ts";
import type { LoadedConfig } from "./load-config.ts";

/** One value of a loaded configuration, fit to be shown. */
export interface ConfigRow {
  readonly key: string;
  /** Null when there is none; a secret is only said to be set. */
  readonly value: unknown;
  /** `default`, `flag`, `fixture`, `environment NAME`, `file PATH`, or `not set`. */
  readonly source: string;
}

const SET = "(set)";

/** Every key of a loaded configuration with its value and source. */
export function configRows({ config, sources }: LoadedConfig): ConfigRow[] {
  return configKeys(configSchema).map(({ name, path, secret }) => {
    const value = getAt(config, path) ?? null;
    return {
      key: name,
      value: secret && value !== null ? SET : withoutPasswords(value),
      source: value === null ? "not set" : describeSource(sources.get(name)!),
    };
  });
}

/** URLs keep their user's name and lose the password. */
function withoutPasswords(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(:\/\/[^/?#@\s:]*):[^/?#@\s]*@/g, "$1:***@");
  if (Array.isArray(value)) return value.map(withoutPasswords);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutPasswords(field)]));
}
