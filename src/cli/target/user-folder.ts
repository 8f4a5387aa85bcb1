import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
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
export function profilesFile(env: Env): string {
  return userFolder("config", env, "profiles.yaml");
}

/** Replaces a file as a whole, readable by the user alone. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, text, { flag: "wx", mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
