import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { nearest } from "../runtime/did-you-mean.ts";
import { configSchema, type Config } from "./config-schema.ts";
import { describeFieldErrors, ConfigError } from "./config-errors.ts";
import type { ConfigSource } from "./config-source.ts";
import { configKeys, configSections, valueFromText, type ConfigKey } from "./config-keys.ts";

/** Values for some keys, as `{ "server.port": 8787 }`. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** A loaded configuration, and what is known about it. */
export interface LoadedConfig {
  readonly config: Config;
  /** The folder that its relative paths start from. */
  readonly baseDir: string;
  /** Of each key, by its dotted name. */
  readonly sources: ReadonlyMap<string, ConfigSource>;
  /** Variables whose names begin like ours and that mean nothing to us. */
  readonly unknownVariables: readonly string[];
}

/** What a configuration is loaded from. */
export interface ConfigInput {
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigValues;
  /** Values that go before the file's, but not before the environment: a fixture's own. */
  readonly fixture?: ConfigValues;
  /** Variables of the program that are no keys of the configuration. */
  readonly otherVariables?: readonly string[];
}

type Tree = Record<string, unknown>;

/**
 * Loads the configuration: flags > environment (`ANP_SERVER_PORT` is `server.port`) > fixture > file (YAML or JSON) >
 * defaults. A secret comes from the environment, or from a file that `…_FILE` or, in the configuration, `…_file` names.
 *
 * @throws ConfigError for an unreadable file, an unknown key, a secret in clear or a value out of its bounds: all of them
 */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const { file, env, flags, fixture = {} } = input;
  const keys = configKeys(configSchema);
  const faults: string[] = [];
  const sources = new Map<string, ConfigSource>();
  const tree = file === undefined ? {} : await readTree(file);
  dropEmpty(tree, [...configSections(configSchema).keys()]);
  const baseDir = file === undefined ? process.cwd() : dirname(resolve(file));

  function set(key: ConfigKey, value: unknown, source: ConfigSource): void {
    setAt(tree, key.path, value);
    sources.set(key.name, source);
  }

  if (file !== undefined) {
    for (const key of keys) {
      if (key.secret) await takeSecretFile(key, file);
      if (getAt(tree, key.path) !== undefined && !sources.has(key.name)) sources.set(key.name, { kind: "file", file });
    }
    checkStorage(file);
  }
  for (const key of keys) {
    if (fixture[key.name] !== undefined) set(key, fixture[key.name], { kind: "fixture" });
    await takeVariable(key);
    if (flags[key.name] !== undefined) set(key, flags[key.name], { kind: "flag" });
    if (!sources.has(key.name)) sources.set(key.name, { kind: "default" });
  }
  const unknownVariables = findUnknownVariables();

  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) faults.push(...describeFieldErrors(parsed.error, { tree, keys, sources, file }));
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: parsed.data!, baseDir, sources, unknownVariables };

  /** A secret in the configuration file is refused; the file that it names is read. */
  async function takeSecretFile(key: ConfigKey, file: string): Promise<void> {
    const aside = [...key.path.slice(0, -1), `${key.path.at(-1)}_file`];
    if (getAt(tree, key.path) !== undefined) {
      faults.push(
        `${key.name}: is a secret, which must not stand in ${file}. Put it into a file that ${aside.join(".")} names, ` +
          `or into ${key.variable}`,
      );
    }
    const path = getAt(tree, aside);
    if (path === undefined) return;
    removeAt(tree, aside);
    if (typeof path !== "string") faults.push(`${aside.join(".")}: must be the path of a file`);
    else await takeSecret(key, resolve(baseDir, path), aside.join("."), { kind: "file", file: path });
  }

  async function takeVariable(key: ConfigKey): Promise<void> {
    const { variable } = key;
    if (variable === undefined) return;
    const text = env[variable];
    if (text !== undefined) set(key, valueFromText(text, key.schema), { kind: "environment", variable });
    const path = key.secret ? env[`${variable}_FILE`] : undefined;
    if (path === undefined) return;
    if (text !== undefined) faults.push(`${key.name}: ${variable} and ${variable}_FILE exclude each other`);
    await takeSecret(key, path, `${variable}_FILE`, { kind: "environment", variable: `${variable}_FILE` });
  }

  async function takeSecret(key: ConfigKey, path: string, place: string, source: ConfigSource): Promise<void> {
    try {
      const secret = (await readFile(path, "utf8")).trim();
      if (secret === "") faults.push(`${key.name}: the file ${path} that ${place} names is empty`);
      set(key, secret, source);
    } catch (error) {
      faults.push(`${key.name}: the file that ${place} names cannot be read: ${(error as Error).message}`);
    }
  }

  function checkStorage(file: string): void {
    const { storage } = tree;
    if (typeof storage !== "string") return;
    // Like every path of the file, the storage's is relative to it: two commands must not find two storages.
    if (storage.startsWith("fs:")) tree["storage"] = `fs:${resolve(baseDir, storage.slice(3))}`;
    if (/^[a-z-]+:\/\/[^@/]*:[^@/]+@/i.test(storage)) {
      faults.push(
        `storage: holds a password, which must not stand in ${file}. Name a file with it as ?password_file=PATH, or ` +
          "put the whole URL into ANP_STORAGE",
      );
    }
  }

  /** A variable that is nearly one of ours is a slip; what is far from all of them may be somebody else's. */
  function findUnknownVariables(): string[] {
    const known = new Set(input.otherVariables);
    for (const { variable, secret } of keys) {
      if (variable === undefined) continue;
      known.add(variable);
      if (secret) known.add(`${variable}_FILE`);
    }
    // Kubernetes gives every pod such variables of a service that is called anp.
    const unknown = Object.keys(env).filter((name) => /^ANP_(?!SERVICE_|PORT$|PORT_)/.test(name) && !known.has(name));
    return unknown.filter((name) => {
      const meant = nearest(
        name.slice(4),
        [...known].map((one) => one.slice(4)),
      );
      if (meant === undefined) return true;
      faults.push(`${name}: is not a known environment variable. Did you mean ANP_${meant}?`);
      return false;
    });
  }
}

async function readTree(file: string): Promise<Tree> {
  let tree: unknown;
  try {
    // Loaded for a file alone: most runs of the command line read none.
    const { parse } = await import("yaml");
    tree = parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new ConfigError([`Cannot read the configuration ${file}: ${(error as Error).message}`], { cause: error });
  }
  if (tree === null || tree === undefined) return {};
  if (typeof tree !== "object" || Array.isArray(tree)) throw new ConfigError([`${file} must hold a map of keys.`]);
  return tree as Tree;
}

/** A section whose lines are all commented out is null in YAML. */
function dropEmpty(tree: Tree, sections: readonly string[]): void {
  for (const name of sections.toReversed()) {
    const path = name.split(".");
    if (getAt(tree, path) === null) removeAt(tree, path);
  }
}

/** The map of keys below a section; undefined where there is none. */
function branchAt(tree: Tree, section: readonly string[]): Tree | undefined {
  let branch: unknown = tree;
  for (const name of section) {
    branch = typeof branch === "object" && branch !== null ? (branch as Tree)[name] : undefined;
  }
  return typeof branch === "object" && branch !== null && !Array.isArray(branch) ? (branch as Tree) : undefined;
}

/** The value at a path of a tree, or undefined. */
export function getAt(tree: object, path: readonly string[]): unknown {
  return branchAt(tree as Tree, path.slice(0, -1))?.[path.at(-1)!];
}

function removeAt(tree: Tree, path: readonly string[]): void {
  delete branchAt(tree, path.slice(0, -1))?.[path.at(-1)!];
}

function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    tree[name!] = value;
    return;
  }
  tree[name!] = { ...branchAt(tree, [name!]) };
  setAt(tree[name!] as Tree, rest, value);
}
