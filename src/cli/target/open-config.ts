import { openFixture, type Fixture } from "../../admin/load-fixture.ts";
import { loadConfig, type ConfigValues, type LoadedConfig } from "../../config/load-config.ts";
import type { Context } from "../framework/command-context.ts";
import { valueOf, VARIABLES } from "../framework/environment.ts";
import { UsageError } from "../framework/exit.ts";

/** The configuration of a run, and the fixture it belongs to. */
export interface OpenedConfig extends LoadedConfig {
  readonly fixture?: Fixture;
}

/**
 * Loads the configuration that the flags, the environment or a fixture name.
 *
 * @param flags values from the command's own flags
 * @throws UsageError, ConfigError
 */
export async function openConfig(
  { globals, env }: Pick<Context, "globals" | "env">,
  flags: ConfigValues = {},
): Promise<OpenedConfig> {
  const fixture = globals.fixtures === undefined ? undefined : await fixtureIn(globals.fixtures);
  const file = fixture?.configFile ?? globals.config ?? valueOf(env, "ANP_CONFIG");
  const loaded = await loadConfig({
    ...(file === undefined ? {} : { file }),
    ...(fixture === undefined ? {} : { fixture: { storage: `fs:.anp/${fixture.name}` } }),
    env,
    flags: { storage: globals.storage, ...flags },
    otherVariables: Object.keys(VARIABLES),
  });
  return { ...loaded, ...(fixture === undefined ? {} : { fixture }) };
}

async function fixtureIn(folder: string): Promise<Fixture> {
  try {
    return await openFixture(folder);
  } catch (error) {
    throw new UsageError(`--fixtures ${folder} holds no fixture: ${(error as Error).message}`);
  }
}
