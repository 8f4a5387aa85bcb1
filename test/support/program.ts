import type { ChildProcess } from "node:child_process";
import { join } from "node:path";

/** The built program, as it is installed. */
export const ANP = join(import.meta.dirname, "../../bin/anp.js");

/** Flags for the demo's users on next to no content: for what is not about content. */
export const SMALL_WORLD = ["--fixtures", join(import.meta.dirname, "../data/small")] as const;

/** How a run of the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** This process's environment without what would change the program's behaviour, and with profiles of its own. */
export function cleanEnv(cwd: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(ANP_.*|CI|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|VITEST.*)$/.test(name),
  );
  const own = { XDG_CONFIG_HOME: join(cwd, "xdg/config") };
  return { ...Object.fromEntries(kept), ...own, ...more };
}

/** Collects what a process writes until it ends. */
export function ended(child: ChildProcess): Promise<Ended> {
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
