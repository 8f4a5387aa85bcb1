import { spawn, type ChildProcess } from "node:child_process";

/**
 * Makes sure that a child does not outlive the test: when this thread goes away, however it ends, the child is killed
 * and its folder, where it has one, removed.
 */
export function leash(child: ChildProcess, folder = ""): void {
  const script = 'read -r _; kill -9 "$0"; rm -rf "$1"';
  const watcher = spawn("sh", ["-c", script, String(child.pid), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.unref();
  child.once("exit", () => watcher.kill());
}
