import { readFile } from "node:fs/promises";
import type { InvalidField } from "../contract/validation/validate-value.ts";
import type { ConfigKey } from "./config-schema.ts";

/** The configuration is not valid. The message has one line for each field error, with the place of the value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(errors: readonly string[], options?: ErrorOptions) {
    super(errors.join("\n"), options);
  }
}

/** The text of a file that the key of the configuration names. @throws ConfigError when it cannot be read */
export async function readNamedFile(key: string, file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new ConfigError([`${key}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  });
}

type Given = { keys: readonly ConfigKey[]; sources: ReadonlyMap<string, string>; file: string | undefined };

/** A field error with the place of its value: `server.port: must be … (ANP_SERVER_PORT in the environment)`. */
export function printConfigError({ path, message, hint, of }: InvalidField, { keys, sources, file }: Given): string {
  const name = path.join(".");
  // An element of a list has no key of its own; its source is that of the list's key.
  const key = keys.find((known) => name === known.name || name.startsWith(`${known.name}.`));
  const [, kind, where] = /^(environment|file) (.*)$/s.exec((key && sources.get(key.name)) ?? "") ?? [];
  const isMissing = message === "is required";
  const variable = isMissing ? key?.variable : kind === "environment" ? where : undefined;
  let place = of === "key" || isMissing ? file : kind === "file" ? where : undefined;
  if (of !== "key" && variable !== undefined) place = `${variable} in the environment`;
  const rest = hint === undefined ? "" : `. ${hint}`;
  return `${name || "configuration"}: ${message}${place === undefined ? "" : ` (${place})`}${rest}`;
}
