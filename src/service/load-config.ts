import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { configSchema, type Config } from "./config.ts";

/** The configuration is not what the schema asks for. The message lists every fault with its place. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Values for some keys, as `{ "server.port": 8787 }`. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** A loaded configuration and the folder that its relative paths start from. */
export interface LoadedConfig {
  readonly config: Config;
  readonly baseDir: string;
}

/**
 * Loads the configuration: flags > environment (`ANP_SERVER_PORT` is `server.port`) > file (YAML or JSON) > defaults.
 *
 * @throws ConfigError for an unreadable file, an unknown key or a value out of its bounds
 */
export async function loadConfig(options: {
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigValues;
}): Promise<LoadedConfig> {
  const tree = options.file === undefined ? {} : await readTree(options.file);
  const baseDir = options.file === undefined ? process.cwd() : dirname(resolve(options.file));
  // Like every path of the file, the storage's is relative to it: two commands must not find two storages.
  const { storage } = tree;
  if (typeof storage === "string" && storage.startsWith("fs:"))
    tree["storage"] = `fs:${resolve(baseDir, storage.slice(3))}`;
  for (const [path, schema] of scalarKeys(configSchema)) {
    const text = options.env[`ANP_${path.join("_").toUpperCase()}`];
    if (text !== undefined) setAt(tree, path, fromText(text, schema));
  }
  for (const [path, value] of Object.entries(options.flags)) {
    if (value !== undefined) setAt(tree, path.split("."), value);
  }
  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) throw new ConfigError(describe(parsed.error, options.file));
  return { config: parsed.data, baseDir };
}

async function readTree(file: string): Promise<Record<string, unknown>> {
  let tree: unknown;
  try {
    tree = parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new ConfigError(`Cannot read the configuration ${file}: ${(error as Error).message}`, { cause: error });
  }
  if (tree === null || tree === undefined) return {};
  if (typeof tree !== "object" || Array.isArray(tree)) throw new ConfigError(`${file} must hold a map of keys.`);
  return tree as Record<string, unknown>;
}

/** Every key of the schema that holds one value, with its path. */
function* scalarKeys(schema: z.ZodType, path: readonly string[] = []): Generator<[readonly string[], z.ZodType]> {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) {
    if (!(inner instanceof z.ZodArray) && !(inner instanceof z.ZodRecord)) yield [path, inner];
    return;
  }
  for (const [name, field] of Object.entries(inner.shape)) {
    yield* scalarKeys(field as z.ZodType, [...path, name]);
  }
}

function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap() as z.ZodType;
  }
  return inner;
}

function fromText(text: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNumber && text.trim() !== "") return Number(text);
  if (schema instanceof z.ZodBoolean) return text === "true" ? true : text === "false" ? false : text;
  return text;
}

function setAt(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    tree[name!] = value;
    return;
  }
  const below = tree[name!];
  const branch = typeof below === "object" && below !== null && !Array.isArray(below) ? { ...below } : {};
  tree[name!] = branch;
  setAt(branch, rest, value);
}

function describe(error: z.ZodError, file: string | undefined): string {
  const faults = error.issues.map((issue) => {
    const place = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${place === "" ? key : `${place}.${key}`}: is not a known key`).join("; ");
    }
    return `${place || "configuration"}: ${issue.message}`;
  });
  return `The configuration${file === undefined ? "" : ` ${file}`} is not valid: ${faults.join("; ")}`;
}
