import { spawnSync } from "node:child_process";

const runs = (command: string): boolean => spawnSync(command, ["--version"], { stdio: "ignore" }).error === undefined;

const missing = ["redis-server", "openssl"].filter((command) => !runs(command));

/** Why tests on a real Redis cannot run here; undefined when they can. Under CI that is a failure. */
export const noRedis: string | undefined = missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;

if (noRedis !== undefined) {
  if (process.env["CI"] !== undefined) throw new Error(`Tests on a real Redis cannot run: ${noRedis}.`);
  console.warn(`Tests on a real Redis are skipped: ${noRedis}.`);
}
