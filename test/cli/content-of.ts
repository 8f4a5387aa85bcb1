import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Every file of a folder with its content: `PATH CONTENT`, in order. */
export async function contentOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = files.map(async (file) => `${file.slice(path.length + 1)} ${await readFile(file, "utf8")}`);
  return (await Promise.all(lines)).sort();
}
