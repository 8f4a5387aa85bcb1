import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../framework/exit.ts";

const YAML = /\.ya?ml$/i;

/**
 * Reads the named files, and the YAML files in named folders, each once.
 *
 * @throws UsageError for files that cannot be read, and for folders without a YAML file
 */
export async function readFiles(named: readonly string[]): Promise<{ path: string; text: string }[]> {
  const paths = new Set<string>();
  const errors: string[] = [];
  for (const path of named) {
    try {
      const found = (await stat(path)).isDirectory() ? await filesIn(path) : [path];
      if (found.length === 0) errors.push(`${path} contains no .yaml file.`);
      for (const file of found) paths.add(file);
    } catch (error) {
      errors.push(`FILE ${path} cannot be read: ${(error as Error).message}.`);
    }
  }
  if (errors.length > 0) throw new UsageError(errors);
  return Promise.all([...paths].map(async (path) => ({ path, text: await readFile(path, "utf8") })));
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => YAML.test(name))
    .sort()
    .map((name) => join(folder, name));
}
