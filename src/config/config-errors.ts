import type { z } from "zod";
import { didYouMean } from "../runtime/did-you-mean.ts";
import { configSchema } from "./config-schema.ts";
import { expectationOf, namesAt, type ConfigKey } from "./config-keys.ts";
import type { ConfigSource } from "./config-source.ts";

/** The configuration is not what the schema asks for. The message has a line for each fault, with its place. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(faults.join("\n"), options);
  }
}

/** What was loaded, as far as its faults are told by it. */
export interface Loaded {
  readonly tree: object;
  readonly keys: readonly ConfigKey[];
  readonly sources: ReadonlyMap<string, ConfigSource>;
  readonly file: string | undefined;
}

/** The schema's findings in words: the key, what it must be, what it is, and where that stands. */
export function describeFieldErrors(error: z.ZodError, loaded: Loaded): string[] {
  return error.issues.flatMap((issue) => describeIssue(issue, loaded));
}

/** So many names of keys at most are a help. */
const FEW = 5;

function describeIssue(issue: z.core.$ZodIssue, { tree, keys, sources, file }: Loaded): string[] {
  const place = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const known = namesAt(configSchema, issue.path);
    return issue.keys.map((name) => {
      const where = place === "" ? name : `${place}.${name}`;
      const hint = didYouMean(name, known);
      // Few enough are all told, where none is near.
      const among = hint === "" && known.length > 0 && known.length <= FEW ? ` Known here: ${known.join(", ")}` : hint;
      return `${where}: is not a known key${inFile(file)}${among === "" ? "" : `.${among}`}`;
    });
  }
  // A list's element has no key of its own: it stands where its list stands.
  const key = keys.find(({ name }) => place === name || place.startsWith(`${name}.`));
  const found = issue.path.reduce<unknown>(
    (value, name) => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined),
    tree,
  );
  if (found === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value")) {
    const how = key?.variable === undefined ? inFile(file) : ` (${key.variable} in the environment)`;
    return [`${place}: is required${how}`];
  }
  const expected = key?.name === place ? expectationOf(key.schema) : undefined;
  const must = expected === undefined ? plain(issue) : `must be ${expected}`;
  const shown = key === undefined || key.secret || typeof found === "object" ? "" : `, not ${JSON.stringify(found)}`;
  const source = key === undefined ? undefined : sources.get(key.name);
  return [`${place || "configuration"}: ${must}${shown}${whereOf(source)}`];
}

function inFile(file: string | undefined): string {
  return file === undefined ? "" : ` (${file})`;
}

function plain(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `must be ${KINDS[issue.expected] ?? `of type ${issue.expected}`}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "too_small" && issue.origin === "string") return `must have at least ${issue.minimum} characters`;
  if (issue.code === "too_big" && issue.origin === "string") return `must have at most ${issue.maximum} characters`;
  if (issue.code === "invalid_format" && issue.format === "url") return "must be a URL";
  return issue.message;
}

/** What zod calls a type, and what a person calls it in YAML. */
const KINDS: Readonly<Record<string, string>> = {
  object: "a map of keys",
  record: "a map",
  array: "a list",
  string: "text",
};

function whereOf(source: ConfigSource | undefined): string {
  if (source?.kind === "environment") return ` (${source.variable} in the environment)`;
  if (source?.kind === "file") return ` (${source.file})`;
  return "";
}
