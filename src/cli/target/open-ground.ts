import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { seededRandom, systemRandom, type Random } from "../../runtime/random.ts";
import type { AccountsService } from "../../service/accounts-service.ts";
import type { Config } from "../../config/config-schema.ts";
import type { Fixture } from "../../admin/load-fixture.ts";
import type { Call } from "../../service/operation.ts";
import { openStorage } from "../../storage/open-storage.ts";
import type { Storage } from "../../storage/storage.ts";
import { isUnfinished } from "../../storage/unfinished-import.ts";
import type { Context } from "../framework/command-context.ts";
import { CommandFailure, EXIT } from "../framework/exit.ts";
import { openConfig } from "./open-config.ts";
import type { SessionOptions } from "./session.ts";

/** What a service stands on: configuration, storage, clock, randomness and log. */
export interface Ground {
  readonly config: Config;
  readonly baseDir: string;
  readonly fixture: Fixture | undefined;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random & { restart(salt: string): void };
  readonly logger: Logger;
}

/**
 * Opens what the flags, the environment and the configuration name.
 *
 * @throws UsageError, ConfigError, StorageError
 * @throws CommandFailure for a storage into which not all has come yet
 */
export async function openGround(context: Context, options: SessionOptions, defaultLogger: Logger): Promise<Ground> {
  const { globals, clock } = context;
  const { config, baseDir, fixture, unknownVariables } = await openConfig(context, options.config);
  options.check?.(config);
  const logger = options.logger?.(config) ?? defaultLogger;
  if (unknownVariables.length > 0)
    logger.info({ variables: unknownVariables }, "variables of the environment that mean nothing to anp");
  const random = repeatable(options.secret === true ? undefined : globals.seed);
  const mustExist = options.create !== true && fixture === undefined;
  const storage = await openStorage(config.storage, { mustExist });
  try {
    if (options.unfinished !== true && (await isUnfinished(storage))) {
      throw new CommandFailure(
        EXIT.failure,
        "Not all has come into this storage yet. Run `anp storage import` again with the same backup to finish it; " +
          "where that is gone, empty the folder or the database.",
      );
    }
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { config, baseDir, fixture, storage, clock, random, logger };
}

/** Calls of a service, in a user's name and in nobody's. */
export function callsOf(service: AccountsService, random: Ground["random"]) {
  return {
    async callOf(user: string, idempotency_key?: string): Promise<Call> {
      const { ledger } = await service.userStates.of(user);
      random.restart(`${user} ${ledger.version}`);
      return {
        request_id: service.ids.request(),
        user,
        ...(idempotency_key === undefined ? {} : { idempotency_key }),
      };
    },
    anonymous: (): Call => ({ request_id: service.ids.request() }),
  };
}

/**
 * The source of randomness. A seeded one starts again for each state of the ledger it is used on: two processes with
 * one seed would otherwise give two operations one id, and the ledger would take the second for the first.
 */
function repeatable(seed: string | undefined): Random & { restart(salt: string): void } {
  if (seed === undefined) return { ...systemRandom, restart: () => undefined };
  let random = seededRandom(seed);
  return {
    bytes: (size) => random.bytes(size),
    restart(salt) {
      random = seededRandom(`${seed} ${salt}`);
    },
  };
}
