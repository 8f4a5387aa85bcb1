import { isLoaded, hasOtherData, loadFixture, dateOffset, type Fixture } from "../../admin/load-fixture.ts";
import type { Config } from "../../config/config-schema.ts";
import type { ConfigValues } from "../../config/load-config.ts";
import type { Logger } from "../../runtime/logger.ts";
import { seededRandom, systemRandom, type Random } from "../../runtime/random.ts";
import { createAccountsService, type AccountsService } from "../../service/accounts-service.ts";
import type { Call } from "../../service/operation.ts";
import type { ServiceObserver, Service, ServiceDeps } from "../../service/service.ts";
import { identifyStorage } from "../../storage/identity/storage-identity.ts";
import { UNFINISHED_IMPORT } from "../../storage/keys.ts";
import { isOutage } from "../../storage/storage.ts";
import { openStorage } from "../../storage/open-storage.ts";
import type { Context } from "../framework/command-context.ts";
import { CommandFailure, EXIT, UsageError } from "../framework/command-failure.ts";
import { createTerminalLogger, type Terminal } from "../terminal/terminal.ts";
import { openConfig } from "./open-config.ts";
import REFUSALS from "./storage-refusals.json" with { type: "json" };

/** The users and their points, on the storage that the flags, the environment and the configuration name. */
export type AccountsSession = ReturnType<typeof sessionOf<AccountsService>>;

/** The whole service, on the same storage. */
export interface Session extends ReturnType<typeof sessionOf<Service>> {
  readonly baseDir: string; // The folder that relative paths of the configuration are resolved against.
  readonly fill: (() => ReturnType<typeof loadFixture>) | undefined; // With `fillLater`: loads the fixture.
}

export interface SessionOptions {
  readonly logger?: (config: Config) => Logger; // By default, logs go to the terminal.
  readonly config?: ConfigValues; // Configuration from the command's own flags.
  readonly check?: (config: Config) => void | Promise<void>; // Checks values against the configuration first.
  readonly create?: true; // Creates the storage if it does not exist; other commands treat that as a mistyped name.
  readonly absent?: true; // Reads only: a missing storage counts as empty.
  readonly unfinished?: true; // Also works on a storage whose import is not finished.
  readonly observer?: (config: Config) => ServiceObserver; // Observes what the whole service does.
  readonly open?: (deps: ServiceDeps) => Promise<Service>; // Replaces `createService`, to inject faults.
  readonly workers?: true; // Computes in worker threads.
  readonly fillLater?: true; // Leaves the fixture to the caller, even if loaded before: the daemon completes it.
}

/** Opens the whole service, or only users and points if no fixture is to be loaded: see `withSession`, `withAccounts`.
 * @throws UsageError, ConfigError, StorageError, and CommandFailure for a storage whose import is not finished */
export async function openSession(context: Context, whole: true, options: SessionOptions): Promise<Session>;
export async function openSession(context: Context, whole: boolean, options: SessionOptions): Promise<AccountsSession>;
export async function openSession(context: Context, whole: boolean, options: SessionOptions) {
  const { io, globals, clock, terminal } = context;
  if (io.hosted !== undefined) {
    const { service } = io.hosted;
    // The service of the daemon that runs the command stays open, and its randomness is not restarted.
    return { ...sessionOf(service, () => undefined), close: () => Promise.resolve(), baseDir: "", fill: undefined };
  }
  const { config, cwd, baseDir, fixture } = await openConfig(context, options.config);
  await options.check?.(config);
  const logger = options.logger?.(config) ?? createTerminalLogger(terminal, globals);
  const random = restartable(globals.seed);
  const { unfinished = false } = options;
  const create = options.create === true || fixture !== undefined;
  const expected = unfinished ? undefined : config.storage_id; // A missing folder, as of a lost mount, is not created.
  const mustExist = expected !== undefined || (!create && options.absent !== true);
  let storage = await openStorage(config.storage, { mustExist, cwd });
  // A daemon with the machine's clock notes the use itself, and its storage is not wrapped: that would cost each request.
  if (fixture === undefined && (options.workers !== true || globals.now !== undefined))
    storage = (await import("../../storage/health/last-use.ts")).guardLastUse(storage, globals.now);
  try {
    if (!unfinished && (await storage.has(UNFINISHED_IMPORT)))
      throw new CommandFailure(EXIT.failure, REFUSALS.unfinished);
    const isNew = fixture !== undefined && !(await isLoaded(fixture, storage));
    if (isNew && (await hasOtherData(fixture, storage)))
      throw new UsageError(`${storage.url} has data, but not the fixture ${fixture.name}. ${REFUSALS.ofOthers}`);
    // A separate sequence, so that this id does not shift the other ids.
    const newId = (): string => restartable(globals.seed).bytes(16).toString("hex");
    const found = unfinished ? undefined : await identifyStorage(storage, { expected, create, newId });
    if (found !== undefined && found.missing > 0)
      logger.warn(found, "a part of the storage had lost its identity, and perhaps its data; it has a new mark");
    if (isNew) await dateOffset(fixture, storage, clock.now());
    const deps = { config, storage, clock, random };
    if (!whole && !isNew) return sessionOf(createAccountsService(deps), random.restart);
    const open = options.open ?? (await import("../../service/service.ts")).createService;
    const observer = options.observer?.(config);
    const service = await open({
      ...{ ...deps, baseDir, logger },
      ...(io.runners === undefined ? { workers: options.workers } : { runners: io.runners() }),
      ...(fixture !== undefined && { anchor_ms: fixture.anchor_ms }),
      ...(observer !== undefined && { observer }),
    });
    const fill = fixture && options.fillLater && (() => loadFixture(fixture, service));
    if (fixture !== undefined && fill === undefined) await loadOnce(fixture, service, terminal);
    return { ...sessionOf(service, random.restart), baseDir, fill };
  } catch (error) {
    await storage.close();
    // What cannot be read now is the storage, not that value.
    if (isOutage(error)) error.message = error.message.replace(/^Cannot read \S+:/, "Cannot read the storage:");
    throw error;
  }
}

function sessionOf<S extends AccountsService>(service: S, restart: (salt: string) => void) {
  const { ids, userStates } = service;
  const callOf = async (user: string, idempotency_key?: string): Promise<Call> => {
    restart(`${user} ${(await userStates.of(user)).ledger.version}`);
    return { request_id: ids.request(), user, ...(idempotency_key !== undefined && { idempotency_key }) };
  };
  return {
    service,
    zone: service.config.quota.timezone, // The zone of the quota's days, an offset such as `+08:00`.
    close: () => service.close(),
    callOf, // A call on behalf of a user. @throws AnpError 404 for a user who is not known
    /** The same for what gives something or acts for the user. @throws CommandFailure for an erased one */
    activeCallOf: async (user: string, idempotency_key?: string): Promise<Call> => {
      const { erased } = await userStates.profileOf(user);
      if (erased === undefined) return callOf(user, idempotency_key);
      throw new CommandFailure(EXIT.failure, `${user} was erased on ${erased.at}: only the ledger is kept.`);
    },
    anonymous: (): Call => ({ request_id: ids.request() }), // A call without a user.
  };
}

async function loadOnce(fixture: Fixture, service: Service, { say }: Terminal): Promise<void> {
  if (!(await isLoaded(fixture, service.storage))) {
    say(`The fixture ${fixture.name} is not loaded yet: loading it into ${service.storage.url}.`);
    await loadFixture(fixture, service);
  }
  // A daemon refreshes the news itself; a command has to do it before the first use.
  if ((await service.news.status()).version === 0) await service.news.refresh("full");
}

/** The source of randomness. A seeded one restarts for each state of the ledger it is used on: otherwise two processes
 * with one seed would use the same operation id, and the ledger would treat the second operation as a repeat. */
function restartable(seed: string | undefined): Random & { readonly restart: (salt: string) => void } {
  if (seed === undefined) return { ...systemRandom, restart: () => undefined };
  let random = seededRandom(seed);
  return { bytes: (size) => random.bytes(size), restart: (salt) => void (random = seededRandom(`${seed} ${salt}`)) };
}
