/** The environment of a run. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Variables that the command line itself reads, besides the keys of the configuration. */
export const VARIABLES: Readonly<Record<string, string>> = {
  ANP_CONFIG: "configuration file, as --config",
  ANP_STORAGE: "storage URL, as --storage",
  ANP_URL: "a running daemon to work on instead, as --url",
  ANP_PROFILE: "a daemon and token kept by `anp profiles`, as --profile",
  ANP_TOKEN: "the user's token at the daemon, as --token, if the profile has none",
  ANP_TOKEN_FILE: "a file that contains the token",
  ANP_DEBUG: "debug messages and stack traces, as --verbose",
  CI: "never ask, as --no-input",
  NO_COLOR: "no colour, as --no-color",
  FORCE_COLOR: "colour in a pipe too; 0 for none",
  XDG_CONFIG_HOME: "profiles are in its anp/profiles.yaml; ~/.config when not set",
  XDG_STATE_HOME: "resume points of replays are in its anp/replay; ~/.local/state when not set",
};

/** A variable's value; an empty one counts as not set. */
export function valueOf(env: Env, name: string): string | undefined {
  const value = env[name];
  return value === "" ? undefined : value;
}
