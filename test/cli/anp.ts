import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { leash } from "../support/leash.ts";
import { runInTerminal, type Shown, type Step } from "../support/terminal.ts";

/** The program, as it is installed. */
export const ANP = join(import.meta.dirname, "../../bin/anp.js");

/** Makes a run repeatable. */
export const REPEATABLE = ["--now", "2026-11-20T00:00:00Z", "--seed", "x"] as const;

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment without what would change the program's mind: also the profiles of whoever runs the tests. */
function cleanEnv(cwd: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(ANP_.*|CI|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|VITEST.*)$/.test(name),
  );
  const own = { XDG_CONFIG_HOME: join(cwd, "xdg/config"), XDG_STATE_HOME: join(cwd, "xdg/state") };
  return { ...Object.fromEntries(kept), ...own, ...more };
}

/** Runs `anp` with pipes at all three streams. */
export function anp(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string },
): Promise<Ended> {
  const child = spawn(process.execPath, [ANP, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.cwd, options.env ?? {}),
  });
  child.stdin.end(options.input ?? "");
  return ended(child);
}

/** Runs a bash command line in which `anp` is the program. */
export function shell(line: string, cwd: string): Promise<Ended> {
  const prelude = `anp() { ${JSON.stringify(process.execPath)} ${JSON.stringify(ANP)} "$@"; }; `;
  return ended(spawn("bash", ["-c", prelude + line], { cwd, env: cleanEnv(cwd, {}) }));
}

/** Runs `anp` in a pseudo-terminal. */
export function anpInTerminal(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly columns?: number;
    readonly steps?: readonly Step[];
  },
): Promise<Shown> {
  const words = [process.execPath, ANP, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  return runInTerminal(words.join(" "), { ...options, env: cleanEnv(options.cwd, options.env ?? {}) });
}

/** A daemon on a free port. */
export interface Daemon {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote to stderr so far. */
  readonly log: () => string;
  /** Resolves when stderr has the words. */
  readonly says: (words: string) => Promise<void>;
  readonly ended: Promise<Ended>;
}

interface DaemonOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts `anp serve` on a free port. @param log a file that takes its stderr */
export function spawnDaemon(args: readonly string[], { cwd, env = {} }: DaemonOptions, log?: number) {
  const words = [ANP, "serve", "--port", "0", ...args];
  const stdio = ["ignore", "pipe", log ?? "pipe"] as const;
  const child = spawn(process.execPath, words, { cwd, env: cleanEnv(cwd, env), stdio: [...stdio] });
  leash(child);
  return { child, ended: ended(child) };
}

/** Starts `anp serve` and waits until it listens. */
export async function startDaemon(args: readonly string[], options: DaemonOptions): Promise<Daemon> {
  const { child, ended: finished } = spawnDaemon(args, options);
  let log = "";
  child.stderr!.on("data", (text: string) => (log += text));
  const says = async (words: string): Promise<void> => {
    const over = finished.then(() => "over" as const);
    while (!log.includes(words)) {
      const more = new Promise((resolve) => child.stderr!.once("data", resolve));
      if ((await Promise.race([more, over])) === "over" && !log.includes(words)) {
        throw new Error(`The daemon ended before it said ${JSON.stringify(words)}:\n${log}`);
      }
    }
  };
  await says("anp listens on ");
  const url = /anp listens on (\S+)/.exec(log)![1]!;
  return { url, child, log: () => log, says, ended: finished };
}

/** Does the work for each of the items, three at a time: a process each is what it costs. */
export async function each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const queue = [...items.entries()];
  const run = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next[1], next[0]);
  };
  await Promise.all([run(), run(), run()]);
}

function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // A process that has ended early takes no more input.
    child.stdin?.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
}
