/** The folder of the installed package. This file has the same depth as a source, compiled and bundled. */
const ROOT = new URL("../../", import.meta.url);

/** The URL of a file or folder of the package, such as `fixtures/demo/`. */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}
