import { existsSync } from "node:fs";
import { readUrl } from "../../client/daemon-url.ts";
import { UsageError } from "../framework/exit.ts";
import type { Surroundings } from "../framework/global-flags.ts";
import { profilesFile } from "./user-folder.ts";
import { tokenOfEnvironment } from "./token.ts";

/** A running daemon that a command works on, and the caller's token. */
export interface DaemonTarget {
  readonly url: string;
  readonly token?: string;
}

/** The daemon that the flags, the environment or the user's profiles name, in this order; undefined when the command
 * works on a storage. A flag or variable that names a storage has precedence over the current profile.
 *
 * A profile's token has precedence over the environment's: a token must not reach another host.
 * @throws UsageError for flags or variables that exclude each other, and for files that cannot be read */
export async function findDaemon(surroundings: Surroundings): Promise<DaemonTarget | undefined> {
  const { globals } = surroundings;
  const target = await locate(surroundings);
  if (target === undefined) {
    if (globals.token !== undefined) throw new UsageError("--token goes with --url or --profile.");
    return undefined;
  }
  try {
    readUrl(target.url);
  } catch (error) {
    throw new UsageError(`The address of the daemon ${(error as RangeError).message}.`);
  }
  const token = globals.token ?? target.token ?? (await tokenOfEnvironment(surroundings));
  return { url: target.url, ...(token !== undefined && { token }) };
}

async function locate(surroundings: Surroundings): Promise<DaemonTarget | undefined> {
  const { globals, env } = surroundings;
  if (globals.url !== undefined) return { url: globals.url };
  if (globals.profile !== undefined) return targetOfProfile(globals.profile, surroundings);
  const { storage, config, fixtures, now, seed } = globals;
  if ([storage, config, fixtures, now, seed].some((own) => own !== undefined)) return undefined;
  const isSet = (name: string): boolean => Boolean(env[name]);
  const remote = ["ANP_URL", "ANP_PROFILE"].filter(isSet);
  const local = ["ANP_STORAGE", "ANP_CONFIG"].filter(isSet);
  if (remote.length > 0 && remote.length + local.length > 1) {
    throw new UsageError(`${[...remote, ...local].join(" and ")} exclude each other.`);
  }
  if (local.length > 0) return undefined;
  if (env["ANP_URL"]) return { url: env["ANP_URL"] };
  return targetOfProfile(env["ANP_PROFILE"] || undefined, surroundings);
}

/** The daemon of a profile; without a name, of the one in use, if there is one. */
async function targetOfProfile(
  name: string | undefined,
  { env, cwd }: Surroundings,
): Promise<DaemonTarget | undefined> {
  // Most users have no profiles: the YAML reader is loaded only for those who do.
  if (name === undefined && !existsSync(profilesFile(env))) return undefined;
  const { readProfiles, targetOf } = await import("./profiles.ts");
  const kept = await readProfiles(env);
  const chosen = name ?? kept.current;
  return chosen === undefined ? undefined : targetOf(chosen, kept, cwd);
}
