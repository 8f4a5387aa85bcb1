import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readText } from "../../../smoke/file/read-smoke-file.ts";
import { UsageError } from "../../framework/command.ts";

const YAML = /\.ya?ml$/i;

/** Reads the named files, FILE:LINE and the YAML files in named folders, each once.
 * @returns with the lines of FILE:LINE, counted from 1; with none for a whole file
 * @throws UsageError for files that cannot be read, and for folders without a YAML file */
export async function findSmokeFiles(named: readonly string[], cwd: string) {
  const files = new Map<string, { path: string; text: string; lines: readonly number[] }>();
  const errors: string[] = [];
  for (const typed of named) {
    try {
      const { path: place, line, isFolder } = await locate(typed, cwd);
      const paths = isFolder ? await filesIn(place, cwd) : [place];
      if (paths.length === 0) errors.push(`${place} contains no .yaml file.`);
      for (const path of paths) {
        const { text, lines } = files.get(path) ?? { text: readText(resolve(cwd, path)), lines: undefined };
        // A file that is also named as a whole is read as a whole.
        const isWhole = line === undefined || lines?.length === 0;
        files.set(path, { path, text, lines: isWhole ? [] : [...(lines ?? []), line] });
      }
    } catch (error) {
      errors.push(`FILE ${typed} cannot be read: ${(error as Error).message}.`);
    }
  }
  if (errors.length > 0) throw new UsageError(errors);
  return [...files.values()];
}

async function locate(typed: string, cwd: string): Promise<{ path: string; line?: number; isFolder: boolean }> {
  try {
    return { path: typed, isFolder: (await stat(resolve(cwd, typed))).isDirectory() };
  } catch (error) {
    const [, path, line] = /^(.+):(\d+)$/.exec(typed) ?? [];
    if (path === undefined) throw error;
    if ((await stat(resolve(cwd, path))).isDirectory()) throw new Error("a folder has no lines", { cause: error });
    return { path, line: Number(line), isFolder: false };
  }
}

async function filesIn(folder: string, cwd: string): Promise<string[]> {
  const names = (await readdir(resolve(cwd, folder), { recursive: true })).filter((name) => YAML.test(name));
  return names.sort().map((name) => join(folder, name));
}
