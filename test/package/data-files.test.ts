import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { trainedRouter } from "../../scripts/train-router.js";
import { adminOpenApi } from "../../scripts/write-admin-openapi.js";
import { exampleConfig } from "../../scripts/write-config-example.js";
import { openApiDocument } from "../../scripts/write-openapi.js";

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

it("bundles each compressed file without its compression, and so does the folder of the compiled modules", async () => {
  const files = (await readdir(join(root, "src"), { recursive: true })).filter((file) => file.endsWith(".br"));
  const changed = [];
  for (const file of files) {
    const whole = brotliDecompressSync(await readFile(join(root, "src", file)));
    const copies = [join(root, "dist", file), join(root, "dist/bundle", basename(file))];
    for (const copy of copies.map((path) => path.replace(/\.br$/, "")))
      if (!(await readFile(copy)).equals(whole)) changed.push(copy);
  }
  expect(files.length).toBeGreaterThan(3);
  expect(changed).toEqual([]);
});

it("bundles the OpenAPI document as it is made of the endpoint table, and so does the folder of the compiled modules", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const written = await openApiDocument(version);
  for (const copy of ["dist/bundle/openapi.written", "dist/contract/openapi/openapi.written"])
    expect(await readFile(join(root, copy), "utf8"), copy).toBe(written);
});

it("bundles the OpenAPI document of the admin address as it is made of the commands, and so does the folder of the compiled modules", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const written = await adminOpenApi(version);
  for (const copy of ["dist/bundle/admin-openapi.written", "dist/http/admin/admin-openapi.written"])
    expect(await readFile(join(root, copy), "utf8"), copy).toBe(written);
});

it("bundles the example of a configuration file as it is made of the schema, and so does the folder of the compiled modules", async () => {
  const written = await exampleConfig();
  for (const copy of ["dist/bundle/config-example.written", "dist/config/config-example.written"])
    expect(await readFile(join(root, copy), "utf8"), copy).toBe(written);
});

it("bundles the router as it is trained on its examples, and so does the folder of the compiled modules", async () => {
  const trained = trainedRouter();
  for (const copy of ["dist/bundle/router.trained", "dist/assistant/routing/router.trained"])
    expect((await readFile(join(root, copy))).equals(trained), copy).toBe(true);
});
