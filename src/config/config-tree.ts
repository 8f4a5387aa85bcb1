import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "./config-errors.ts";

/** A configuration before validation: maps of keys within maps of keys. */
export type ConfigTree = Record<string, unknown>;

/**
 * Reads a configuration file, YAML or JSON. A section in `sections` (dotted names) that is null counts as absent: in YAML
 * that is a section whose lines are all commented out.
 *
 * @throws ConfigError for a file that cannot be read, cannot be parsed, or does not hold an object
 */
export async function readConfigTree(file: string, cwd: string, sections: readonly string[]): Promise<ConfigTree> {
  let tree: unknown;
  try {
    // Loaded on demand: most runs of the command line read no file.
    const { parse } = await import("yaml");
    tree = parse(await readFile(resolve(cwd, file), "utf8"));
  } catch (error) {
    throw new ConfigError([`Cannot read the configuration ${file}: ${(error as Error).message}`], { cause: error });
  }
  if (tree === null || tree === undefined) return {};
  if (typeof tree !== "object" || Array.isArray(tree)) throw new ConfigError([`${file} must hold an object.`]);
  for (const name of sections.toReversed()) {
    const path = name.split(".");
    if (getAt(tree, path) === null) removeAt(tree, path);
  }
  return tree as ConfigTree;
}

/** The value at a path of a tree, or undefined. */
export function getAt(tree: object, path: readonly string[]): unknown {
  return sectionAt(tree, path.slice(0, -1))?.[path.at(-1)!];
}

/** Removes the value at a path of a tree. */
export function removeAt(tree: object, path: readonly string[]): void {
  delete sectionAt(tree, path.slice(0, -1))?.[path.at(-1)!];
}

/** Sets the value at a path of a tree. A section that is absent, or not an object, is created. */
export function setAt(tree: ConfigTree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    tree[name!] = value;
    return;
  }
  const section = { ...sectionAt(tree, [name!]) };
  tree[name!] = section;
  setAt(section, rest, value);
}

function sectionAt(tree: object, path: readonly string[]): ConfigTree | undefined {
  let section: unknown = tree;
  for (const name of path) {
    section = typeof section === "object" && section !== null ? (section as ConfigTree)[name] : undefined;
  }
  return typeof section === "object" && section !== null && !Array.isArray(section)
    ? (section as ConfigTree)
    : undefined;
}
