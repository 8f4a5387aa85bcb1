import type { Config } from "../../config/config-schema.ts";
import type { ConfigValues } from "../../config/load-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import { seededRandom, systemRandom, type Random } from "../../runtime/random.ts";
import { identifyStorage } from "../../storage/identity/storage-identity.ts";
import { openStorage } from "../../storage/open-storage.ts";
import { isUnfinished } from "../../storage/unfinished-import.ts";
import type { Context } from "../framework/command-context.ts";
import { CommandFailure, EXIT } from "../framework/exit.ts";
import { openConfig } from "./open-config.ts";

/** The dependencies of a service, opened. Relative paths of the configuration are resolved against `baseDir`. */
export type RuntimeDependencies = Awaited<ReturnType<typeof openDependencies>>;

export interface DependencyOptions {
  readonly logger: (config: Config) => Logger;
  /** Configuration from the command's own flags. */
  readonly config?: ConfigValues | undefined;
  /** Checks values against the configuration before anything is opened. */
  readonly check?: ((config: Config) => void) | undefined;
  /** Unpredictable ids and secrets, whatever --seed says. */
  readonly secret?: true | undefined;
  /** Creates the storage if it does not exist; other commands treat that as a mistyped name. */
  readonly create?: true | undefined;
  /** Only reads, so a storage that does not exist is as good as an empty one. */
  readonly absent?: true | undefined;
  /** Also works on a storage whose import is not finished. */
  readonly unfinished?: true | undefined;
}

/**
 * Opens the runtime dependencies that the flags, the environment and the configuration name.
 *
 * @throws UsageError, ConfigError, StorageError
 * @throws CommandFailure for a storage whose import is not finished
 */
export async function openDependencies(context: Context, options: DependencyOptions) {
  const { globals, clock } = context;
  const { config, cwd, baseDir, fixture, unknownVariables } = await openConfig(context, options.config);
  options.check?.(config);
  const logger = options.logger(config);
  if (unknownVariables.length > 0) logger.info({ variables: unknownVariables }, "unknown ANP_ variables");
  const random = restartable(options.secret === true ? undefined : globals.seed);
  const create = options.create === true || fixture !== undefined;
  const storage = await openStorage(config.storage, { mustExist: !create && options.absent !== true, cwd });
  try {
    if (options.unfinished !== true && (await isUnfinished(storage))) {
      throw new CommandFailure(
        EXIT.failure,
        "The import into this storage is not finished. Run `anp storage import` again with the same backup; " +
          "if the backup is gone, empty the folder or the database.",
      );
    }
    if (options.unfinished !== true) {
      // Its own sequence: other ids do not depend on who was first here.
      const newId = (): string => restartable(globals.seed).bytes(16).toString("hex");
      const found = await identifyStorage(storage, { expected: config.storage_id, create, newId });
      if (found !== undefined && found.missing > 0) {
        logger.warn(found, "a part of the storage had lost its identity, and perhaps its data; it has a new mark");
      }
    }
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { config, baseDir, fixture, storage, clock, random, logger };
}

type RestartableRandom = Random & {
  /** Restarts the sequence with this salt; does nothing without a seed. */
  readonly restart: (salt: string) => void;
};

/**
 * The source of randomness. A seeded one restarts for each state of the ledger it is used on: two processes with one
 * seed would otherwise give two operations the same id, and the ledger would treat the second as a repeat.
 */
function restartable(seed: string | undefined): RestartableRandom {
  if (seed === undefined) return { ...systemRandom, restart: () => undefined };
  let random = seededRandom(seed);
  return {
    bytes: (size) => random.bytes(size),
    restart(salt) {
      random = seededRandom(`${seed} ${salt}`);
    },
  };
}
