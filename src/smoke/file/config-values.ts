import { configSchema, configKeys } from "../../config/config-schema.ts";
import { knownKeys } from "../../contract/validation/schema-walk.ts";
import { hintFor, type InvalidField, type ValuePath } from "../../contract/validation/validate-value.ts";
import { isRecord } from "../../runtime/json/json-values.ts";
import { referencesIn, textsIn } from "./resolve-references.ts";

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
const LOCAL = /^(?!https?:)|^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|$)/;
const isRemote = (text: string, path: ValuePath): boolean =>
  URL.canParse(text) && !LOCAL.test(new URL(text).origin) && !path.some((key) => NOT_CONTACTED.has(key));

/** What a stranger's file must not configure, as it could send secrets to its author: references to the environment,
 * or of a loaded configuration, servers that are not on this machine. Each is a path and a message. */
export function untrustedIn(config: object, isLoaded: boolean) {
  const what = isLoaded ? "is at another host" : "reads the environment";
  return textsIn(config)
    .filter(([text, path]) => (isLoaded ? isRemote(text, path) : referencesIn(text).length > 0))
    .map(([text, path]) => {
      const message = `config.${path.join(".")} ${what}, ${text}. Only --trust-config allows that.`;
      return [["config", ...path], message] as const;
    });
}
