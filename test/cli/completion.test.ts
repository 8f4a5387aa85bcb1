import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/command-catalogue.ts";
import { readBashLine } from "../../src/cli/completion/complete.ts";
import { hasShell } from "../support/shells.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noTerminal, runInTerminal, type Step } from "../support/terminal.ts";
import { ANP } from "../support/program.ts";
import { anp, each, REPEATABLE } from "./anp.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let cwd: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  cwd = folder.path;
  await mkdir(join(cwd, "bin"));
  await mkdir(join(cwd, "some-folder"));
  await writeFile(join(cwd, "some.ndjson"), "");
  await writeFile(join(cwd, "bin/anp"), `#!/bin/sh\nexec '${process.execPath}' '${ANP}' "$@"\n`);
  await chmod(join(cwd, "bin/anp"), 0o755);
  for (const user of ["with space", "ns:one", "用户一"]) {
    const { code, stderr } = await anp(["users", "create", user, "--demo", ...REPEATABLE], { cwd });
    expect(code, stderr).toBe(0);
  }
  const profile = ["profiles", "add", "staging", "--url", "http://127.0.0.1:1", "--token", "t"];
  expect((await anp(profile, { cwd })).code).toBe(0);
});

afterAll(() => folder.remove());

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: `${join(cwd, "bin")}:${process.env["PATH"]!}`,
    HOME: cwd,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    XDG_CONFIG_HOME: join(cwd, "xdg/config"),
    XDG_DATA_HOME: join(cwd, "xdg/data"),
  };
}

/** What the program offers after these words, the last of which is at the cursor. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await anp(["__complete", "words", "--", ...words], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  const [kind, ...lines] = stdout.trimEnd().split("\n");
  const offers = lines.map((line) => line.split("\t")[0]!);
  return kind === "words" ? offers : [kind!, ...offers];
}

describe("what is offered", () => {
  it("comes from the tree of commands: every command, verb and flag that the help lists", async () => {
    const names = [...CATALOGUE.map(({ name }) => name), "help"];
    expect(await offered("")).toEqual(names);
    const groups: [name: string, verbs: string[]][] = [];
    for (const { name, load } of CATALOGUE) {
      const { commands } = await load();
      if (Object.keys(commands).length > 0) groups.push([name, Object.keys(commands)]);
    }
    await each(groups, async ([name, verbs]) => {
      expect(await offered(name, ""), name).toEqual(expect.arrayContaining(verbs));
    });
    await each([["ask"], ["serve"], ["ledger", "list"], ["tokens", "issue"]], async (path) => {
      const helps = await Promise.all([anp([...path, "--help"], { cwd }), anp(["--help"], { cwd })]);
      const help = helps.map(({ stdout }) => stdout).join("");
      const listed = new Set([...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]!));
      expect(listed.size).toBeGreaterThan(15);
      expect((await offered(...path, "--")).sort(), path.join(" ")).toEqual([...listed].sort());
    });
  });

  it("is what fits the place: verbs, users, words of the contract, profiles, plans, files", async () => {
    const cases: [words: string[], offers: string[]][] = [
      [["qu"], ["questions", "quota"]],
      [
        ["subscription", ""],
        ["show", "set"],
      ],
      [["quota", "--demo", "a"], ["alice"]],
      [["--demo", "quota", "w"], ["with space"]],
      [["ledger", "--demo", "ver"], ["verify"]],
      [["ledger", "--demo", "car"], ["carol"]],
      [["ask", "hello", "--demo", "--user", "b"], ["bob"]],
      [["quota", "alice", "--demo", ""], []],
      [
        ["news", "refresh", "--mode", ""],
        ["view", "full"],
      ],
      [["news", "refresh", "--mode=f"], ["--mode=full"]],
      [["news", "so"], ["sources"]],
      [["news", "sources", "ex"], ["export"]],
      [["help", "news", "sources", "ex"], ["export"]],
      [["news", "sources", "add", "--allow"], ["--allow-private"]],
      [["news", "sources", "add", "--lang", "z"], ["zh"]],
      [["news", "sources", "test", "--demo", "lant"], ["lantern"]],
      [["news", "sources", "import", "x"], ["files"]],
      [["events", "record", "x", "--feedback", "h"], ["helpful"]],
      [
        ["users", "create", "x", "--lang", ""],
        ["zh", "en"],
      ],
      [
        ["quota", "--format", "js"],
        ["json", "jsonl"],
      ],
      [["events", "export", "--format", ""], ["jsonl"]],
      [["quota", "--demo", "-o", "json", "a"], ["alice"]],
      [["quota", "-oc"], ["-ocsv"]],
      [["quota", "--profile", ""], ["staging"]],
      [["profiles", "remove", "s"], ["staging"]],
      [
        ["subscription", "set", "alice", "--plan", ""],
        ["free", "pro"],
      ],
      [
        ["completion", ""],
        ["bash", "zsh", "fish"],
      ],
      [["events", "replay", "s"], ["files"]],
      [
        ["smoke", ""],
        ["files", "record"],
      ],
      [["smoke", "fixtures/"], ["files"]],
      [["smoke", "record", "--ex"], ["--exact"]],
      [["quota", "--fixtures", ""], ["folders"]],
      [
        ["help", "ex"],
        ["exchange", "exit-codes"],
      ],
      [["help", "ledger", "ver"], ["verify"]],
      [["quota", "--demo", "--dem"], []],
      [["quota", "--", "--demo"], []],
    ];
    const wrong: unknown[] = [];
    await each(cases, async ([words, offers]) => {
      const found = await offered(...words);
      if (found.join("\n") !== offers.join("\n")) wrong.push({ words, offers, found });
    });
    expect(wrong).toEqual([]);
  });

  it("is nothing, quietly, when something is wrong, and nothing is made", async () => {
    const before = await readdir(cwd);
    const hopeless = [
      ["quota", "--storage", "fs:missing", "a"],
      ["quota", "--storage", "s3:bucket", "a"],
      ["quota", "--storage", "redis://127.0.0.1:1", "a"],
      ["quota", "--demo", "--config", "x", "a"],
      ["quota", "--config", "missing.yaml", "a"],
      ["quota", "--url", "http://127.0.0.1:1", "a"],
      ["no-such-command", "a"],
      ["quota", "--no-such-flag", "x", "y", "z"],
    ];
    await each(hopeless, async (words) => {
      expect(await offered(...words), words.join(" ")).toEqual([]);
    });
    expect(await readdir(cwd)).toEqual(before);
    const odd = await Promise.all(
      [["__complete"], ["__complete", "bash"], ["__complete", "words"]].map((args) => anp(args, { cwd })),
    );
    for (const { code, stderr } of odd) expect([code, stderr]).toEqual([0, ""]);
  });

  it.for([
    ["anp qu", ["anp", "qu"], 0],
    ["anp ", ["anp", ""], 0],
    ["anp ask 'two words' \"a \\\"b", ["anp", "ask", "two words", 'a "b'], 0],
    ["anp quota ns:on", ["anp", "quota", "ns:on"], 3],
    ["anp --mode=fu", ["anp", "--mode=fu"], 7],
    ["anp with\\ sp", ["anp", "with sp"], 0],
    ['anp quota "ns:on', ["anp", "quota", "ns:on"], 0],
  ] as const)("takes the line of bash apart as bash does: %j", ([line, words, kept]) => {
    expect(readBashLine(line, " \t\n\"'><=;|&(:")).toMatchObject({ words, kept });
  });
});

/** Completes each line in one shell of its own and gives the lines that it printed for each. */
async function inShell(program: string, script: string): Promise<string[]> {
  const child = spawn(program, ["-c", script], { cwd, env: environment() });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await new Promise((resolve) => child.on("close", resolve));
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

describe.skipIf(!hasShell("bash"))("in bash", () => {
  it("completes words, and quotes what has to be quoted", async () => {
    const script = `source <(anp completion bash)
      complete() { COMP_LINE=$1; COMP_POINT=\${#1}; COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _anp_complete anp; printf '[%s]' "\${COMPREPLY[@]}"; echo; }
      complete "anp subs"; complete "anp quota --demo w"; complete "anp quota --demo ns:"; complete "anp quota --demo 用"
      complete "anp news refresh --mode "; complete "anp news refresh --mode=f"; complete "anp no-such "`;
    expect(await inShell("bash", script)).toEqual([
      "[subscription]",
      "[with\\ space]",
      "[one]",
      "[用户一]",
      "[view][full]",
      "[full]",
      "[]",
    ]);
  });

  it.skipIf(noTerminal !== undefined)("completes while somebody types", async () => {
    await typed("bash --norc --noprofile -i", "source <(anp completion bash)", [
      ["anp subs\tsh\tcar", "anp subscription show car"],
      ["\u0015anp quota --demo w\t", "with\\ space "],
      ["\u0015anp quota --demo ns:\t", "ns:one "],
      ['\u0015anp quota --demo "wi\t', '"with space" '],
      ["\u0015anp news refresh --mode=f\t", "--mode=full "],
      ["\u0015anp events replay some.\t", "some.ndjson"],
      ["\u0015anp quota --fixtures some-\t", "some-folder/"],
    ]);
  });
});

describe.skipIf(!hasShell("zsh"))("in zsh", () => {
  it.skipIf(noTerminal !== undefined)("completes while somebody types", async () => {
    const load = "zle_highlight=(none); autoload -U compinit; compinit -D; source <(anp completion zsh)";
    await typed("zsh -f -i", load, [
      ["anp subs\tsh\tcar", "anp subscription show car"],
      ["\u0015anp quota --demo w\t", "with\\ space "],
      ["\u0015anp quota --demo ns:\t", "ns:one "],
      ["\u0015anp quota --demo 用\t", "用户一 "],
      ["\u0015anp news refresh --mode=f\t", "--mode=full "],
      ["\u0015anp events replay some.\t", "some.ndjson "],
      ["\u0015anp qu\t", "quota      -- Show"],
    ]);
  });
});

describe.skipIf(!hasShell("fish"))("in fish", () => {
  it("completes words with what they mean", async () => {
    const lines = [
      "anp quo",
      "anp quota --demo w",
      "anp quota --demo ns:",
      "anp news refresh --mode=f",
      "anp quota --fixtures some",
    ];
    const asked = lines.map((line) => `complete -C '${line}'`).join("; echo; ");
    expect(await inShell("fish", `anp completion fish | source; ${asked}`)).toEqual([
      "quota\tShow a user's points and free uses of today",
      "",
      "with space",
      "",
      "ns:one",
      "",
      "--mode=full",
      "",
      expect.stringMatching(/^some-folder\//),
    ]);
  });
});

/** Types into an interactive shell; each time the words must come before the next keys are typed. */
async function typed(shell: string, load: string, steps: readonly (readonly [string, string])[]): Promise<void> {
  const waiting: Step[] = [{ on: "READY> ", type: `${load}; echo LOAD''ED\r` }];
  let on = "LOADED";
  for (const [keys, shows] of steps) {
    waiting.push({ on, type: keys });
    on = shows;
  }
  waiting.push({ on, type: "\u0015exit 7\r" });
  // A shell that waits for words that do not come must not stay behind.
  const ended = await runInTerminal(`timeout --foreground -s KILL 50 ${shell}`, {
    cwd,
    env: { ...environment(), PS1: "READY> ", PROMPT: "READY> " },
    columns: 200,
    steps: waiting,
  });
  expect(ended.code, ended.screen).toBe(7);
}
