import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const bundle = join(root, "dist/bundle");

/** Whether V8 takes the code that was kept of each file, for a process without flags as a command is. */
const TAKEN = `
  const { readFileSync } = require("node:fs");
  const taken = process.argv.slice(1).map((filename) => {
    const cachedData = readFileSync(filename + ".code");
    const source = require("node:module").wrap(readFileSync(filename, "utf8"));
    return !new (require("node:vm").Script)(source, { filename, cachedData }).cachedDataRejected;
  });
  console.log(JSON.stringify(taken));`;

it("holds the compiled code of what short commands load", async () => {
  const files = (await readdir(bundle)).filter((name) => name.endsWith(".code")).map((name) => name.slice(0, -5));
  for (const start of ["anp.cjs", "start-", "accounts-", "quota-"]) {
    expect(files.filter((name) => name.startsWith(start))).toHaveLength(1);
  }
  const { stdout } = await run(process.execPath, ["-e", TAKEN, ...files.map((name) => join(bundle, name))]);
  expect(JSON.parse(stdout)).toEqual(files.map(() => true));
});

it("imports what it loads on demand from outside of it", async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const anp = join(root, "bin/anp.js");
  const args = ["ledger", "verify", "--all", "--against", "none.json", "--storage", `fs:${folder.path}`];
  const stderr = expect.stringContaining("--against none.json cannot be read: ENOENT") as string;
  await expect(run(process.execPath, [anp, ...args])).rejects.toMatchObject({ code: 2, stderr });
});

/** The folder of a copy of the program. */
async function copyOfProgram(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  await cp(join(root, "bin"), join(folder.path, "bin"), { recursive: true });
  await cp(bundle, join(folder.path, "dist/bundle"), { recursive: true });
  await symlink(join(root, "package.json"), join(folder.path, "package.json"));
  return folder.path;
}

it("names no folder of the machine that built it, wherever it was copied to", async () => {
  const kept = (await readdir(bundle)).filter((name) => name.endsWith(".code"));
  const texts = await Promise.all(kept.map((name) => readFile(join(bundle, name), "latin1")));
  expect(kept.filter((_name, at) => texts[at]!.includes(root))).toEqual([]);
  const folder = await copyOfProgram();
  const args = [join(folder, "bin/anp.js"), "quota", "u", "--storage", `fs:${folder}/none`, "--verbose"];
  const ended = await run(process.execPath, args).catch((error: unknown) => error as { stderr: string });
  expect(ended.stderr).toContain("StorageError: There is no storage at ");
  const files = Array.from(ended.stderr.matchAll(/\((?!node:)(.*):\d+:\d+\)$/gm), ([, file]) => file!);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect(file).toMatch(/^dist\/bundle\/[\w.-]+\.cjs$/);
});

it("runs without the code, with that of another version, and with source maps", async () => {
  const folder = await copyOfProgram();
  const copy = join(folder, "dist/bundle");
  for (const name of await readdir(copy)) {
    if (name.endsWith(".code")) await writeFile(join(copy, name), Buffer.alloc(1000, 7));
  }
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const anp = join(folder, "bin/anp.js");
  for (const flags of [[], ["--enable-source-maps"]]) {
    expect((await run(process.execPath, [...flags, anp, "--version"])).stdout).toBe(`${version}\n`);
  }
});

it("does not end as if all was well where a command waits for what never happens", async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  await cp(join(root, "bin"), join(folder.path, "bin"), { recursive: true });
  await mkdir(join(folder.path, "dist/bundle"), { recursive: true });
  const never = "exports.load = () => ({ run: () => new Promise(() => undefined) });";
  await writeFile(join(folder.path, "dist/bundle/loader.cjs"), never);
  await expect(run(process.execPath, [join(folder.path, "bin/anp.js"), "quota"])).rejects.toMatchObject({ code: 13 });
});
