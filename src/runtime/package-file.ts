import { readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url); // This file has the same depth as a source, compiled and bundled.

/** The URL of a file or folder of the package, such as `fixtures/demo/`. */
export const packageFile = (path: string): URL => new URL(path, ROOT);

/** The folder of the bundled demo. */
export const DEMO = packageFile("fixtures/demo/").pathname;

/** The version of this program, from its package.json. */
export const version = (): string =>
  (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;

/** The versions of this program and its platform; the commit is null for a build outside a repository. */
export function versions() {
  const { versions: own, platform, arch } = process;
  const commit = readFileSync(packageFile("dist/bundle/commit"), "utf8") || null;
  return { version: version(), commit, node: own.node, platform: `${platform} ${arch}` };
}
