import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { UsageError } from "../../framework/exit.ts";

/** A smoke file that the command line names. */
export interface NamedFile {
  readonly path: string;
  readonly text: string;
  /** The lines of FILE:LINE, counted from 1; empty for the whole file. */
  readonly lines: readonly number[];
}

const YAML = /\.ya?ml(\.gz)?$/i;
/** Largest text of a compressed file, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the named files, and the YAML files in named folders, each once. A gzip file is decompressed.
 *
 * @param named each a file, FILE:LINE or a folder
 * @throws UsageError for files that cannot be read, and for folders without a YAML file
 */
export async function findSmokeFiles(named: readonly string[], cwd: string): Promise<NamedFile[]> {
  const found = new Map<string, number[]>();
  const errors: string[] = [];
  for (const typed of named) {
    try {
      const { path, line, isFolder } = await locate(typed, cwd);
      const paths = isFolder ? await filesIn(path, cwd) : [path];
      if (paths.length === 0) errors.push(`${path} contains no .yaml file.`);
      for (const one of paths) {
        const lines = found.get(one);
        // A file that is also named as a whole is read as a whole.
        found.set(one, line === undefined || lines?.length === 0 ? [] : [...(lines ?? []), line]);
      }
    } catch (error) {
      errors.push(`FILE ${typed} cannot be read: ${(error as Error).message}.`);
    }
  }
  const files: NamedFile[] = [];
  for (const [path, lines] of found) {
    try {
      files.push({ path, text: textOf(await readFile(resolve(cwd, path))), lines });
    } catch (error) {
      errors.push(`FILE ${path} cannot be read: ${(error as Error).message}.`);
    }
  }
  if (errors.length > 0) throw new UsageError(errors);
  return files;
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
  const names = await readdir(resolve(cwd, folder), { recursive: true });
  return names
    .filter((name) => YAML.test(name))
    .sort()
    .map((name) => join(folder, name));
}

function textOf(bytes: Buffer): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}
