import { isLoaded, loadFixture, type Fixture } from "../../admin/load-fixture.ts";
import type { Config } from "../../config/config-schema.ts";
import { createAccountsService, type AccountsService } from "../../service/accounts-service.ts";
import type { ServiceObserver, Service, ServiceDeps } from "../../service/service.ts";
import type { Call } from "../../service/operation.ts";
import type { Context } from "../framework/command-context.ts";
import type { Hosted } from "../framework/command-io.ts";
import type { ConfigValues } from "../../config/load-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import { seededRandom, systemRandom, type Random } from "../../runtime/random.ts";
import { identifyStorage } from "../../storage/identity/storage-identity.ts";
import { openStorage } from "../../storage/open-storage.ts";
import type { Storage } from "../../storage/storage.ts";
import { UNFINISHED_IMPORT } from "../../storage/keys.ts";
import { CommandFailure, EXIT } from "../framework/exit.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openConfig } from "./open-config.ts";

/** The users and their points, on the storage that the flags, the environment and the configuration name. */
export type AccountsSession = ReturnType<typeof sessionOf<AccountsService>>;

/** The whole service, on the same storage. */
export type Session = Awaited<ReturnType<typeof sessionOn>>;

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
  if (context.io.hosted !== undefined) return openHosted(context.io.hosted, options);
  const dependencies = await openDependencies(context, options);
  return closedOnError(dependencies.storage, () => sessionOn(dependencies, options, context));
}

/** Opens the users and their points; the whole service where a fixture is still to be loaded. See `withAccounts`. */
export async function openAccounts(context: Context, options: DependencyOptions): Promise<AccountsSession> {
  if (context.io.hosted !== undefined) return openHosted(context.io.hosted, options);
  const dependencies = await openDependencies(context, options);
  const { fixture, storage } = dependencies;
  return closedOnError(storage, async () => {
    if (fixture !== undefined && !(await isLoaded(fixture, storage))) return sessionOn(dependencies, options, context);
    return sessionOf(createAccountsService(dependencies), dependencies.random);
  });
}

/** A session on the service of the daemon that runs the command. Its randomness is not restarted: others use it too. */
async function openHosted({ service }: Hosted, { check }: DependencyOptions): Promise<Session> {
  await check?.(service.config);
  const close = (): Promise<void> => Promise.resolve();
  return { ...sessionOf(service, { restart: () => undefined }), close, baseDir: "", fill: undefined };
}

async function closedOnError<T>(storage: Storage, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function sessionOn(
  { fixture, ...dependencies }: RuntimeDependencies,
  { open, observer, workers, fillLater = false }: SessionOptions,
  { terminal }: Context,
) {
  const create = open ?? (await import("../../service/service.ts")).createService;
  const service = await create({
    ...dependencies,
    workers,
    ...(fixture !== undefined && { anchor_ms: fixture.anchor_ms }),
    ...(observer !== undefined && { observer: observer(dependencies.config) }),
  });
  if (fixture !== undefined && !fillLater) await loadOnce(fixture, service, terminal);
  return {
    ...sessionOf(service, dependencies.random),
    /** The folder that relative paths of the configuration are resolved against. */
    baseDir: dependencies.baseDir,
    /** Loads the fixture in use, where `fillLater` was given: its users. Undefined without a fixture. */
    fill: fixture !== undefined && fillLater ? () => loadFixture(fixture, service) : undefined,
  };
}

function sessionOf<S extends AccountsService>(service: S, random: Pick<RuntimeDependencies["random"], "restart">) {
  const { ids, userStates } = service;
  const callOf = async (user: string, idempotency_key?: string): Promise<Call> => {
    const { ledger } = await userStates.of(user);
    random.restart(`${user} ${ledger.version}`);
    return { request_id: ids.request(), user, ...(idempotency_key !== undefined && { idempotency_key }) };
  };
  return {
    service,
    close: () => service.close(),
    /** A call on behalf of a user.
     * @throws AnpError 404 for a user who is not known */
    callOf,
    /** The same for what gives a user something, or acts for them: refused where the user was erased.
     * @throws CommandFailure, AnpError 404 */
    activeCallOf: async (user: string, idempotency_key?: string): Promise<Call> => {
      const { erased } = await userStates.profileOf(user);
      if (erased === undefined) return callOf(user, idempotency_key);
      throw new CommandFailure(EXIT.failure, `${user} was erased on ${erased.at}: only the ledger is kept.`);
    },
    /** A call without a user. */
    anonymous: (): Call => ({ request_id: ids.request() }),
  };
}

/** Loads a fixture, and its news, into a storage that does not have them. */
async function loadOnce(fixture: Fixture, service: Service, { say }: Terminal): Promise<void> {
  if (!(await isLoaded(fixture, service.storage))) {
    say(`There is no ${fixture.name} world yet: making one in ${service.storage.url}.`);
    await loadFixture(fixture, service);
  }
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
  readonly check?: ((config: Config) => void | Promise<void>) | undefined;
  /** Creates the storage if it does not exist; other commands treat that as a mistyped name. */
  readonly create?: true | undefined;
  /** Only reads, so a storage that does not exist is as good as an empty one. */
  readonly absent?: true | undefined;
  /** Also works on a storage whose import is not finished. */
  readonly unfinished?: true | undefined;
}

/** Opens the runtime dependencies that the flags, the environment and the configuration name.
 * @throws UsageError, ConfigError, StorageError
 * @throws CommandFailure for a storage whose import is not finished */
export async function openDependencies(context: Context, options: DependencyOptions) {
  const { globals, clock } = context;
  const { config, cwd, baseDir, fixture } = await openConfig(context, options.config);
  await options.check?.(config);
  const logger = options.logger(config);
  const random = restartable(globals.seed);
  const create = options.create === true || fixture !== undefined;
  const storage = await openStorage(config.storage, { mustExist: !create && options.absent !== true, cwd });
  return closedOnError(storage, async () => {
    if (options.unfinished !== true) {
      if (await storage.has(UNFINISHED_IMPORT)) throw new CommandFailure(EXIT.failure, UNFINISHED);
      // Its own sequence: other ids do not depend on who was first here.
      const newId = (): string => restartable(globals.seed).bytes(16).toString("hex");
      const found = await identifyStorage(storage, { expected: config.storage_id, create, newId });
      if (found !== undefined && found.missing > 0) {
        logger.warn(found, "a part of the storage had lost its identity, and perhaps its data; it has a new mark");
      }
    }
    return { config, baseDir, fixture, storage, clock, random, logger };
  });
}

const UNFINISHED =
  "The import into this storage is not finished. Run `anp storage import` again with the same backup; " +
  "if the backup is gone, empty the folder or the database.";

/** The source of randomness. A seeded one restarts for each state of the ledger it is used on: two processes with one
 * seed would otherwise give two operations the same id, and the ledger would treat the second as a repeat. */
function restartable(seed: string | undefined): Random & { readonly restart: (salt: string) => void } {
  if (seed === undefined) return { ...systemRandom, restart: () => undefined };
  let random = seededRandom(seed);
  return {
    bytes: (size) => random.bytes(size),
    restart(salt) {
      random = seededRandom(`${seed} ${salt}`);
    },
  };
}
