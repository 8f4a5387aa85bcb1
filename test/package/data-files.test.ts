import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

it("bundles each data file as its module has it, although all of them lie in one folder", async () => {
  // JSON is part of the program.
  const files = await readdir(join(root, "src"), { recursive: true });
  const read = files.filter((file) => /\bdata\/.*\.(?!json)/.test(file));
  const changed = [];
  for (const file of read) {
    const [source, bundled] = [join(root, "src", file), join(root, "dist/bundle/data", basename(file))];
    if (!(await readFile(source)).equals(await readFile(bundled))) changed.push(file);
  }
  expect(read.length).toBeGreaterThan(10);
  expect(changed).toEqual([]);
});
