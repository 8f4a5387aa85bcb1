import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { leash } from "./leash.ts";

/** The built command line. */
export const ANP = join(import.meta.dirname, "../../bin/anp.js");

/** A daemon in a process of its own. */
export interface Daemon {
  readonly url: string;
  readonly process: ChildProcess;
  /** All it has written to stderr so far. */
  log(): string;
  /** Ends it and waits until it has gone; gives its exit code, or the signal's name. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

/** Starts `anp serve` on a free port and waits until it listens. */
export async function startDaemon(args: readonly string[]): Promise<Daemon> {
  const child = spawn(process.execPath, [ANP, "serve", "--port", "0", ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  leash(child);
  let log = "";
  const ended = new Promise<number | string>((resolve) => {
    child.on("exit", (code, signal) => {
      resolve(code ?? signal ?? "unknown");
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      const found = /anp listens on (\S+)/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then((how) => {
      reject(new Error(`the daemon ended before it listened (${how}): ${log}`));
    });
  });
  return {
    url,
    process: child,
    log: () => log,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
