import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../framework/exit.ts";

const YAML = /\.ya?ml$/i;

/**
 * The files that were named, and those in the folders that were named, each once, with their texts.
 *
 * @throws UsageError for what cannot be read, and for a folder without a file
 */
export async function readFiles(named: readonly string[]): Promise<{ path: string; text: string }[]> {
  const paths = new Set<string>();
  const faults: string[] = [];
  for (const path of named) {
    try {
      const found = (await stat(path)).isDirectory() ? await filesIn(path) : [path];
      if (found.length === 0) faults.push(`${path} holds no .yaml file.`);
      for (const file of found) paths.add(file);
    } catch (error) {
      faults.push(`FILE ${path} cannot be read: ${(error as Error).message}.`);
    }
  }
  if (faults.length > 0) throw new UsageError(faults);
  return Promise.all([...paths].map(async (path) => ({ path, text: await readFile(path, "utf8") })));
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => YAML.test(name))
    .sort()
    .map((name) => join(folder, name));
}
