import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { addressOf, readUrl } from "../../client/daemon-url.ts";
import { toUsageError, UsageError } from "../framework/command-failure.ts";
import type { CommandEnv } from "../framework/global-flags.ts";
import { integer, optional, text } from "../params/param.ts";
import { profilesFile } from "./profiles-file.ts";

/** A running daemon that a command works on, and the caller's token. */
export type DaemonTarget = { readonly url: string; readonly token?: string | undefined };

/** The daemon that the flags, the environment or the user's profiles name, in this order; undefined when the command
 * works on a storage. A flag or variable that names a storage has precedence over the current profile, and a profile's
 * token over the environment's: a token must not reach another host.
 * @throws UsageError for flags or variables that exclude each other, and for files that cannot be read */
export async function findDaemon(surroundings: CommandEnv): Promise<DaemonTarget | undefined> {
  const { globals } = surroundings;
  const target = await locate(surroundings);
  if (target === undefined) {
    if (globals.token !== undefined) throw new UsageError("--token goes with --url or --profile.");
    return undefined;
  }
  toUsageError("The address of the daemon", () => readUrl(target.url));
  return { url: target.url, token: globals.token ?? target.token ?? (await tokenFromEnvironment(surroundings)) };
}

async function locate(surroundings: CommandEnv): Promise<DaemonTarget | undefined> {
  const { globals, env } = surroundings;
  if (globals.url !== undefined) return { url: globals.url };
  if (globals.profile !== undefined) return targetOfProfile(globals.profile, surroundings);
  const { storage, config, fixtures, now, seed } = globals;
  if ([storage, config, fixtures, now, seed].some((own) => own !== undefined)) return undefined;
  const isSet = (name: string): boolean => Boolean(env[name]);
  const remote = ["ANP_URL", "ANP_PROFILE"].filter(isSet);
  const local = ["ANP_STORAGE", "ANP_CONFIG"].filter(isSet);
  if (remote.length > 0 && remote.length + local.length > 1)
    throw new UsageError(`${[...remote, ...local].join(" and ")} exclude each other.`);
  if (local.length > 0) return undefined;
  if (env["ANP_URL"]) return { url: env["ANP_URL"] };
  return targetOfProfile(env["ANP_PROFILE"] || undefined, surroundings);
}

async function targetOfProfile(name: string | undefined, { env, cwd }: CommandEnv) {
  // Most users have no profiles: the YAML reader is loaded only for those who do.
  if (name === undefined && !existsSync(profilesFile(env))) return undefined;
  const { profileNamed, readProfiles } = await import("./profiles.ts");
  const kept = await readProfiles(env);
  const chosen = name ?? kept.current;
  if (chosen === undefined) return undefined;
  const { url, token, token_file } = profileNamed(chosen, kept);
  return { url, token: token_file === undefined ? token : await readTokenFile(token_file, cwd) };
}

/** The token of ANP_TOKEN, or of the file that ANP_TOKEN_FILE names.
 * @throws UsageError when both are set, or the file cannot be read */
export async function tokenFromEnvironment({ env, cwd }: Pick<CommandEnv, "env" | "cwd">): Promise<string | undefined> {
  const [token, file] = [env["ANP_TOKEN"] || undefined, env["ANP_TOKEN_FILE"] || undefined];
  if (token && file) throw new UsageError("ANP_TOKEN and ANP_TOKEN_FILE exclude each other.");
  return file === undefined ? token : readTokenFile(file, cwd);
}

async function readTokenFile(file: string, cwd: string): Promise<string> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((error: unknown) => {
    throw new UsageError(`The token file ${file} cannot be read: ${(error as Error).message}.`);
  });
  if (text.trim() === "") throw new UsageError(`The token file ${file} is empty.`);
  return text.trim();
}

/** The flag of commands that read a daemon's metrics. */
export const metricsUrlFlag = optional((typed: string) => readUrl(typed).href);
/** The flags that say where a daemon of this configuration listens. */
export const listenFlags = { host: optional(text(255)), port: optional(integer(0, 65_535)) };

/** The pages of the command's daemon, else of the one in the configuration. @throws UsageError, ConfigError */
export async function daemonPages(context: CommandEnv & { daemon?: DaemonTarget }, metricsUrl: string | undefined) {
  if (context.daemon !== undefined) return { url: context.daemon.url, metricsUrl };
  const { openConfig } = await import("./open-config.ts");
  const { server, metrics } = (await openConfig(context)).config;
  if (server.port === 0) throw new UsageError("server.port is 0, any free port: name the daemon with --url.");
  const own = metrics.port ? `${addressOf({ host: metrics.host, port: metrics.port })}/metrics` : undefined;
  return { url: addressOf(server), metricsUrl: metricsUrl ?? own, isOwn: true };
}
