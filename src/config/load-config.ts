import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { validate } from "../contract/validation/validate-value.ts";
import { isRecord, mapItems } from "../runtime/json/json-values.ts";
import { closestMatch } from "../runtime/text/edit-distance.ts";
import { fillTemplate } from "../runtime/text/fill-template.ts";
import { ConfigError, printConfigError } from "./config-errors.ts";
import { configKeys, configNodes, configSchema, valueFromText, type ConfigKey, type Config } from "./config-schema.ts";
import { headerValue, type NewsConfig } from "./news-config.ts";
import WRITTEN_SECRETS from "./written-secrets.json" with { type: "json" };

/** Values for some keys, as `{ "server.port": 8787 }`. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** A loaded configuration, and what is known about it. */
export type LoadedConfig = Pick<Draft, "cwd" | "baseDir" | "sources"> & { readonly config: Config };

interface ConfigInput {
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string; // Where relative paths of `file` and the environment start; by default the working directory.
  readonly flags: ConfigValues;
  readonly fixture?: ConfigValues; // A fixture's values: they override the file, and the environment overrides them.
  readonly otherVariables?: readonly string[]; // The program's variables that are not keys of the configuration.
}

interface Draft {
  readonly tree: ConfigTree;
  readonly sources: Map<string, string>; // `flag`, `environment NAME`, `file PATH`, `fixture` or `default`.
  readonly cwd: string; // The working directory, which the storage's URL is relative to.
  readonly baseDir: string; // The folder that its relative paths start from.
  readonly errors: string[]; // Every error found, one line each.
}

/** Loads the configuration. Precedence: flags, environment (`ANP_SERVER_PORT` is `server.port`), fixture, file (YAML or
 * JSON), defaults. A secret is in the environment, or in a file that `…_FILE` or, in the configuration, `…_file` names.
 * @throws ConfigError with every error: an unreadable file, an unknown key, a secret in clear text, an invalid value
 * @example
 * const { config } = await loadConfig({ file: "anp.yaml", env: process.env, flags: { "server.port": 0 } });
 * config.server.port; // 0, whatever the file and ANP_SERVER_PORT say */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const { file, env, cwd = process.cwd(), flags, fixture = {} } = input;
  const keys = configKeys();
  const tree = file === undefined ? {} : await readConfigTree(file, cwd);
  const baseDir = file === undefined ? cwd : dirname(resolve(cwd, file));
  const draft: Draft = { tree, sources: new Map(), baseDir, cwd, errors: [] };
  if (file !== undefined) await applyFile(draft, file, keys);
  for (const key of keys) {
    if (fixture[key.name] !== undefined) set(draft, key, fixture[key.name], "fixture");
    await applyEnvironment(draft, key, env);
    if (flags[key.name] !== undefined) set(draft, key, flags[key.name], "flag");
    if (!draft.sources.has(key.name)) draft.sources.set(key.name, "default");
  }
  draft.errors.push(...unknownVariables(env, keys, input.otherVariables ?? []));
  const { sources, errors } = draft;
  const checked = validate(configSchema, tree, { jitless: true });
  if (checked.valid) errors.push(...fillHeaders(checked.data.news.sources, env, baseDir));
  else errors.push(...checked.errors.map((error) => printConfigError(error, { keys, sources, file })));
  if (!checked.valid || errors.length > 0) throw new ConfigError(errors);
  return { config: checked.data, cwd, baseDir, sources };
}

function set({ tree, sources }: Draft, key: ConfigKey, value: unknown, source: string): void {
  setAt(tree, key.path, value);
  sources.set(key.name, source);
}

async function applyFile(draft: Draft, file: string, keys: readonly ConfigKey[]): Promise<void> {
  for (const key of keys) {
    if (key.secret) await applySecretFile(draft, file, key);
    const isSet = getAt(draft.tree, key.path) !== undefined;
    if (isSet && !draft.sources.has(key.name)) draft.sources.set(key.name, `file ${file}`);
  }
  const { tree, baseDir, errors } = draft;
  const { storage } = tree;
  if (typeof storage !== "string") return;
  // Commands that run in different folders must find the same storage.
  if (storage.startsWith("fs:")) tree["storage"] = `fs:${resolve(baseDir, storage.slice(3))}`;
  if (/^[a-z-]+:\/\/[^@/:]*:[^@/]+@/i.test(storage)) errors.push(fillTemplate(WRITTEN_SECRETS.password, { file }));
}

/** Refuses a secret in the configuration file itself, and reads the file that `…_file` names. */
async function applySecretFile(draft: Draft, file: string, key: ConfigKey): Promise<void> {
  const { tree, errors, baseDir } = draft;
  const pointer = [...key.path.slice(0, -1), `${key.path.at(-1)}_file`];
  const name = pointer.join(".");
  if (getAt(tree, key.path) !== undefined)
    errors.push(fillTemplate(WRITTEN_SECRETS.secret, { key: key.name, file, name, variable: key.variable }));
  const path = getAt(tree, pointer);
  if (path === undefined) return;
  removeAt(tree, pointer);
  if (typeof path !== "string") errors.push(`${name}: must be the path of a file`);
  else await readSecret(draft, key, resolve(baseDir, path), name, `file ${path}`);
}

async function applyEnvironment(draft: Draft, key: ConfigKey, env: ConfigInput["env"]): Promise<void> {
  const { variable } = key;
  if (variable === undefined) return;
  const text = env[variable] || undefined; // An empty variable counts as not set.
  if (text !== undefined) set(draft, key, valueFromText(text, key.schema), `environment ${variable}`);
  const pointer = `${variable}_FILE`;
  const path = key.secret ? env[pointer] || undefined : undefined;
  if (path === undefined) return;
  if (text !== undefined) draft.errors.push(`${key.name}: ${variable} and ${pointer} exclude each other`);
  await readSecret(draft, key, path, pointer, `environment ${pointer}`);
}

async function readSecret(draft: Draft, key: ConfigKey, path: string, pointer: string, source: string) {
  try {
    const secret = (await readFile(resolve(draft.cwd, path), "utf8")).trim();
    if (secret === "") draft.errors.push(`${key.name}: the file ${path} that ${pointer} names is empty`);
    set(draft, key, secret, source);
  } catch (error) {
    draft.errors.push(`${key.name}: the file that ${pointer} names cannot be read: ${(error as Error).message}`);
  }
}

/** Errors for variables that start with `ANP_` and set no key. In every pod, Kubernetes describes a service that is called
 * anp: `ANP_PORT` is a URL then, and others begin with `ANP_PORT_` and `ANP_SERVICE_`. */
function unknownVariables(env: ConfigInput["env"], keys: readonly ConfigKey[], others: readonly string[]): string[] {
  const own = keys.flatMap(({ variable: name, secret }) => (name ? [name, ...(secret ? [`${name}_FILE`] : [])] : []));
  const known = new Set([...others, ...own]);
  const linked = /^[a-z]+:\/\//.test(env["ANP_PORT"] ?? "");
  const names = [...known].map((name) => name.slice(4));
  return Object.keys(env)
    .filter((name) => name.startsWith("ANP_") && !known.has(name))
    .filter((name) => !linked || !/^ANP_(?:PORT$|PORT_|SERVICE_)/.test(name))
    .map((name) => {
      const own = name.slice(4);
      const meant = closestMatch(own, names) ?? names.find((known) => known.endsWith(`_${own}`));
      return `${name}: is not a known environment variable.${meant === undefined ? "" : ` Did you mean ANP_${meant}?`}`;
    });
}

/** Replaces `${NAME}` in the headers of sources with the variable's value, and `${file:PATH}` with what the file holds.
 * @returns a line for each header that cannot be filled in */
export function fillHeaders(sources: NewsConfig["sources"], env: ConfigInput["env"], baseDir: string): string[] {
  const valueOf = (_: string, file: string | undefined, place: string): string => {
    const value = file === undefined ? env[place] : readFileSync(resolve(baseDir, place), "utf8").trim();
    if (value === undefined) throw new RangeError(`the variable ${place} is not set`);
    if (!headerValue.safeParse(value).success) throw new RangeError(`${place} does not hold a header's value`);
    return value;
  };
  return sources.flatMap(({ headers = {} }, index) =>
    Object.entries(headers).flatMap(([name, text]) => {
      try {
        headers[name] = text.replace(/\$\{(file:)?([^{}]{1,1000})\}/g, valueOf);
        return [];
      } catch (error) {
        return `news.sources.${index}.headers.${name}: cannot be filled in: ${(error as Error).message}`;
      }
    }),
  );
}

type ConfigTree = Record<string, unknown>;

/** Reads a file of YAML or JSON. A section that is null counts as absent: in YAML its lines are all commented out. */
async function readConfigTree(file: string, cwd: string): Promise<ConfigTree> {
  let tree: unknown;
  try {
    const { parse } = await import("yaml"); // Loaded on demand: most runs of the command line read no file.
    tree = parse(await readFile(resolve(cwd, file), "utf8"));
  } catch (error) {
    throw new ConfigError([`Cannot read the configuration ${file}: ${(error as Error).message}`], { cause: error });
  }
  if (tree == null) throw new ConfigError([`The configuration ${file} is empty (defaults alone are {}).`]);
  if (!isRecord(tree)) throw new ConfigError([`${file} must hold an object.`]);
  for (const { path, schema } of configNodes())
    if (schema instanceof z.ZodObject && getAt(tree, path) === null) removeAt(tree, path);
  return tree;
}

/** The value at a path of a tree, or undefined. */
export const getAt = (tree: object, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), tree);

function removeAt(tree: object, path: readonly string[]): void {
  delete (getAt(tree, path.slice(0, -1)) as ConfigTree | null | undefined)?.[path.at(-1)!];
}

function setAt(tree: ConfigTree, [name = "", ...rest]: readonly string[], value: unknown): void {
  const section = tree[name];
  tree[name] = rest.length === 0 ? value : { ...(isRecord(section) && section) };
  if (rest.length > 0) setAt(tree[name] as ConfigTree, rest, value);
}

/** Every key of a loaded configuration with its value and source. */
export const configRows = ({ config, sources }: LoadedConfig) =>
  configKeys().map(({ name, path, secret }) => {
    const value = getAt(config, path) ?? null;
    return {
      key: name,
      value: secret && value !== null ? "(set)" : shown(path.at(-1)!, value), // Null when there is none.
      source: value === null ? "not set" : sources.get(name)!, // As `LoadedConfig.sources`, or `not set`.
    };
  });

/** A value without passwords in URLs; of headers, the names alone: their values are secrets. */
function shown(name: string | number, value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(:\/\/[^/?#@\s:]*):[^/?#@\s]*@/g, "$1:***@");
  return mapItems(value, (item, key) => (name === "headers" ? "(set)" : shown(key, item)));
}
