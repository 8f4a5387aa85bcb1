import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Env } from "../framework/command-io.ts";

/** The variable and the default of the XDG base directories (XDG Base Directory Specification 0.8). */
const BASES = { config: ["XDG_CONFIG_HOME", ".config"], state: ["XDG_STATE_HOME", ".local/state"] } as const;

/** A path in one of the user's own folders for this program, as `~/.config/anp/…`. */
export function userFolder(kind: keyof typeof BASES, env: Env, ...path: string[]): string {
  const [variable, below] = BASES[kind];
  const base = env[variable];
  // The specification says to ignore relative paths.
  const folder = base !== undefined && isAbsolute(base) ? base : join(env["HOME"] ?? homedir(), below);
  return join(folder, "anp", ...path);
}

/** Where the user's profiles are kept, as `~/.config/anp/profiles.yaml`. */
export const profilesFile = (env: Env): string => userFolder("config", env, "profiles.yaml");
