import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/catalogue.ts";
import { ANP, anp } from "./anp.ts";

const cwd = import.meta.dirname;

/** Names of the commands that a help text lists. */
function listed(help: string): string[] {
  const lines = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1]?.split("\n") ?? [];
  return lines.flatMap((line) => /^ {2}([a-z-]+) {2}/.exec(line)?.[1] ?? []);
}

it("has an example in the help of every command", async () => {
  const wrong: string[] = [];
  const check = async (path: readonly string[]): Promise<void> => {
    const { code, stdout } = await anp([...path, "--help"], { cwd });
    if (code !== 0 || !/\nExamples:\n {2}\$ anp /.test(stdout)) wrong.push(path.join(" "));
    await Promise.all(listed(stdout).map((name) => check([...path, name])));
  };
  const root = await anp([], { cwd });
  expect(root.stdout).toContain("$ anp serve --demo");
  for (const { name, summary } of CATALOGUE) {
    expect(root.stdout).toContain(summary);
    await check([name]);
  }
  expect(wrong).toEqual([]);
}, 60_000);

it("has a command file for every command, and no other", async () => {
  const files = await readdir(join(cwd, "../../src/cli/commands"), { recursive: true });
  const groups = files.filter((file) => file.endsWith("group.ts")).map((file) => file.slice(0, -"/group.ts".length));
  expect(CATALOGUE.map(({ name }) => name)).toEqual(expect.arrayContaining(groups));
});

it("prints the help topics and the help of a command by its name", async () => {
  expect((await anp(["help", "exit-codes"], { cwd })).stdout).toContain("130  interrupted");
  expect((await anp(["help", "environment"], { cwd })).stdout).toContain("ANP_STORAGE");
  const [one, other] = await Promise.all([
    anp(["help", "ledger", "list"], { cwd }),
    anp(["ledger", "list", "--help"], { cwd }),
  ]);
  expect(one).toEqual(other);
  expect((await anp(["help", "nonsense"], { cwd })).code).toBe(2);
});

it("prints the version of the package", async () => {
  expect((await anp(["--version"], { cwd })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it.for([["--help"], ["--version"], ["ledger", "--help"], ["serve", "--help"]])(
  "loads nothing but commander for %s",
  (args) => {
    const hooks = `data:text/javascript,${encodeURIComponent(
      "export async function load(url, context, next) { process._rawDebug?.('loaded ' + url); return next(url, context); }",
    )}`;
    const register = `data:text/javascript,${encodeURIComponent(
      `import { register } from "node:module"; register(${JSON.stringify(hooks)});`,
    )}`;
    const { stderr, status } = spawnSync(process.execPath, ["--import", register, ANP, ...args], { encoding: "utf8" });
    expect(status).toBe(0);
    const packages = stderr
      .split("\n")
      .flatMap((line) => /^loaded .*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(line)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(["commander"]);
    expect(stderr).toMatch(/^loaded .*\/dist\/cli\/main\.js$/m);
    expect(stderr).not.toMatch(/^loaded .*\/dist\/(service|http|storage|contract)\//m);
  },
);
