import { isLoaded, loadFixture, type Fixture, type FixtureUser } from "../../admin/load-fixture.ts";
import type { Config } from "../../config/config-schema.ts";
import { createAccountsService, type AccountsService } from "../../service/accounts-service.ts";
import type { ServiceObserver, Service, ServiceDeps } from "../../service/service.ts";
import type { Call } from "../../service/operation.ts";
import type { Context } from "../framework/command-context.ts";
import type { ConfigValues } from "../../config/load-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import { seededRandom, systemRandom, type Random } from "../../runtime/random.ts";
import { identifyStorage } from "../../storage/identity/storage-identity.ts";
import { openStorage } from "../../storage/open-storage.ts";
import { isUnfinished } from "../../storage/unfinished-import.ts";
import { CommandFailure, EXIT } from "../framework/exit.ts";
import { openConfig } from "./open-config.ts";

/** The users and their points, on the storage that the flags, the environment and the configuration name. */
export interface AccountsSession {
  readonly service: AccountsService;
  /**
   * A call on behalf of a user.
   *
   * @throws AnpError 404 for a user who is not known
   */
  readonly callOf: (user: string, idempotency_key?: string) => Promise<Call>;
  /** A call without a user. */
  readonly anonymous: () => Call;
}

/** The whole service, on the same storage. */
export interface Session extends AccountsSession {
  readonly service: Service;
  /** The folder that relative paths of the configuration are resolved against. */
  readonly baseDir: string;
  /** Loads the fixture in use, where `fillLater` was given: its users. Undefined without a fixture. */
  readonly fill: (() => Promise<readonly FixtureUser[]>) | undefined;
}

export interface SessionOptions extends DependencyOptions {
  /** Observes what the service does. */
  readonly observer?: ((config: Config) => ServiceObserver) | undefined;
  /** Replaces `createService`, to inject faults. */
  readonly open?: ((deps: ServiceDeps) => Promise<Service>) | undefined;
  /** Computes in worker threads. */
  readonly workers?: true | undefined;
  /** Leaves it to the caller to load the fixture, even if it was loaded before: the daemon repairs what is missing. */
  readonly fillLater?: boolean | undefined;
}

/** Opens the whole service. See `withSession`. */
export async function openSession(context: Context, options: SessionOptions): Promise<Session> {
  const dependencies = await openDependencies(context, options);
  return closedOnError(dependencies, sessionOn(dependencies, options));
}

/** Opens the users and their points; the whole service where a fixture is still to be loaded. See `withAccounts`. */
export async function openAccounts(context: Context, options: DependencyOptions): Promise<AccountsSession> {
  const dependencies = await openDependencies(context, options);
  const { fixture, storage } = dependencies;
  const open = async (): Promise<AccountsSession> => {
    if (fixture !== undefined && !(await isLoaded(fixture, storage))) return sessionOn(dependencies, options);
    return sessionOf(createAccountsService(dependencies), dependencies);
  };
  return closedOnError(dependencies, open());
}

async function closedOnError<T>({ storage }: RuntimeDependencies, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function sessionOn(
  { fixture, ...dependencies }: RuntimeDependencies,
  { open, observer, workers, fillLater = false }: SessionOptions,
): Promise<Session> {
  const create = open ?? (await import("../../service/service.ts")).createService;
  const service = await create({
    ...dependencies,
    workers,
    ...(fixture !== undefined && { anchor_ms: fixture.anchor_ms }),
    ...(observer !== undefined && { observer: observer(dependencies.config) }),
  });
  if (fixture !== undefined && !fillLater) await loadOnce(fixture, service);
  return {
    ...sessionOf(service, dependencies),
    baseDir: dependencies.baseDir,
    fill: fixture !== undefined && fillLater ? () => loadFixture(fixture, service) : undefined,
  };
}

function sessionOf<S extends AccountsService>(service: S, { random }: Pick<RuntimeDependencies, "random">) {
  const { ids, userStates } = service;
  return {
    service,
    async callOf(user: string, idempotency_key?: string): Promise<Call> {
      const { ledger } = await userStates.of(user);
      random.restart(`${user} ${ledger.version}`);
      return { request_id: ids.request(), user, ...(idempotency_key !== undefined && { idempotency_key }) };
    },
    anonymous: (): Call => ({ request_id: ids.request() }),
  };
}

/** Loads a fixture, and its news, into a storage that does not have them. */
async function loadOnce(fixture: Fixture, service: Service): Promise<void> {
  if (!(await isLoaded(fixture, service.storage))) await loadFixture(fixture, service);
  // The daemon refreshes by itself. A command has only this news to show or to answer from.
  if ((await service.news.status()).version === 0) await service.news.refresh("full");
}

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
