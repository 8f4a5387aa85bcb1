import { spawn, type ChildProcess } from "node:child_process";
import { leash } from "./leash.ts";
import { ANP, cleanEnv, ended, type Ended } from "./program.ts";

/** A daemon in a process of its own, on a free port. */
interface DaemonProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Ends it by a signal and waits until it has gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** A daemon that listens. */
export interface Listening {
  readonly url: string;
  /** What it wrote to stderr so far. */
  readonly log: () => string;
  /** Resolves when stderr has the words. */
  readonly says: (words: string) => Promise<void>;
}

/** One in a process of its own. */
export interface Daemon extends DaemonProcess, Listening {}

interface DaemonOptions {
  /** The tests' own working directory when left out: with a storage that is named. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts `anp serve` on a free port. @param log a file that takes its stderr */
export function spawnDaemon(
  args: readonly string[],
  { cwd = process.cwd(), env = {} }: DaemonOptions = {},
  log?: number,
): DaemonProcess {
  const child = spawn(process.execPath, [ANP, "serve", "--port", "0", ...args], {
    cwd,
    // A busy machine does not make it refuse what it would take too long for.
    env: cleanEnv(cwd, { ANP_LIMITS_WAIT_MS: "0", ...env }),
    stdio: ["ignore", "pipe", log ?? "pipe"],
  });
  leash(child);
  const finished = ended(child);
  return {
    child,
    ended: finished,
    end(signal) {
      child.kill(signal);
      return finished;
    },
  };
}

/** Starts `anp serve` and waits until it listens. */
export async function startDaemon(args: readonly string[], options?: DaemonOptions): Promise<Daemon> {
  const daemon = spawnDaemon(args, options);
  const { child } = daemon;
  let log = "";
  child.stderr!.on("data", (text: string) => (log += text));
  const says = saysIn(
    () => log,
    () => new Promise((resolve) => child.stderr!.once("data", resolve)),
    daemon.ended,
  );
  await says("anp listens on ");
  return { ...daemon, url: addressIn(log), log: () => log, says };
}

/** The way to wait for words in a daemon's log.
 * @param more resolves when there is more of it */
export function saysIn(
  log: () => string,
  more: () => Promise<unknown>,
  ended: Promise<unknown>,
): (words: string) => Promise<void> {
  const over = ended.then(() => "over" as const);
  // Whoever ends the daemon sees why it failed.
  over.catch(() => undefined);
  return async (words) => {
    while (!log().includes(words)) {
      if ((await Promise.race([more(), over])) === "over" && !log().includes(words)) {
        throw new Error(`The daemon ended before it said ${JSON.stringify(words)}:\n${log()}`);
      }
    }
  };
}

/** The address that a daemon says it listens on. */
export function addressIn(log: string): string {
  return /anp listens on ([^\s"]+)/.exec(log)![1]!;
}
