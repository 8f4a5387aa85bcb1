import { readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { build } from "rolldown";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the bundled programs. */
    readonly processes: string;
  }
}

const ROOT = join(import.meta.dirname, "../..");
/** The programs that tests run on the compiled modules, many times: Node takes most of such a process's time for finding
 * and opening modules one by one. */
const PROGRAMS = [
  ...["service", "append", "sealing"].map((name) => `faults/load/${name}-process.js`),
  "events/recording-process.js",
  "storage/killed-writer.js",
];

/** Bundles the programs for one run of the tests, beside the files that the modules read. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // As deep as the bundle of the program, and of this run alone: another one may be in the same folder.
  const dir = join(ROOT, `dist/test-${process.pid}`);
  const input = PROGRAMS.map((program) => join(ROOT, "test", program));
  await build({ input, platform: "node", logLevel: "warn", output: { dir, format: "esm" } });
  const bundle = join(ROOT, "dist/bundle");
  const read = (await readdir(bundle)).filter((name) => !/\.(c?js|map|code)$/.test(name));
  for (const name of read) await symlink(join(bundle, name), join(dir, name));
  provide("processes", dir);
  return () => rm(dir, { recursive: true });
}
