/** The folder of the installed package: this file is as deep in it as a source, compiled and bundled. */
const ROOT = new URL("../../", import.meta.url);

/** Where a file or folder of the package is, such as `fixtures/demo/`. */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}
