import { configSchema, configKeys } from "../../config/config-schema.ts";
import { knownKeys } from "../../contract/validation/schema-walk.ts";
import { hintFor, type InvalidField, type ValuePath } from "../../contract/validation/validate-value.ts";
import { isRecord } from "../../runtime/json/json-values.ts";
import { referencesIn, textsIn } from "./references.ts";

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

const NOT_CONTACTED: ReadonlySet<unknown> = new Set(["origins", "issuer", "audience", "contact", "headers"]);
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const TRUST = "Only --trust-config allows that: a stranger's file could send secrets to its author.";
type Refusal = readonly [path: ValuePath, message: string];

/** The first reference in a smoke file's configuration, which only a trusted file may have. */
export function variableIn(config: object): Refusal | undefined {
  const [text, path] = textsIn(config).find(([value]) => referencesIn(value).length > 0) ?? [];
  return path && [["config", ...path], `config.${path.join(".")} reads the environment, as ${text}. ${TRUST}`];
}

/** The first host in a loaded configuration that is not this machine, which only a trusted file may have. */
export function remoteIn(config: object): Refusal | undefined {
  const contacted = textsIn(config).filter(([, path]) => !path.some((key) => NOT_CONTACTED.has(key)));
  const [text, path] = contacted.find(([value]) => isRemote(value)) ?? [];
  return path && [["config", ...path], `config.${path.join(".")} is at another host, ${text}. ${TRUST}`];
}

const isRemote = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(new URL(text).href) && !LOOPBACK.test(new URL(text).hostname);
