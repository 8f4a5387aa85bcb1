import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";

/** Of the last line that it reads, kills the processes and removes the folders; it is `pid:folder` for each, by tabs. */
const SCRIPT = `while read -r line; do last=$line; done
IFS=$(printf '\\t'); set -f
for child in $last; do kill -9 "\${child%%:*}"; rm -rf "\${child#*:}"; done`;

/** The children that run, with their folders. */
const held = new Map<ChildProcess, string>();
let watcher: Writable | undefined;

/**
 * Makes sure that a child does not outlive the test: when this process goes away, however it ends, the child is killed
 * and its folder, where it has one, removed. One process watches all: starting one takes longer than many a test.
 */
export function leash(child: ChildProcess, folder = ""): void {
  watcher ??= startWatcher();
  held.set(child, folder);
  report();
  child.once("exit", () => {
    held.delete(child);
    report();
  });
}

function startWatcher(): Writable {
  const child = spawn("sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.unref();
  return child.stdin;
}

function report(): void {
  watcher!.write(`${Array.from(held, ([{ pid }, folder]) => `${pid}:${folder}`).join("\t")}\n`);
}
