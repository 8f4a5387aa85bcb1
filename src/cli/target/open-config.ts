import { resolve } from "node:path";
import { openFixture } from "../../admin/load-fixture.ts";
import { loadConfig, type ConfigValues } from "../../config/load-config.ts";
import type { CommandEnv } from "../framework/global-flags.ts";
import MEANINGS from "../help/meanings.json" with { type: "json" };
import { UsageError } from "../framework/command-failure.ts";

/** Loads the configuration and fixture that flags, environment or a fixture name. @param flags the command's own
 * @throws UsageError, ConfigError */
export async function openConfig({ globals, env, cwd }: CommandEnv, flags: ConfigValues = {}) {
  const folder = globals.fixtures;
  const opening = folder === undefined ? undefined : openFixture(resolve(cwd, folder));
  const fixture = await opening?.catch((error: unknown) => {
    throw new UsageError(`--fixtures ${folder} holds no fixture: ${(error as Error).message}`);
  });
  const file = fixture?.configFile ?? globals.config ?? (env["ANP_CONFIG"] || undefined);
  const loaded = await loadConfig({
    ...(file !== undefined && { file }),
    ...(fixture !== undefined && { fixture: { storage: `fs:.anp/${fixture.name}` } }),
    env,
    cwd,
    flags: { storage: globals.storage, storage_id: globals.storageId, ...flags },
    otherVariables: Object.keys(MEANINGS.variables),
  });
  return { ...loaded, ...(fixture !== undefined && { fixture }) };
}
