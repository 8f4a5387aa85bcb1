import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Env } from "../framework/command-io.ts";

/** Where the user's profiles are kept, as `~/.config/anp/profiles.yaml` (XDG Base Directory Specification 0.8). */
export function profilesFile(env: Env): string {
  const base = env["XDG_CONFIG_HOME"];
  // The specification says to ignore relative paths.
  const folder = base !== undefined && isAbsolute(base) ? base : join(env["HOME"] ?? homedir(), ".config");
  return join(folder, "anp", "profiles.yaml");
}
