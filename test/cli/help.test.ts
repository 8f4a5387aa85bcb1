import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/command-catalogue.ts";
import { COMMANDS } from "../../src/cli/framework/define-command.ts";
import { ROLES } from "../../src/contract/roles.ts";
import { EXIT } from "../../src/cli/framework/command-failure.ts";
import type { Definition } from "../../src/cli/framework/define-command.ts";
import { FORMATS } from "../../src/cli/framework/global-flags.ts";
import GLOBAL_FLAGS from "../../src/cli/framework/global-flags.json" with { type: "json" };
import MEANINGS from "../../src/cli/help/meanings.json" with { type: "json" };
import TOPICS from "../../src/cli/help/help-topics.json" with { type: "json" };
import { ERRORS } from "../../src/contract/errors.ts";
import { configKeys } from "../../src/config/config-schema.ts";
import FAULTS from "../../src/faults/faults.json" with { type: "json" };
import { ANP } from "../support/program.ts";
import { anp } from "./anp.ts";

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
  for (const { name, summary, group } of CATALOGUE) {
    expect(root.stdout).toContain(summary);
    expect(group, name).toBeTruthy();
    await check([name]);
  }
  expect(wrong).toEqual([]);
});

it("explains the global options once, names them elsewhere, and says which role a command needs", async () => {
  const [root, ...others] = await Promise.all(
    [[], ["users", "erase"], ["ledger", "list"], ["serve"], ["ledger"]].map((words) =>
      anp([...words, "--help"], { cwd }),
    ),
  );
  const names = Object.values(GLOBAL_FLAGS).flatMap((flags) =>
    Object.keys(flags).map((flag) => /--[a-z-]+/.exec(flag)![0]),
  );
  for (const [flag, about] of Object.values(GLOBAL_FLAGS).flatMap((flags) => Object.entries(flags))) {
    expect(root!.stdout.replaceAll(/\s+/g, " ")).toContain(`${flag} ${about}`);
    for (const { stdout } of others) expect(stdout.replaceAll(/\s+/g, " ")).not.toContain(about);
  }
  for (const { stdout } of others) {
    const text = `Global options: ${names.join(", ")}; \`anp --help\` explains them.`;
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(text);
    expect(stdout.split("\n").filter(({ length }) => length > 80)).toEqual([]);
  }
  const roles = others.map(({ stdout }) => /^At the admin address: role (.*)\.$/m.exec(stdout)?.[1]);
  expect(roles).toEqual(["operator", "support or operator", undefined, undefined]);
});

it("has one file named after every command", async () => {
  const files = await readdir(join(cwd, "../../src/cli/commands"), { recursive: true });
  const named = CATALOGUE.map(({ name }) =>
    files.filter((file) => new RegExp(`/${name}(-commands?)?\\.ts$`).test(file)),
  );
  expect(named.filter(({ length }) => length !== 1)).toEqual([]);
});

it("describes every command in one table, with words that exist", async () => {
  const withVerbs = (command: Definition): Definition[] => [
    command,
    ...Object.values(command.commands).flatMap(withVerbs),
  ];
  const definitions = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flatMap(withVerbs);
  expect(definitions.map(({ name }) => name).sort()).toEqual(Object.keys(COMMANDS).sort());
  for (const { name, takes = {}, ...command } of definitions) {
    const params = Object.entries({ ...command.arguments, ...command.options });
    expect([name, params.filter(([, { about }]) => !about).map(([key]) => key)]).toEqual([name, []]);
    const unknown = Object.keys(takes).filter((key) => params.every(([known]) => known !== key));
    expect([name, unknown]).toEqual([name, []]);
  }
  for (const part of Object.keys(FAULTS)) expect(COMMANDS.serve.takes?.["fault"]?.[1]).toContain(part);
  for (const { target = "storage", role = "support", formats = [] } of Object.values(COMMANDS)) {
    expect([["storage", "either", "none"], ROLES, FORMATS]).toEqual([
      expect.arrayContaining([target]),
      expect.arrayContaining([role]),
      expect.arrayContaining([...formats]),
    ]);
  }
});

it("prints the help topics and the help of a command by its name", async () => {
  const [topic, schema] = await Promise.all([
    anp(["help", "configuration"], { cwd }),
    anp(["config", "schema"], { cwd }),
  ]);
  expect(topic).toEqual(schema);
  const [one, other] = await Promise.all([
    anp(["help", "ledger", "list"], { cwd }),
    anp(["ledger", "list", "--help"], { cwd }),
  ]);
  expect(one).toEqual(other);
});

it("documents every exit code with the API's codes that lead to it, every variable, every format", async () => {
  const [root, exitCodes, environment, formats] = await Promise.all([
    anp([], { cwd }),
    ...["exit-codes", "environment", "formats"].map((topic) => anp(["help", topic], { cwd })),
  ]);
  for (const name of Object.keys(TOPICS)) expect(root.stdout).toContain(` ${name}`);
  for (const [name, code] of Object.entries(EXIT)) {
    const line = new RegExp(`^${code} +${MEANINGS.codes[name as keyof typeof EXIT].slice(0, 20)}`, "m");
    expect(exitCodes!.stdout).toMatch(line);
  }
  for (const [code, { exit }] of Object.entries(ERRORS)) {
    const text = new RegExp(`^${exit} [^]*?(?=^\\S|(?![^]))`, "m").exec(exitCodes!.stdout)?.[0];
    expect(text, `${code} → ${exit}`).toMatch(new RegExp(`\\b${code}\\b`));
  }
  const variables = configKeys().flatMap(({ variable }) => variable ?? []);
  for (const name of [...Object.keys(MEANINGS.variables), ...variables]) {
    expect(environment!.stdout).toMatch(new RegExp(`^${name} `, "m"));
  }
  for (const format of FORMATS) expect(formats!.stdout).toMatch(new RegExp(`^${format} +\\S`, "m"));
});

it.for([
  [["qouta", "alice"], "Did you mean quota?"],
  [["points", "adjst"], "Did you mean adjust?"],
  [["help", "exit-code"], "There is no command or help topic exit-code. Did you mean exit-codes?"],
  [["quota", "alice", "--jsom"], "Did you mean --json?"],
  [["quota", "alice", "--format", "tabel"], 'not "tabel"; did you mean table?'],
  [["news", "refresh", "--mode", "fulll"], 'must be one of view, full, not "fulll"; did you mean full?'],
  [["users", "create", "eve", "--lang", "ne"], 'must be one of zh, en, not "ne"; did you mean en?'],
  [["completion", "fishh"], "did you mean fish?"],
] as const)("suggests what was meant: %j", async ([args, says]) => {
  const { code, stdout, stderr } = await anp([...args], { cwd });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(says);
});

it("prints the version of the package", async () => {
  expect((await anp(["--version"], { cwd })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it.for([["--help"], ["--version"], ["ledger", "--help"], ["serve", "--help"]])(
  "loads nothing but commander for %s",
  (args) => {
    const told = `data:text/javascript,${encodeURIComponent(
      `import fs from "node:fs";
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) => { process._rawDebug("loaded " + file); return readFileSync(file, ...rest); };`,
    )}`;
    const { stderr, status } = spawnSync(process.execPath, ["--import", told, ANP, ...args], { encoding: "utf8" });
    expect(status).toBe(0);
    // The source maps of the loaded files list the modules in them.
    const modules = stderr.split("\n").flatMap((line) => {
      const file = /^loaded (.*\/dist\/bundle\/.*\.cjs)$/.exec(line)?.[1];
      // The entry has nothing of its own to map.
      if (file === undefined || !existsSync(`${file}.map`)) return [];
      return (JSON.parse(readFileSync(`${file}.map`, "utf8")) as { sources: string[] }).sources;
    });
    const packages = modules.flatMap((source) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(["commander"]);
    expect(modules.some((source) => source.endsWith("src/cli/main.ts"))).toBe(true);
    expect(
      modules.filter((source) =>
        /\/src\/(service|http|storage|contract\/(?!exit-codes)|ledger|news|assistant)/.test(source),
      ),
    ).toEqual([]);
  },
);
