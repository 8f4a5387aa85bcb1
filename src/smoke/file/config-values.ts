import { configSchema } from "../../config/config-schema.ts";
import { configKeys, namesAt } from "../../config/config-keys.ts";
import { didYouMean } from "../../runtime/did-you-mean.ts";
import type { FileIssue, Path } from "./file-issue.ts";

/** Keys that a daemon of a run's own decides itself. */
const OWN: readonly string[] = ["storage", "server.host", "server.port"];

/** A file's configuration by dotted keys, as `{ "exchange.rate": 100 }`, and what is wrong with its names. */
export function configValues(config: Readonly<Record<string, unknown>>): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly flaws: readonly FileIssue[];
} {
  const keys = new Set(configKeys(configSchema).map(({ name }) => name));
  const values: Record<string, unknown> = {};
  const flaws: FileIssue[] = [];

  function take(tree: object, above: readonly string[]): void {
    for (const [key, value] of Object.entries(tree) as [string, unknown][]) {
      const path = [...above, key];
      const name = path.join(".");
      const place: Path = ["config", ...path];
      if (OWN.includes(name)) {
        flaws.push({
          path: place,
          of: "key",
          message: `config.${name} is not for a smoke file: its daemon keeps all in memory.`,
        });
      } else if (keys.has(name)) values[name] = value;
      else if (![...keys].some((known) => known.startsWith(`${name}.`))) {
        const hint = didYouMean(key, namesAt(configSchema, above));
        flaws.push({ path: place, of: "key", message: `config.${name} is no key of the configuration.${hint}` });
      } else if (typeof value === "object" && value !== null && !Array.isArray(value)) take(value, path);
      else flaws.push({ path: place, message: `config.${name} must be a map of keys.` });
    }
  }

  take(config, []);
  return { values, flaws };
}
