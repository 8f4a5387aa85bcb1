import type { InvalidField } from "../contract/validate.ts";
import type { ConfigKey } from "./config-schema.ts";

/** The source of a configuration value. */
export type ConfigOrigin =
  | { readonly kind: "flag" }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "fixture" }
  | { readonly kind: "default" };

/** The source of a value in a few words. */
export function describeOrigin(source: ConfigOrigin): string {
  if (source.kind === "environment") return `environment ${source.variable}`;
  if (source.kind === "file") return `file ${source.file}`;
  return source.kind;
}

/** The configuration is not valid. The message has one line for each field error, with the place of the value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(errors: readonly string[], options?: ErrorOptions) {
    super(errors.join("\n"), options);
  }
}

/** A field error with the place of its value: `server.port: must be … (ANP_SERVER_PORT in the environment)`. */
export function printConfigError(
  { path, message, hint, of }: InvalidField,
  given: { keys: readonly ConfigKey[]; sources: ReadonlyMap<string, ConfigOrigin>; file: string | undefined },
): string {
  const { keys, sources, file } = given;
  const name = path.join(".");
  // An element of a list has no key; the key of the list has the source.
  const key = keys.find((known) => name === known.name || name.startsWith(`${known.name}.`));
  const source = key && sources.get(key.name);
  const inFile = file === undefined ? "" : ` (${file})`;
  const inVariable = (variable: string | undefined): string =>
    variable === undefined ? inFile : ` (${variable} in the environment)`;
  let place = source?.kind === "file" ? ` (${source.file})` : "";
  if (of === "key") place = inFile;
  else if (message === "is required") place = inVariable(key?.variable);
  else if (source?.kind === "environment") place = inVariable(source.variable);
  return `${name || "configuration"}: ${message}${place}${hint === undefined ? "" : `. ${hint}`}`;
}
