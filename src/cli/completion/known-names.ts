import { findDaemon } from "../target/daemon-target.ts";
import type { Globals, Surroundings } from "../framework/global-flags.ts";
import { userIds as listUserIds } from "../target/user-ids.ts";
import type { Definition } from "../framework/define-command.ts";

/** A word that may be typed. */
export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** The flags that were typed, and the environment. */
export interface Settings extends Omit<Surroundings, "globals"> {
  /** @throws UsageError when the flags do not go together */
  readonly globals: () => Globals;
  /** Aborted when the answer would come too late. */
  readonly signal: AbortSignal;
}

/** More would be slow to show, and of no help. */
const MOST_USERS = 200;

/** The names of the user's profiles. */
export async function profileNames({ env }: Settings): Promise<Candidate[]> {
  const { readProfiles } = await import("../target/profiles.ts");
  const { profiles } = await readProfiles(env);
  return Object.entries(profiles).map(([name, { url }]) => ({ word: name, about: url }));
}

/** The plans of the configuration. */
export async function planNames(settings: Settings): Promise<Candidate[]> {
  const { openConfig } = await import("../target/open-config.ts");
  const { config } = await openConfig({ ...settings, globals: settings.globals() });
  return Object.keys(config.plans).map((word) => ({ word }));
}

/**
 * Ids of the storage's users that start as typed. Nothing is created. A daemon is not asked: its token names the user.
 */
export async function userIds(
  { command, typed }: { readonly command: Definition | undefined; readonly typed: string },
  settings: Settings,
): Promise<Candidate[]> {
  const surroundings = { ...settings, globals: settings.globals() };
  if (command?.target === "either" && (await findDaemon(surroundings)) !== undefined) return [];
  const fits = (id: string): boolean => id.startsWith(typed);
  const ids = await listUserIds(surroundings, { fits, most: MOST_USERS, signal: settings.signal });
  return ids.map((word) => ({ word }));
}
