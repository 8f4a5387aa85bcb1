import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { main } from "../../src/cli/main.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { ANP, cleanEnv, ended, type Ended } from "../support/program.ts";
import { runInTerminal, type Shown, type Step } from "../support/terminal.ts";

/** Makes a run repeatable. */
export const REPEATABLE = ["--now", "2026-11-20T00:00:00Z", "--seed", "x"] as const;

interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/**
 * Runs `anp` in this process, as with pipes at all three streams. What only a process of its own has is tested with
 * `spawnAnp`: signals, a reader that leaves, the variables that Node itself reads, and daemons.
 */
export async function anp(args: readonly string[], { cwd, env = {}, input = "" }: RunOptions): Promise<Ended> {
  const [stdout, stderr] = [new TextSink(), new TextSink()];
  const code = await main(args, {
    stdin: Readable.from(input === "" ? [] : [Buffer.from(input)], { objectMode: false }),
    stdout,
    stderr,
    env: cleanEnv(cwd, env),
    cwd,
    clock: systemClock,
    signals: new EventEmitter(),
    exit: () => undefined,
  });
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

/** As `anp`, but runs the built program. */
export function spawnAnp(args: readonly string[], { cwd, env = {}, input = "" }: RunOptions): Promise<Ended> {
  const child = spawn(process.execPath, [ANP, ...args], { cwd, env: cleanEnv(cwd, env) });
  child.stdin.end(input);
  return ended(child);
}

/** Runs a bash command line in which `anp` is the built program. */
export function shell(line: string, cwd: string): Promise<Ended> {
  const prelude = `anp() { ${JSON.stringify(process.execPath)} ${JSON.stringify(ANP)} "$@"; }; `;
  return ended(spawn("bash", ["-c", prelude + line], { cwd, env: cleanEnv(cwd, {}) }));
}

/** Runs the built program in a pseudo-terminal. */
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

/** Does the work for each of the items, three at a time. */
export async function each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const queue = [...items.entries()];
  const run = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next[1], next[0]);
  };
  await Promise.all([run(), run(), run()]);
}

class TextSink extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
