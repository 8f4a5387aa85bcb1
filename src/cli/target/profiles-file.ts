import type { Env } from "../framework/environment.ts";
import { userFolder } from "./user-folder.ts";

/** Where the user's profiles are kept, as `~/.config/anp/profiles.yaml`. */
export function profilesFile(env: Env): string {
  return userFolder("config", env, "profiles.yaml");
}
