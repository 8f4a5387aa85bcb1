import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { CommandIo } from "../../src/cli/framework/command-io.ts";
import { main } from "../../src/cli/main.ts";
import { sharedRunners } from "../support/shared-runners.ts";
import { systemClock, type Clock } from "../../src/runtime/clock.ts";
import { addressIn, saysIn, type Listening } from "../support/daemon.ts";
import { ANP, cleanEnv, ended, type Ended } from "../support/program.ts";
import { runInTerminal, typeAt, type Shown, type Step } from "../support/terminal.ts";

/** Makes a run repeatable. */
export const REPEATABLE = ["--now", "2026-11-20T00:00:00Z", "--seed", "x"] as const;

interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** The machine's clock, for what runs in this process. */
  readonly clock?: Clock;
  /** Emits SIGINT and SIGTERM, for what runs in this process. */
  readonly signals?: EventEmitter;
  /** Whether a daemon computes in worker threads of its own, as one in a process of its own does. */
  readonly threads?: boolean;
  /** Called with what has been written to stderr so far. */
  readonly onStderr?: (text: string) => void;
}

/** Daemons of this process share what it computes: a worker thread takes longer to load than most tests. */
const runners = sharedRunners();

/**
 * Runs `anp` in this process, as with pipes at all three streams. What only a process of its own has is tested with
 * `spawnAnp`: signals, a reader that leaves, the variables that Node itself reads, and daemons.
 */
export async function anp(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { input = "", onStderr, ...rest } = options;
  const [stdout, stderr] = [new TextSink(), new TextSink(onStderr)];
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)], { objectMode: false });
  const code = await run(args, { ...rest, stdin, stdout, stderr });
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

function run(
  args: readonly string[],
  {
    cwd,
    env,
    clock = systemClock,
    signals = new EventEmitter(),
    threads = false,
    ...streams
  }: Pick<CommandIo, "stdin" | "stdout" | "stderr"> & RunOptions,
): Promise<number> {
  const own = { env: cleanEnv(cwd, env ?? {}), clock, exit: () => undefined };
  return main(args, { ...streams, ...own, cwd, signals, ...(threads ? {} : { runners }) });
}

/** A daemon in this process. */
export interface DaemonHere extends Listening {
  /** Stops it as a signal does, and waits until it has ended. */
  readonly end: (signal?: "SIGINT" | "SIGTERM") => Promise<Ended>;
}

/** Runs `anp serve` in this process on a free port, until it listens: for what its death is not about, since a process
 * takes most of a second to load. It logs only if it is told to. */
export async function serveHere(args: readonly string[], options: RunOptions): Promise<DaemonHere> {
  const signals = new EventEmitter();
  const output = new EventEmitter();
  let log = "";
  const ended = anp(["serve", "--port", "0", "--log-level", "silent", ...args], {
    ...options,
    // A busy machine does not make it refuse what it would take too long for.
    env: { ANP_LIMITS_WAIT_MS: "0", ...options.env },
    signals,
    onStderr(text) {
      log = text;
      output.emit("more");
    },
  });
  const says = saysIn(
    () => log,
    () => once(output, "more"),
    ended,
  );
  await says("anp listens on ");
  return {
    url: addressIn(log),
    log: () => log,
    says,
    end(signal = "SIGTERM") {
      signals.emit(signal, signal);
      return ended;
    },
  };
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

interface TerminalOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly steps?: readonly Step[];
  readonly signals?: EventEmitter;
  /** Called with what the screen has shown so far. */
  readonly onScreen?: (screen: string) => void;
}

/** As `anp`, with streams that say that they are a terminal's. */
export async function anpInTerminal(args: readonly string[], options: TerminalOptions): Promise<Shown> {
  const { cwd, env = {}, columns = 100, steps = [], signals, onScreen } = options;
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  // A prompt takes keys once it has drawn itself.
  const onStep = typeAt(steps, (text) => setImmediate(() => stdin.write(text)));
  const onText = (text: string): void => {
    onStep(text);
    onScreen?.(text);
  };
  // Like stderr, it stays open when a prompt ends.
  const screen: TextSink = Object.assign(new TextSink(onText), { isTTY: true, columns, end: () => screen });
  const code = await run(args, { stdin, stdout: screen, stderr: screen, cwd, env, ...(signals && { signals }) });
  return { code, screen: screen.text() };
}

/** Runs the built program in a pseudo-terminal. */
export function spawnInTerminal(args: readonly string[], options: TerminalOptions): Promise<Shown> {
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
  readonly #decoder = new StringDecoder();
  readonly #onText: ((text: string) => void) | undefined;
  #text = "";

  constructor(onText?: (text: string) => void) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#text += this.#decoder.write(chunk);
    this.#onText?.(this.#text);
    done();
  }

  text(): string {
    return this.#text;
  }
}
