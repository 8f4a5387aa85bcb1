import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { SourceError } from "../source-error.ts";

const MOST_FILES = 5000;
/** The Markdown and HTML files of a folder and of those in it, as JSON: `{"articles":[{path,text}]}`.
 * @throws SourceError `too_large` */
export async function readHelpFolder(folder: string, maxBytes: number): Promise<Buffer> {
  const all = await readdir(folder, { recursive: true });
  const paths = all.filter((path) => /\.(?:md|markdown|html?)$/i.test(path) && !/(?:^|[\\/])\./.test(path)).sort();
  if (paths.length > MOST_FILES) throw new SourceError("too_large", `more than ${MOST_FILES} files`);
  const articles: { path: string; text: string }[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += (await stat(join(folder, path))).size;
    if (bytes > maxBytes) throw new SourceError("too_large", `more than ${maxBytes} bytes`);
    articles.push({ path, text: await readFile(join(folder, path), "utf8") });
  }
  return Buffer.from(JSON.stringify({ articles }));
}
