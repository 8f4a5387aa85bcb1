import { spawnSync } from "node:child_process";

/** Whether a shell is here; says so when tests of it are skipped. */
export function hasShell(name: "bash" | "zsh" | "fish"): boolean {
  const found = spawnSync(name, ["-c", "exit 0"]).status === 0;
  if (!found) console.warn(`Tests of completion in ${name} are skipped: ${name} is not here.`);
  return found;
}
